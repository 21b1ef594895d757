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

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %i: tile<i32>, %l: tile<i64>) {
    // expected-error @below {{'cuda_tile.atomic_cas_tko' op expected cmp, val and result of one type, got '!cuda_tile.tile<i32>', '!cuda_tile.tile<i64>' and '!cuda_tile.tile<i32>'}}
    %0, %1 = "cuda_tile.atomic_cas_tko"(%p, %i, %l) {memory_ordering_semantics = #cuda_tile.memory_ordering_semantics<relaxed>, memory_scope = #cuda_tile.memory_scope<device>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (!cuda_tile.tile<ptr<i32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> (!cuda_tile.tile<i32>, !cuda_tile.token)
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %g = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    %c = constant <f32: 0.0> : tile<4x8xf32>
    %n = iota : tile<4xi32>
    // expected-error @below {{'cuda_tile.atomic_red_view_tko' op expected a partition or strided view, got '!cuda_tile.gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>'; use atomic_rmw_tko on pointers}}
    %0 = atomic_red_view_tko relaxed device %g[%n, %i], addf, %c : tile<4x8xf32>, gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<4xi32>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %i: tile<i32>) {
    // expected-error @below {{custom op 'cuda_tile.atomic_cas_tko' expected pointers, two values and an optional mask}}
    %0, %1 = atomic_cas_tko relaxed device %p, %i : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %i: tile<i32>) {
    // expected-error @below {{custom op 'cuda_tile.atomic_rmw_tko' expected pointers, a value and an optional mask}}
    %0, %1 = atomic_rmw_tko relaxed device %p, add : tile<ptr<i32>> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tile<ptr<f32, <multicast>>> -> tensor_view<64x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>
    %g = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>, sparse_dim=0>
    %n = iota : tile<4xi32>
    // expected-error @below {{'cuda_tile.multimem_load_reduce_view_tko' op expected a partition view, got '!cuda_tile.gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>, sparse_dim=0>'}}
    %0, %1 = multimem_load_reduce_view_tko relaxed sys %g[%n, %i] attributes {reduction = #cuda_tile.multimem_reduction_kind<add>} : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1], #cuda_tile.ptr_attr<multicast>>, sparse_dim=0>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i8, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<i8, <multicast>>> -> tensor_view<64xi8, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xi8, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %c = constant <i8: 0> : tile<4xi8>
    // expected-error @below {{'cuda_tile.multimem_store_view_tko' op expected elements of i32, i64, f16, bf16, f32 or f64, got 'i8'}}
    %0 = multimem_store_view_tko relaxed sys %v, %c[%i] : partition_view<tile=(4), tensor_view<64xi8, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xi8>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    // expected-error @below {{'cuda_tile.multimem_load_reduce_view_tko' op cannot reduce elements of 'f32' by min}}
    %0, %1 = multimem_load_reduce_view_tko relaxed sys %v[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<min>} : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f16, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f16, <multicast>>> -> tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %c = constant <f16: 0.0> : tile<4xf16>
    // expected-error @below {{'cuda_tile.multimem_reduce_view_tko' op cannot reduce elements of 'f16' by max}}
    %0 = multimem_reduce_view_tko relaxed sys %v, %c[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<max>} : partition_view<tile=(4), tensor_view<64xf16, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<4xf16>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    %c = constant <f32: 0.0> : tile<4xf32>
    // expected-error @below {{custom op 'cuda_tile.multimem_store_view_tko' expected the types of view, tile and indices}}
    %0 = multimem_store_view_tko relaxed sys %v, %c[%i] : tile<4xf32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tensor_view<64xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    // expected-error @below {{'cuda_tile.multimem_load_reduce_view_tko' op expected a view of multicast memory, got '!cuda_tile.partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>'}}
    %0, %1 = multimem_load_reduce_view_tko relaxed sys %v[%i] attributes {reduction = #cuda_tile.multimem_reduction_kind<add>} : partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>, tile<i32> -> tile<4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32, <multicast>>>, %i: tile<i32>) {
    %t = make_tensor_view %p, shape = [64], strides = [1] : tile<ptr<f32, <multicast>>> -> tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>
    %v = make_partition_view %t : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>
    // expected-error @below {{custom op 'cuda_tile.multimem_load_reduce_view_tko' expected 'reduction' to be a multimem_reduction_kind, got 3 : i64}}
    %0, %1 = multimem_load_reduce_view_tko relaxed sys %v[%i] attributes {reduction = 3} : partition_view<tile=(4), tensor_view<64xf32, strides=[1], #cuda_tile.ptr_attr<multicast>>>, tile<i32> -> tile<4xf32>, token
    return
  }
}
