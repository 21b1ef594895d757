// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %f: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>) {
    // expected-error @below {{custom op 'cuda_tile.atomic_rmw_tko' expected a scope after the ordering: tl_blk, device or sys}}
    %0, %1 = atomic_rmw_tko relaxed %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %f: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.atomic_rmw_tko' op expected ordering relaxed, acquire, release or acq_rel, got weak}}
    %0, %1 = atomic_rmw_tko weak device %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %f: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.atomic_rmw_tko' op cannot apply addf to elements of 'i32'}}
    %0, %1 = atomic_rmw_tko relaxed device %p, addf, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %f: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.atomic_rmw_tko' op cannot apply max to elements of 'f32'}}
    %0, %1 = atomic_rmw_tko relaxed device %f, max, %x : tile<ptr<f32>>, tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %f: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.atomic_rmw_tko' op expected argument and result of one type, got '!cuda_tile.tile<i32>' and '!cuda_tile.tile<f32>'}}
    %0, %1 = atomic_rmw_tko relaxed device %p, add, %i : tile<ptr<i32>>, tile<i32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i8>>, %b: tile<i8>) {
    // expected-error @below {{'cuda_tile.atomic_cas_tko' op expected elements of i32, i64, f32 or f64, got 'i8'}}
    %0, %1 = atomic_cas_tko relaxed device %p, %b, %b : tile<ptr<i8>>, tile<i8> -> tile<i8>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %f: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>) {
    %c = constant <f32: 0.0> : tile<8xf32>
    %t = make_tensor_view %f, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{'cuda_tile.atomic_red_view_tko' op expected scope tl_blk or device, got sys}}
    %0 = atomic_red_view_tko relaxed sys %v[%i], addf, %c : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %f: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>) {
    %c = constant <f32: 0.0> : tile<8xf32>
    %t = make_tensor_view %f, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{'cuda_tile.atomic_red_view_tko' op cannot reduce by xchg}}
    %0 = atomic_red_view_tko relaxed device %v[%i], xchg, %c : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %f: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>) {
    %c = constant <f32: 0.0> : tile<8xf32>
    %t = make_tensor_view %f, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{'cuda_tile.atomic_red_view_tko' op expected ordering relaxed, got acquire}}
    %0 = atomic_red_view_tko acquire device %v[%i], addf, %c : tile<8xf32>, partition_view<tile=(8), tensor_view<64xf32, strides=[1]>>, tile<i32> -> token
    return
  }
}
