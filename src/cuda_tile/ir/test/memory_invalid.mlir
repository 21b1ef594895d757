// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected ordering weak, relaxed or acquire, got release}}
    %0, %1 = load_view_tko release device %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected no scope with weak ordering, got sys}}
    %0, %1 = load_view_tko weak sys %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected a scope with acquire ordering: tl_blk, device or sys}}
    %0, %1 = load_view_tko acquire %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected 2 indices, one per dimension of the view, got 1}}
    %0, %1 = load_view_tko weak %v[%i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected scalar indices of one type, got '!cuda_tile.tile<i32>' and '!cuda_tile.tile<i64>'}}
    %0, %1 = load_view_tko weak %v[%i, %l] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32>, tile<i64> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    %c = iota : tile<4xi32>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected index 0 to be '!cuda_tile.tile<i32>', got '!cuda_tile.tile<4xi32>'}}
    %0, %1 = load_view_tko weak %v[%c, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<4xi32>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %g = make_gather_scatter_view %t : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected index 0 to be '!cuda_tile.tile<4xi32>', got '!cuda_tile.tile<i32>'}}
    %0, %1 = load_view_tko weak %g[%i, %i] : gather_scatter_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>, sparse_dim=0>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected the tile of the view, '!cuda_tile.tile<4x8xf32>', got '!cuda_tile.tile<8x4xf32>'}}
    %0, %1 = load_view_tko weak %v[%i, %i] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<8x4xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected inbounds to be empty or to have 2 values, got 1}}
    %0, %1 = load_view_tko weak %v[%i, %i] inbounds = [true] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op has no hint 'speed'}}
    %0, %1 = load_view_tko weak %v[%i, %i] optimization_hints = <default = {speed = 1}> : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected hint 'latency' to be from 1 to 10, got 11}}
    %0, %1 = load_view_tko weak %v[%i, %i] optimization_hints = <default = {latency = 11}> : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected true or false for hint 'allow_tma', got 1 : i32}}
    %0, %1 = load_view_tko weak %v[%i, %i] optimization_hints = <default = {allow_tma = 1}> : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected hints for 'default' or a known architecture, got 'sm_70'}}
    %0, %1 = load_view_tko weak %v[%i, %i] optimization_hints = <sm_70 = {}> : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{'cuda_tile.store_view_tko' op expected ordering weak, relaxed or release, got acquire}}
    %0 = store_view_tko acquire device %c, %v[%i, %i] : tile<4x8xf32>, partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    // expected-error @below {{'cuda_tile.load_ptr_tko' op expected the result to be '!cuda_tile.tile<f32>', got '!cuda_tile.tile<i32>'}}
    %0, %1 = load_ptr_tko weak %p : tile<ptr<f32>> -> tile<i32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    // expected-error @below {{'cuda_tile.load_ptr_tko' op expected a padding value of the type of the result, got '!cuda_tile.tile<i32>' and '!cuda_tile.tile<f32>'}}
    %0, %1 = load_ptr_tko weak %p, %m, %i : tile<ptr<f32>>, tile<i1>, tile<i32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    %c = constant <i1: true> : tile<4xi1>
    // expected-error @below {{'cuda_tile.store_ptr_tko' op expected the mask to have the shape of the pointers, got '!cuda_tile.tile<4xi1>' and '!cuda_tile.tile<ptr<f32>>'}}
    %0 = store_ptr_tko weak %p, %x, %c : tile<ptr<f32>>, tile<f32>, tile<4xi1> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %x: tile<f32>, %m: tile<i1>, %l: tile<i64>) {
    // expected-error @below {{'cuda_tile.store_ptr_tko' op expected the value to be '!cuda_tile.tile<f32>', got '!cuda_tile.tile<i32>'}}
    %0 = store_ptr_tko weak %p, %i : tile<ptr<f32>>, tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{'cuda_tile.alloca' op expected a number of elements of 0 or more, got -1}}
    %0 = alloca num_elem = -1, alignment = 4 : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{'cuda_tile.alloca' op expected the alignment to be a power of two, got 3}}
    %0 = alloca num_elem = 4, alignment = 3 : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{'cuda_tile.get_global' op expected the name of a global, got @nowhere}}
    %0 = get_global @nowhere : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %m: tile<i1>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.alloca' op expected an alignment of at least 4, the size of 'f32', got 2}}
    %0 = alloca num_elem = 4, alignment = 2 : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %m: tile<i1>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.alloca' op expected the alignment to be a power of two, got -9223372036854775808}}
    %0 = alloca num_elem = 4, alignment = -9223372036854775808 : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %m: tile<i1>, %x: tile<f32>) {
    // expected-error @below {{custom op 'cuda_tile.load_ptr_tko' expected pointers, an optional mask and an optional padding value}}
    %0, %1 = load_ptr_tko weak %p, %m, %x, %x : tile<ptr<f32>>, tile<i1>, tile<f32>, tile<f32> -> tile<f32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %m: tile<i1>, %x: tile<f32>) {
    // expected-error @below {{custom op 'cuda_tile.store_ptr_tko' expected pointers, a value and an optional mask}}
    %0 = store_ptr_tko weak %p : tile<ptr<f32>> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %m: tile<i1>, %x: tile<f32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{custom op 'cuda_tile.store_view_tko' expected the type of the view}}
    %0 = store_view_tko weak %x, %v[%i, %i] : tile<f32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %m: tile<i1>, %x: tile<f32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op expected an i32 for hint 'latency', got true}}
    %0, %1 = load_view_tko weak %v[%i, %i] optimization_hints = <default = {latency = true}> : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %m: tile<i1>, %x: tile<f32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>
    // expected-error @below {{'cuda_tile.load_view_tko' op operand #1 must be variadic of a tile of integers of rank 0 or 1, but got '!cuda_tile.tile<f32>'}}
    %0, %1 = load_view_tko weak %v[%x, %x] : partition_view<tile=(4x8), tensor_view<64x64xf32, strides=[64,1]>>, tile<f32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %m: tile<i1>, %x: tile<f32>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    // expected-error @below {{'cuda_tile.load_view_tko' op operand #0 must be a partition, strided or gather/scatter view, but got '!cuda_tile.tensor_view<64x64xf32, strides=[64,1]>'}}
    %0, %1 = load_view_tko weak %t[%i, %i] : tensor_view<64x64xf32, strides=[64,1]>, tile<i32> -> tile<4x8xf32>, token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>, %m: tile<i1>, %x: tile<f32>) {
    %c = iota : tile<4xi32>
    // expected-error @below {{'cuda_tile.offset' op requires the same shape for all operands and results}}
    %0 = offset %p, %c : tile<ptr<f32>>, tile<4xi32> -> tile<ptr<f32>>
    return
  }
}
