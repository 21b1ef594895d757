// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of tileaa at functions and modules: which there are, what they say, and where they stand.
// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'tileaa.kernels' is no attribute of tileaa, expected one of tileaa.kernel, tileaa.hints, tileaa.slices, tileaa.non_negative, tileaa.slice_asked, tileaa.slice_made, tileaa.libdevice}}
func.func @unknown() attributes {tileaa.kernels} {
  return
}

// -----

// expected-error@+1 {{parameter 0 has 'tileaa.hints', expected no attribute of tileaa there}}
func.func @of_a_parameter(%x: i64 {tileaa.hints = #tileaa.hints<{}>}) {
  return
}

// -----

// expected-error@+1 {{'tileaa.kernel' is at 'builtin.module', expected a function}}
module attributes {tileaa.kernel} {
}

// -----

// expected-error@+1 {{'tileaa.kernel' is false, expected a unit}}
func.func @no_kernel() attributes {tileaa.kernel = false} {
  return
}

// -----

// expected-error@+1 {{'tileaa.hints' is {default = {occupancy = 2 : i32}}, expected #tileaa.hints}}
func.func @hints_as_dictionary() attributes {tileaa.hints = {default = {occupancy = 2 : i32}}} {
  return
}

// -----

// expected-error@+1 {{'tileaa.slices' is "8x16xf32 by 2x16", expected an array of strings}}
func.func @slices_as_text() attributes {tileaa.slices = "8x16xf32 by 2x16"} {
  return
}

// -----

// expected-error@+1 {{'tileaa.libdevice' is at 'func.func', expected a module}}
func.func @library() attributes {tileaa.libdevice = "/there/libdevice.10.bc"} {
  return
}

// -----

// expected-error@+1 {{'tileaa.libdevice' is unit, expected a string}}
module attributes {tileaa.libdevice} {
}

// -----

// expected-error@+1 {{'tileaa.slice_asked' is true, expected a number}}
func.func @slice_as_truth() attributes {tileaa.slice_asked = true} {
  return
}

// -----

// expected-error@+1 {{'tileaa.non_negative' is unit, expected an array of numbers}}
func.func @flag() attributes {tileaa.non_negative} {
  return
}
