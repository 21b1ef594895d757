// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>) {
    // expected-error @below {{custom op 'cuda_tile.make_tensor_view' expected shape and strides to be those of '!cuda_tile.tensor_view<8xf32, strides=[1]>'}}
    %t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<8xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    // expected-error @below {{'cuda_tile.make_tensor_view' op expected a base that points to 'i32', got 'f32'}}
    %t = "cuda_tile.make_tensor_view"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<4xi32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    // expected-error @below {{'cuda_tile.make_tensor_view' op expected 1 dynamic extents and 0 dynamic strides, got 0 and 0}}
    %t = "cuda_tile.make_tensor_view"(%p) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!cuda_tile.tile<ptr<f32>>) -> !cuda_tile.tensor_view<?xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %l: tile<i64>) {
    // expected-error @below {{'cuda_tile.make_tensor_view' op expected dynamic extents and strides of one integer type}}
    %t = "cuda_tile.make_tensor_view"(%p, %i, %l) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!cuda_tile.tile<ptr<f32>>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tensor_view<?xf32, strides=[?]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32, <none>>>) {
    // expected-error @below {{'cuda_tile.make_tensor_view' op expected base and view of one kind of pointer, got '!cuda_tile.ptr<f32, <none>>' and '!cuda_tile.tensor_view<4xf32, strides=[1]>'}}
    %t = make_tensor_view %p, shape = [4], strides = [1] : tile<ptr<f32, <none>>> -> tensor_view<4xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    // expected-error @below {{'cuda_tile.get_tensor_shape' op expected a result per dimension, 2, got 1}}
    %s = "cuda_tile.get_tensor_shape"(%t) : (!cuda_tile.tensor_view<64x64xf32, strides=[64,1]>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    // expected-error @below {{custom op 'cuda_tile.make_tensor_view' expected the result to be a tensor_view, got '!cuda_tile.tile<f32>'}}
    %t = make_tensor_view %p, shape = [4], strides = [1] : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>) {
    // expected-error @below {{custom op 'cuda_tile.make_tensor_view' expected the type of the dynamic extents and strides}}
    %t = make_tensor_view %p, shape = [%i], strides = [1] : tensor_view<?xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %q = reshape %p : tile<ptr<f32>> -> tile<1xptr<f32>>
    // expected-error @below {{'cuda_tile.make_tensor_view' op operand #0 must be a rank-0 tile of pointers, but got '!cuda_tile.tile<1xptr<f32>>'}}
    %t = make_tensor_view %q, shape = [4], strides = [1] : tile<1xptr<f32>> -> tensor_view<4xf32, strides=[1]>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>) {
    %t = make_tensor_view %p, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    // expected-error @below {{'cuda_tile.make_partition_view' op failed to verify that the tensor view}}
    %v = "cuda_tile.make_partition_view"(%t) : (!cuda_tile.tensor_view<64x64xf32, strides=[64,1]>) -> !cuda_tile.partition_view<tile=(4), tensor_view<64xf32, strides=[1]>>
    return
  }
}
