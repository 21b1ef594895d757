// An error in text points at the token that is wrong.
// RUN: not tilewright-opt %s -split-input-file 2>&1 | FileCheck %s --strict-whitespace

cuda_tile.module @m {
  entry @k(%a: matrix<f32>) {
    return
  }
}
// CHECK: error: custom op 'cuda_tile.entry' expected a type, got 'matrix'
// CHECK-NEXT:{{^}}  entry @k(%a: matrix<f32>) {
// CHECK-NEXT:{{^}}               ^

// -----

func.func private @view(!cuda_tile.partition_view<tile=(4294967300), tensor_view<4xf32, strides=[1]>>)
// CHECK: error: expected tile extents of at most 16777216, got 4294967300
// CHECK-NEXT:{{^}}func.func private @view(!cuda_tile.partition_view<tile=(4294967300), tensor_view<4xf32, strides=[1]>>)
// CHECK-NEXT:{{^}}                                                        ^

// -----

func.func private @stride(!cuda_tile.tensor_view<4x4xf32, strides=[4,-9223372036854775808]>)
// CHECK: error: expected a stride to be positive or '?', got -9223372036854775808
// CHECK-NEXT:{{^}}func.func private @stride(!cuda_tile.tensor_view<4x4xf32, strides=[4,-9223372036854775808]>)
// CHECK-NEXT:{{^}}                                                                     ^

// -----

cuda_tile.module @m {
  entry @k() {
    %0 = constant <i8: [1, 300]> : tile<2xi8>
    return
  }
}
// CHECK: error: custom op 'cuda_tile.constant' expected an integer of 8 bits
// CHECK-NEXT:{{^}}    %0 = constant <i8: [1, 300]> : tile<2xi8>
// CHECK-NEXT:{{^}}                           ^

// -----

cuda_tile.module @m {
  entry @k() {
    %0 = constant <i8: [1, 2]> : tile<2xi16>
    return
  }
}
// CHECK: error: custom op 'cuda_tile.constant' expected a tile of 'i8', got '!cuda_tile.tile<2xi16>'
// CHECK-NEXT:{{^}}    %0 = constant <i8: [1, 2]> : tile<2xi16>
// CHECK-NEXT:{{^}}                                 ^

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    %0 = addf %x, %x rounding<up> : tile<f32>
    return
  }
}
// CHECK: error: custom op 'cuda_tile.addf' expected one of [nearest_even, zero, negative_inf, positive_inf, approx, full, nearest_int_to_zero, nearest_away] for rounding of an inexact result, got: up
// CHECK-NEXT:{{^}}    %0 = addf %x, %x rounding<up> : tile<f32>
// CHECK-NEXT:{{^}}                              ^

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %i: tile<i32>) {
    %0, %1 = atomic_rmw_tko relaxed %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
// CHECK: error: custom op 'cuda_tile.atomic_rmw_tko' expected a scope after the ordering: tl_blk, device or sys
// CHECK-NEXT:{{^}}    %0, %1 = atomic_rmw_tko relaxed %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
// CHECK-NEXT:{{^}}                                    ^

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<8xf32, strides=[1]>
    return
  }
}
// CHECK: error: custom op 'cuda_tile.make_tensor_view' expected shape and strides to be those of '!cuda_tile.tensor_view<8xf32, strides=[1]>'
// CHECK-NEXT:{{^}}    %t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<8xf32, strides=[1]>
// CHECK-NEXT:{{^}}                                                           ^

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    %0 = assume even, %i : tile<i32>
    return
  }
}
// CHECK: error: custom op 'cuda_tile.assume' expected div_by, bounded or same_elements, got 'even'
// CHECK-NEXT:{{^}}    %0 = assume even, %i : tile<i32>
// CHECK-NEXT:{{^}}                ^

// -----

cuda_tile.module @m {
  entry @k() optimization_hints=<sm_90 = {}, sm_90 = {}> {
    return
  }
}
// CHECK: error: custom op 'cuda_tile.entry' expected each architecture once, got 'sm_90' again
// CHECK-NEXT:{{^}}  entry @k() optimization_hints=<sm_90 = {}, sm_90 = {}> {
// CHECK-NEXT:{{^}}                                             ^
