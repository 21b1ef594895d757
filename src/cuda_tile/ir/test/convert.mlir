// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

cuda_tile.module @convert {
  // CHECK-LABEL: entry @numbers
  entry @numbers(%i: tile<i32>, %x: tile<f32>) {
    // CHECK: exti %arg0 signed : tile<i32> -> tile<i64>
    %wide = exti %i signed : tile<i32> -> tile<i64>
    // CHECK: trunci %arg0 overflow<no_signed_wrap> : tile<i32> -> tile<i8>
    %narrow = trunci %i overflow<no_signed_wrap> : tile<i32> -> tile<i8>
    // CHECK: ftof %arg1 rounding<nearest_away> : tile<f32> -> tile<tf32>
    %tf32 = ftof %x rounding<nearest_away> : tile<f32> -> tile<tf32>
    // CHECK: ftof %arg1 rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
    %scale = ftof %x rounding<zero> : tile<f32> -> tile<f8E8M0FNU>
    // CHECK: ftof %arg1  : tile<f32> -> tile<fnv8E5M3FNU>
    %e5m3 = ftof %x : tile<f32> -> tile<fnv8E5M3FNU>
    // CHECK: ftoi %arg1 signed  saturating : tile<f32> -> tile<i32>
    %int = ftoi %x signed saturating : tile<f32> -> tile<i32>
    // CHECK: itof %arg0 unsigned  : tile<i32> -> tile<f16>
    %float = itof %i unsigned : tile<i32> -> tile<f16>
    // CHECK: bitcast %arg1 : tile<f32> -> tile<i32>
    %bits = bitcast %x : tile<f32> -> tile<i32>
    return
  }
  // CHECK-LABEL: entry @addresses
  entry @addresses(%p: tile<ptr<f32>>) {
    // CHECK: %[[A:.*]] = ptr_to_int %arg0 : tile<ptr<f32>> -> tile<i64>
    %a = ptr_to_int %p : tile<ptr<f32>> -> tile<i64>
    // CHECK: int_to_ptr %[[A]] : tile<i64> -> tile<ptr<i8>>
    %q = int_to_ptr %a : tile<i64> -> tile<ptr<i8>>
    // CHECK: ptr_to_ptr %arg0 : tile<ptr<f32>> -> tile<ptr<i32>>
    %r = ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i32>>
    return
  }
  // Sub-byte elements fill bytes from the low bits.
  // CHECK-LABEL: entry @bytes
  entry @bytes() {
    %c = constant <f32: 0.5> : tile<8xf32>
    // CHECK: %[[B:.*]] = pack %{{.*}} : tile<8xf32> -> tile<32xi8>
    %b = pack %c : tile<8xf32> -> tile<32xi8>
    // CHECK: unpack %[[B]] : tile<32xi8> -> tile<64xf4E2M1FN>
    %u = unpack %b : tile<32xi8> -> tile<64xf4E2M1FN>
    return
  }
}
