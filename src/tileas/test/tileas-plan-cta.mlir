// How many warps run a block: one for 128 elements of its largest tile, and more for larger ones.
// RUN: tilewright-opt %s --tileas-plan-cta | FileCheck %s

// CHECK: func.func @small({{.*}}tileas.cta = #tileas.cta<warps = 1>
func.func @small(%x: tensor<64xf32>) -> tensor<64xf32> attributes {tileaa.kernel} {
  %y = arith.addf %x, %x : tensor<64xf32>
  return %y : tensor<64xf32>
}

// CHECK: func.func @large({{.*}}tileas.cta = #tileas.cta<warps = 16>
func.func @large(%x: tensor<128x128xf32>) -> tensor<128x128xf32> attributes {tileaa.kernel} {
  %y = arith.addf %x, %x : tensor<128x128xf32>
  return %y : tensor<128x128xf32>
}

// Threads that wait for no other have more elements each than those of reductions.
// CHECK: func.func @elements({{.*}}tileas.cta = #tileas.cta<warps = 4>
func.func @elements(%x: tensor<4096xf32>) -> tensor<4096xf32> attributes {tileaa.kernel} {
  %y = arith.addf %x, %x : tensor<4096xf32>
  return %y : tensor<4096xf32>
}
// CHECK: func.func @sum({{.*}}tileas.cta = #tileas.cta<warps = 8>
func.func @sum(%x: tensor<4096xf32>) -> f32 attributes {tileaa.kernel} {
  %zero = arith.constant 0.0 : f32
  %z = arith.addf %x, %x : tensor<4096xf32>
  %y = tileaa.reduce %z from %zero along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tileaa.yield %c : f32
  } : (tensor<4096xf32>, f32) -> f32
  return %y : f32
}

// A hint is kept where it is a power of two.
// CHECK: func.func @asked({{.*}}tileas.cta = #tileas.cta<warps = 4>
func.func @asked(%x: tensor<128x128xf32>) -> tensor<128x128xf32> attributes {tileaa.kernel, tileaa.hints = #tileaa.hints<{default = {num_worker_warps_per_cta = 4 : i32}}>} {
  %y = arith.addf %x, %x : tensor<128x128xf32>
  return %y : tensor<128x128xf32>
}

// Thousands of elements for each thread of one warp are more than it has registers for: the hint is declined.
// CHECK: func.func @too_few({{.*}}tileas.cta = #tileas.cta<warps = 32>
func.func @too_few(%x: tensor<256x512xf32>) -> tensor<256x512xf32> attributes {tileaa.kernel, tileaa.hints = #tileaa.hints<{default = {num_worker_warps_per_cta = 1 : i32}}>} {
  %y = arith.addf %x, %x : tensor<256x512xf32>
  return %y : tensor<256x512xf32>
}

// As many as there are registers are kept.
// CHECK: func.func @just_enough({{.*}}tileas.cta = #tileas.cta<warps = 4>
func.func @just_enough(%x: tensor<128x256xf32>) -> tensor<128x256xf32> attributes {tileaa.kernel, tileaa.hints = #tileaa.hints<{default = {num_worker_warps_per_cta = 4 : i32}}>} {
  %y = arith.addf %x, %x : tensor<128x256xf32>
  return %y : tensor<128x256xf32>
}
