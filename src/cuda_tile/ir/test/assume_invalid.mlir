// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.assume' op expected bounds of a tile of integers, got '!cuda_tile.tile<f32>'}}
    %0 = assume bounded<0, 1>, %x : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%b: tile<i8>) {
    // expected-error @below {{'cuda_tile.assume' op expected bounds that fit 'i8', got 200}}
    %0 = assume bounded<0, 200>, %b : tile<i8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.assume' op expected a group size per dimension of the tile, got 1 for '!cuda_tile.tile<i32>'}}
    %0 = assume same_elements<[4]>, %i : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.assume' op expected div_by of integers, pointers or a tensor view, got '!cuda_tile.tile<f32>'}}
    %0 = assume div_by<4>, %x : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.assume' op expected 'along' to be a dimension of the tile, got 0 for '!cuda_tile.tile<i32>'}}
    %0 = assume div_by<4, every 2 along 0>, %i : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{custom op 'cuda_tile.assume' expected div_by, bounded or same_elements, got 'even'}}
    %0 = assume even, %i : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <f32: 0.0> : tile<4xf32>
    // expected-error @below {{'cuda_tile.assume' op expected same_elements of integers or pointers, got '!cuda_tile.tile<4xf32>'}}
    %0 = assume same_elements<[4]>, %c : tile<4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = iota : tile<4xi32>
    // expected-error @below {{'cuda_tile.assume' op expected groups of at most 4 elements in dimension 0, got 8}}
    %0 = assume same_elements<[8]>, %c : tile<4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = iota : tile<4xi32>
    // expected-error @below {{'cuda_tile.assume' op expected 'every' to be at most the extent along dimension 0, 4, got 5}}
    %0 = assume div_by<4, every 5 along 0>, %c : tile<4xi32>
    return
  }
}
