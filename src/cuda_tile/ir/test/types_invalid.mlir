// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected tile extents to be powers of two, got 3}}
func.func private @extent(!cuda_tile.tile<3xf32>)

// -----

// expected-error @below {{expected a tile of at most 16777216 elements, got more}}
func.func private @size(!cuda_tile.tile<8192x8192xf32>)

// -----

// expected-error @below {{expected tile elements to be integers, floats or pointers, got 'index'}}
func.func private @element(!cuda_tile.tile<4xindex>)

// -----

// expected-error @below {{expected an even number of f4E2M1FN elements, got 1}}
func.func private @sub_byte(!cuda_tile.tile<f4E2M1FN>)

// -----

// expected-error @below {{expected a pointer to a number other than i4, got '!cuda_tile.ptr<f32>'}}
func.func private @pointee(!cuda_tile.ptr<ptr<f32>>)

// -----

// expected-error @below {{expected one stride per dimension, got 1 strides for rank 2}}
func.func private @strides(!cuda_tile.tensor_view<4x4xf32, strides=[1]>)

// -----

// expected-error @below {{expected tensor strides to be positive or '?', got 0}}
func.func private @stride(!cuda_tile.tensor_view<4x4xf32, strides=[0,1]>)

// -----

// expected-error @below {{expected tensor elements to be numbers other than i4, got '!cuda_tile.ptr<f32>'}}
func.func private @tensor(!cuda_tile.tensor_view<4xptr<f32>, strides=[1]>)

// -----

// expected-error @below {{expected the tile to have the rank of the tensor view, got 1 and 2}}
func.func private @rank(!cuda_tile.partition_view<tile=(4), tensor_view<4x4xf32, strides=[4,1]>>)

// -----

// expected-error @below {{expected dim_map to be a permutation of 0 to 1, got [0, 0]}}
func.func private @dim_map(!cuda_tile.partition_view<tile=(4x4), tensor_view<4x4xf32, strides=[4,1]>, dim_map=[0, 0]>)

// -----

// expected-error @below {{expected padding_value = zero for integer elements, got nan}}
func.func private @padding(!cuda_tile.partition_view<tile=(4), padding_value = nan, tensor_view<4xi32, strides=[1]>>)

// -----

// expected-error @below {{expected traversal strides to be positive, got 0}}
func.func private @traversal(!cuda_tile.strided_view<tile=(4), traversal_strides=[0], tensor_view<4xf32, strides=[1]>>)

// -----

// expected-error @below {{expected one traversal stride per tile dimension, got 2 for rank 1}}
func.func private @traversals(!cuda_tile.strided_view<tile=(4), traversal_strides=[1,1], tensor_view<4xf32, strides=[1]>>)

// -----

// expected-error @below {{expected sparse_dim to be a dimension of rank 1, got 1}}
func.func private @sparse(!cuda_tile.gather_scatter_view<tile=(4), tensor_view<4xf32, strides=[1]>, sparse_dim=1>)

// -----

// expected-error @below {{expected a tensor_view, got '!cuda_tile.tile<f32>'}}
func.func private @source(!cuda_tile.partition_view<tile=(4), tile<f32>>)

// -----

cuda_tile.module @m {
  // expected-error @below {{expected a type, got 'matrix'}}
  entry @k(%a: matrix<f32>) {
    return
  }
}

// -----

// expected-error @below {{expected a tile of at most 16777216 elements, got more}}
func.func private @overflow(!cuda_tile.tile<4x4611686018427387904xf32>)

// -----

// expected-error @below {{expected a pointer to a number other than i4, got 'i4'}}
func.func private @pointee_i4(!cuda_tile.ptr<i4>)

// -----

// expected-error @below {{expected pointers to f4E2M1FN in tiles of rank 0, got rank 1; use a view of the tensor}}
func.func private @f4_pointers(!cuda_tile.tile<4xptr<f4E2M1FN>>)

// -----

// expected-error @below {{expected a stride to be positive or '?', got -9223372036854775808}}
func.func private @dynamic(!cuda_tile.tensor_view<4xf32, strides=[-9223372036854775808]>)

// -----

// expected-error @below {{expected tile extents of at most 16777216, got 4294967300}}
func.func private @wide(!cuda_tile.partition_view<tile=(4294967300), tensor_view<4xf32, strides=[1]>>)

// -----

// expected-error @below {{expected a tile of rank 1 or more}}
func.func private @scalar_tile(!cuda_tile.partition_view<tile=(), tensor_view<f32>>)

// -----

// expected-error @below {{expected tensor extents to be positive or '?', got 0}}
func.func private @empty(!cuda_tile.tensor_view<0xf32, strides=[1]>)

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected the 8 bits of '!cuda_tile.fnv8E5M3FNU'}}
    %0 = constant <fnv8E5M3FNU: 300> : tile<2xfnv8E5M3FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{expected integer value}}
    %0 = constant <fnv8E5M3FNU: -2.0> : tile<2xfnv8E5M3FNU>
    return
  }
}
