// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// verify-tileas: operations and layouts of tiles. Rules of products, resources, pipelines and accesses have a file
// each, verify_tileas_*.mlir.
// RUN: tilewright-opt %s --tileas-attach-target=arch=sm_80 --verify-tileas --split-input-file --verify-diagnostics
// Legal functions are left alone.
// RUN: tilewright-opt %S/../../gpu_simulator/test/barriers.mlir --tileas-attach-target=arch=sm_80 > %t.barriers
// RUN: tilewright-opt %S/../../gpu_simulator/test/barriers.mlir --tileas-attach-target=arch=sm_80 --verify-tileas | diff %t.barriers -
// RUN: tilewright-opt %S/../../gpu_simulator/test/agents.mlir --tileas-attach-target=arch=sm_90 --tileas-carry-pipeline-state --verify-tileas | FileCheck %s --check-prefix=AGENTS
// RUN: tilewright-opt %S/../../gpu_simulator/test/running_products.mlir --tileas-attach-target=arch=sm_90 --tileas-attach-tma-desc-args --tileas-carry-pipeline-state --verify-tileas | FileCheck %s --check-prefix=AGENTS
// RUN: tilewright-opt %S/../../gpu_simulator/test/tensor_memory.mlir --tileas-attach-target=arch=sm_100 --verify-tileas | FileCheck %s --check-prefix=TMEM
// RUN: not tilewright-opt %S/../../gpu_simulator/test/barriers.mlir --tileas-attach-target=arch=sm_7 --verify-tileas 2>&1 | FileCheck %s --check-prefix=ARCH
// AGENTS: tileas.consumer_release
// TMEM: tileas.tmem_wait
// ARCH: error: {{.*}}sm_7

#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
// expected-error@+1 {{'func.func' op breaks the rule 'threads': has no attribute 'tileas.cta', expected the warps of its CTA}}
func.func @no_warps() {
  return
}

// -----

#x = #tileas.layout<"{register: (0,1) (0,2), lane: (0,4) (0,8) (1,0) (2,0) (4,0), warp: (8,0) (0,0)} -> 16x16">
func.func @no_lowering() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %a = arith.constant dense<1.0> : tensor<16x16xf32, #x>
  // expected-error@+1 {{'tileaa.mma' op breaks the rule 'legal-operation': has no lowering to the registers of a thread}}
  %0 = tileaa.mma %a, %a, %a : tensor<16x16xf32, #x>, tensor<16x16xf32, #x>, tensor<16x16xf32, #x>
  // expected-error@+1 {{'tensor.empty' op breaks the rule 'legal-operation': has no lowering to the registers of a thread}}
  %1 = tensor.empty() : tensor<16x16xf32, #x>
  return
}

// -----

func.func @no_layout() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // expected-error@+1 {{'tileaa.iota' op breaks the rule 'tile-layout': makes a tile without a layout, expected one from tileaa-to-tileas}}
  %0 = tileaa.iota : tensor<128xi32>
  return
}

// -----

#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
func.func @too_many_warps() attributes {tileas.cta = #tileas.cta<warps = 2>} {
  // expected-error@+1 {{'tileaa.iota' op breaks the rule 'tile-layout': makes a tile for 32 lanes of 4 warps, expected no more than 32 of 2}}
  %0 = tileaa.iota : tensor<128xi32, #x>
  return
}

// -----

#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 0} -> 128">
func.func @lost_elements() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  // expected-error@+1 {{'tileaa.iota' op breaks the rule 'tile-layout': makes a tile with elements that no thread holds}}
  %0 = tileaa.iota : tensor<128xi32, #x>
  return
}

// -----

// Every violation is reported.
#x = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#y = #tileas.layout<"{register:, lane: 4 8 16 32 64, warp: 1 2} -> 128">
func.func @unequal_layouts() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %x = tileaa.iota : tensor<128xi32, #x>
  %y = arith.constant dense<1> : tensor<128xi64, #y>
  %t = tileaa.make_token
  // expected-error@+1 {{'tileaa.store_ptr' op breaks the rule 'equal-layouts': has tiles of different layouts, expected one: each register is computed from those of the same number}}
  %u = tileaa.store_ptr %y, %x after %t : tensor<128xi64, #y>, tensor<128xi32, #x>,
  // expected-error@+1 {{'tileaa.load_ptr' op breaks the rule 'equal-layouts'}}
  %0, %v = tileaa.load_ptr %y after %u : tensor<128xi64, #y>, -> tensor<128xi32, #x>
  return
}

// -----

#rows = #tileas.layout<"{register: (0,1) (0,2), lane: (0,4) (0,8) (0,16) (1,0) (2,0), warp: (4,0) (8,0)} -> 16x32">
#other = #tileas.layout<"{register: (1,0) (2,0), lane: (4,0) (0,8) (0,16) (0,1) (0,2), warp: (0,4) (8,0)} -> 16x32">
#turned = #tileas.layout<"{register: (0,1) (0,2), lane: (0,4) (0,8) (1,0) (2,0) (4,0), warp: (8,0) (16,0)} -> 32x16">
#flat = #tileas.layout<"{register: 1 2, lane: 4 8 16 32 64, warp: 128 256} -> 512">
#wrong = #tileas.layout<"{register: 1 2, lane: 8 4 16 32 64, warp: 128 256} -> 512">
func.func @in_thread() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %c4 = arith.constant 4 : index
  %c0 = arith.constant 0 : index
  %x = arith.constant dense<1.0> : tensor<16x32xf32, #rows>
  %legal = tileaa.reshape %x : tensor<16x32xf32, #rows> -> tensor<512xf32, #flat>
  // expected-error@+1 {{'tileaa.reshape' op breaks the rule 'in-thread': has a result whose layout needs elements of other threads}}
  %0 = tileaa.reshape %x : tensor<16x32xf32, #rows> -> tensor<512xf32, #wrong>
  // expected-error@+1 {{'tileaa.permute' op breaks the rule 'in-thread': has a result whose layout needs elements of other threads}}
  %1 = tileaa.permute %x by [1, 0] : tensor<16x32xf32, #rows> -> tensor<32x16xf32, #turned>
  return
}

// -----

#x = #tileas.layout<"{register: 1 2, lane: 4 8 16 0 0} -> 32">
#lanes = #tileas.layout<"{register:, lane: 1 2 4 8 16} -> 32">
#half = #tileas.layout<"{register: 1, lane: 2 4 8 0 0} -> 16">
#one = #tileas.layout<"{register:, lane: 0 0 0 0 0} -> 1">
#both = #tileas.layout<"{register: 16, lane: 1 2 4 8 0} -> 32">
#half2 = #tileas.layout<"{register:, lane: 1 2 4 8 0} -> 16">
func.func @parts(%i: index) attributes {tileas.cta = #tileas.cta<warps = 1>} {
  %c16 = arith.constant 16 : index
  %x = arith.constant dense<1.0> : tensor<32xf32, #x>
  %h = arith.constant dense<1.0> : tensor<16xf32, #half2>
  %b = arith.constant dense<1.0> : tensor<32xf32, #both>
  %l0 = tileaa.extract %b[%c16] : tensor<32xf32, #both> -> tensor<16xf32, #half2>
  %l1 = tileaa.cat %h, %h along 0 : tensor<16xf32, #half2>, tensor<16xf32, #half2> -> tensor<32xf32, #both>
  %l2 = tileaa.insert %h into %b[%c16] : tensor<16xf32, #half2>, tensor<32xf32, #both> -> tensor<32xf32, #both>
  // expected-error@+1 {{'tileaa.extract' op breaks the rule 'in-thread'}}
  %0 = tileaa.extract %b[%i] : tensor<32xf32, #both> -> tensor<16xf32, #half2>
  // expected-error@+1 {{'tileaa.cat' op breaks the rule 'in-thread'}}
  %1 = tileaa.cat %h, %h along 0 : tensor<16xf32, #half2>, tensor<16xf32, #half2> -> tensor<32xf32, #x>
  // expected-error@+1 {{'tileaa.insert' op breaks the rule 'in-thread'}}
  %2 = tileaa.insert %h into %x[%c16] : tensor<16xf32, #half2>, tensor<32xf32, #x> -> tensor<32xf32, #x>
  // expected-error@+1 {{'tileaa.broadcast' op breaks the rule 'in-thread'}}
  %3 = tileaa.broadcast %h : tensor<16xf32, #half2> -> tensor<16xf32, #half>
  return
}

// -----

#x = #tileas.layout<"{register: 64, lane: 1 2 4 8 16, warp: 32} -> 128">
#s = #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (0,8) (0,16) (0,32), warp: (1,0)} -> 2x64">
#wrong = #tileas.layout<"{register: (0,1), lane: (0,4) (0,2) (0,8) (0,16) (0,32), warp: (1,0)} -> 2x64">
func.func @split_warps() attributes {tileas.cta = #tileas.cta<warps = 2>} {
  %x = arith.constant dense<1.0> : tensor<128xf32, #x>
  %legal = tileas.split_warps %x along 0 : tensor<128xf32, #x> -> tensor<2x64xf32, #s>
  // expected-error@+1 {{'tileas.split_warps' op breaks the rule 'in-thread'}}
  %0 = tileas.split_warps %x along 0 : tensor<128xf32, #x> -> tensor<2x64xf32, #wrong>
  return
}

// -----

#warps = #tileas.layout<"{register:, lane: (0,1) (0,2) (0,4) (0,8) (0,16), warp: (1,0) (2,0)} -> 4x32">
#skewed = #tileas.layout<"{register: (0,1) (0,2), lane: (1,4) (0,4) (0,8) (0,16) (2,0)} -> 4x32">
#odd = #tileas.layout<"{register: (1,1) (0,1) (2,0), lane: (0,2) (0,4) (0,8) (0,16) (0,0)} -> 4x32">
#lanes = #tileas.layout<"{register:, lane: 1 2 4 8 16} -> 32">
#across = #tileas.layout<"{register: 16, lane: 1 2 4 8 0} -> 32">
func.func @reductions() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<1.0> : tensor<4x32xf32, #warps>
  %s = arith.constant dense<1.0> : tensor<4x32xf32, #skewed>
  %o = arith.constant dense<1.0> : tensor<4x32xf32, #odd>
  // expected-error@+1 {{'tileaa.reduce' op breaks the rule 'in-warp': combines elements of several warps}}
  %0 = tileaa.reduce %w from %zero along 0 {
  ^body(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tileaa.yield %c : f32
  } : (tensor<4x32xf32, #warps>, f32) -> tensor<32xf32, #lanes>
  // expected-error@+1 {{'tileaa.reduce' op breaks the rule 'in-warp': combines lanes that differ in more than the reduced dimension}}
  %1 = tileaa.reduce %s from %zero along 0 {
  ^body(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tileaa.yield %c : f32
  } : (tensor<4x32xf32, #skewed>, f32) -> tensor<32xf32, #lanes>
  // expected-error@+1 {{'tileaa.reduce' op breaks the rule 'in-warp': combines not all elements along the reduced dimension}}
  %2 = tileaa.reduce %o from %zero along 0 {
  ^body(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tileaa.yield %c : f32
  } : (tensor<4x32xf32, #odd>, f32) -> tensor<32xf32, #lanes>
  return
}

// -----

#x = #tileas.layout<"{register: (1,0) (2,0), lane: (0,1) (0,2) (0,4) (0,8) (0,16)} -> 4x32">
#lanes = #tileas.layout<"{register:, lane: 1 2 4 8 16} -> 32">
#across = #tileas.layout<"{register: 16, lane: 1 2 4 8 0} -> 32">
func.func @layout_of_reduction() attributes {tileas.cta = #tileas.cta<warps = 1>} {
  %zero = arith.constant 0.0 : f32
  %x = arith.constant dense<1.0> : tensor<4x32xf32, #x>
  %legal = tileaa.reduce %x from %zero along 0 {
  ^body(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tileaa.yield %c : f32
  } : (tensor<4x32xf32, #x>, f32) -> tensor<32xf32, #lanes>
  // expected-error@+1 {{'tileaa.reduce' op breaks the rule 'in-warp': has a result whose layout is not that of its source without the reduced dimension}}
  %0 = tileaa.reduce %x from %zero along 0 {
  ^body(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tileaa.yield %c : f32
  } : (tensor<4x32xf32, #x>, f32) -> tensor<32xf32, #across>
  return
}

// -----

#warps = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#lanes = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 0 0} -> 32">
func.func @scans() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %w = arith.constant dense<1.0> : tensor<128xf32, #warps>
  %x = arith.constant dense<1.0> : tensor<32xf32, #lanes>
  %zero = arith.constant 0.0 : f32
  // expected-error@+1 {{'tileaa.scan' op breaks the rule 'in-warp': scans elements of which a warp does not hold all, bit by bit}}
  %0 = tileaa.scan %w from %zero along 0 {
  ^body(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tileaa.yield %c : f32
  } : (tensor<128xf32, #warps>, f32) -> tensor<128xf32, #warps>
  // expected-error@+1 {{'tileaa.scan' op breaks the rule 'in-warp': is an exclusive scan of elements of several threads}}
  %1 = tileaa.scan %x from %zero along 0 exclusive {
  ^body(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tileaa.yield %c : f32
  } : (tensor<32xf32, #lanes>, f32) -> tensor<32xf32, #lanes>
  return
}

// -----

#rows = #tileas.layout<"{register:, lane: 1 2 4 8 16, warp: 32 64} -> 128">
#columns = #tileas.layout<"{register:, lane: 4 8 16 32 64, warp: 1 2} -> 128">
#lanes = #tileas.layout<"{register:, lane: 16 1 2 4 8, warp: 32 64} -> 128">
func.func @conversions() attributes {tileas.cta = #tileas.cta<warps = 4>} {
  %x = tileaa.iota : tensor<128xi32, #rows>
  %legal = tileas.convert_layout %x : tensor<128xi32, #rows> -> tensor<128xi32, #lanes>
  // expected-error@+1 {{'tileas.convert_layout' op breaks the rule 'in-warp': moves elements between warps, expected buffers from tileas-materialize-convert-layout}}
  %0 = tileas.convert_layout %x : tensor<128xi32, #rows> -> tensor<128xi32, #columns>
  return
}

// -----

#part = #tileas.layout<"{register:, lane: (0,1) (0,2) (0,4) (0,8) (0,0)} -> 1x16">
#swizzled = #tileas.layout<"{offset: (0,1) (0,2) (0,4) (0,8) (1,1) (2,2)} -> 4x16">
func.func @part_of_buffer(%i: index) attributes {tileas.cta = #tileas.cta<warps = 1, shared_bytes = 256>} {
  %c0 = arith.constant 0 : index
  %b = tileas.alloc at 0 : <4x16xf32, #swizzled>
  // expected-error@+1 {{'tileas.read' op breaks the rule 'read-part': reads a part of a buffer that is not stored row by row}}
  %0 = tileas.read %b[%i, %c0] : <4x16xf32, #swizzled> -> tensor<1x16xf32, #part>
  return
}

// -----

func.func @atomics(%p: i64, %x: i16, %y: f32) attributes {tileas.cta = #tileas.cta<warps = 1>} {
  // expected-error@+1 {{'tileaa.atomic_rmw' op breaks the rule 'atomic': combines elements of 16 bits by 'addi', which no instruction does: expected a loop of tileaa.atomic_cas}}
  %0, %t = tileaa.atomic_rmw addi relaxed %p, %x : i64, i16,
  // expected-error@+1 {{'tileaa.atomic_rmw' op breaks the rule 'atomic': combines elements of 32 bits by 'maximumf'}}
  %1, %u = tileaa.atomic_rmw maximumf relaxed %p, %y : i64, f32,
  %2, %v = tileaa.atomic_rmw addf relaxed %p, %y : i64, f32,
  return
}
