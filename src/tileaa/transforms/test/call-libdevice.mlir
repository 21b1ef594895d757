// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: tilewright-opt %s --call-libdevice=path=/there/libdevice.10.bc --verify-each | FileCheck %s
// RUN: tilewright-opt %s --call-libdevice="path=/there/libdevice.10.bc exact-only" --verify-each 2>&1 | FileCheck %s --check-prefix=EXACT

// CHECK: module attributes {tileaa.libdevice = "/there/libdevice.10.bc"}
// CHECK-DAG: func.func private @__nv_sinf(f32) -> f32
// CHECK-DAG: func.func private @__nv_powf(f32, f32) -> f32

// EXACT: remark: keeps the bits of this compiler: __nv_powf needs an instruction that only GPUs have
// EXACT-NOT: remark

// CHECK-LABEL: func.func @scalars
// CHECK: call @__nv_sinf(%{{.*}}) : (f32) -> f32
// CHECK: call @__nv_powf(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
// EXACT-LABEL: func.func @scalars
// EXACT: call @__nv_sinf
// EXACT: math.powf
// EXACT: math.powf
func.func @scalars(%x: f32, %y: f32) -> (f32, f32, f32) {
  %s = math.sin %x : f32
  %p = math.powf %x, %y : f32
  // One function is remarked on once.
  %q = math.powf %y, %x : f32
  return %s, %p, %q : f32, f32, f32
}

// A call for each element.
// CHECK-LABEL: func.func @vectors
// CHECK: %[[FLAT:.*]] = vector.shape_cast %{{.*}} : vector<2x2xf32> to vector<4xf32>
// CHECK: %[[FIRST:.*]] = vector.extract %[[FLAT]][0]
// CHECK: %[[LOG:.*]] = call @__nv_logf(%[[FIRST]])
// CHECK: vector.insert %[[LOG]], %{{.*}} [0]
// CHECK-COUNT-3: call @__nv_logf
// CHECK: vector.shape_cast %{{.*}} : vector<4xf32> to vector<2x2xf32>
func.func @vectors(%x: vector<2x2xf32>) -> vector<2x2xf32> {
  %y = math.log %x : vector<2x2xf32>
  return %y : vector<2x2xf32>
}

// Other types, what may be rough, and functions that the library computes as everybody does.
// CHECK-LABEL: func.func @others
// CHECK-NOT: call
// CHECK: return
func.func @others(%x: f64, %y: f32, %z: f16) -> (f64, f32, f16, f32) {
  %a = math.sin %x : f64
  %b = math.tanh %y fastmath<afn> : f32
  %c = math.cos %z : f16
  %d = math.sqrt %y : f32
  return %a, %b, %c, %d : f64, f32, f16, f32
}
