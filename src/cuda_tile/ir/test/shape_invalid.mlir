// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{'cuda_tile.iota' op expected a tile of rank 1, got '!cuda_tile.tile<2x2xi32>'}}
    %0 = iota : tile<2x2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{'cuda_tile.iota' op expected at most 256 elements of 'i8', got 512}}
    %0 = iota : tile<512xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.broadcast' op expected tiles of one rank, got '!cuda_tile.tile<f32>' and '!cuda_tile.tile<4xf32>'; reshape first}}
    %0 = broadcast %x : tile<f32> -> tile<4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = iota : tile<2xi32>
    // expected-error @below {{'cuda_tile.broadcast' op expected extent 1 or 4 in dimension 0, got 2}}
    %0 = broadcast %c : tile<2xi32> -> tile<4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = iota : tile<2xi32>
    // expected-error @below {{'cuda_tile.reshape' op expected as many elements as in the source, 2, got 4}}
    %0 = reshape %c : tile<2xi32> -> tile<2x2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <i32: 0> : tile<2x4xi32>
    // expected-error @below {{'cuda_tile.permute' op expected a permutation of the 2 dimensions, got [1, 1]}}
    %0 = permute %c [1, 1] : tile<2x4xi32> -> tile<4x2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <i32: 0> : tile<2x4xi32>
    // expected-error @below {{'cuda_tile.permute' op expected the result to be '!cuda_tile.tile<4x2xi32>', got '!cuda_tile.tile<2x4xi32>'}}
    %0 = permute %c [1, 0] : tile<2x4xi32> -> tile<2x4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <i32: 0> : tile<2x4xi32>
    // expected-error @below {{'cuda_tile.cat' op expected a dimension of tiles of one rank, got dimension 2 of '!cuda_tile.tile<2x4xi32>' and '!cuda_tile.tile<2x4xi32>'}}
    %0 = cat %c, %c dim = 2 : tile<2x4xi32>, tile<2x4xi32> -> tile<4x4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <i32: 0> : tile<2x4xi32>
    %d = constant <i32: 0> : tile<2x2xi32>
    // expected-error @below {{'cuda_tile.cat' op expected equal extents outside of dimension 0, got '!cuda_tile.tile<2x4xi32>' and '!cuda_tile.tile<2x2xi32>'}}
    %0 = cat %c, %d dim = 0 : tile<2x4xi32>, tile<2x2xi32> -> tile<4x4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <i32: 0> : tile<2x4xi32>
    // expected-error @below {{'cuda_tile.cat' op expected the result to have 4 elements along dimension 0, got '!cuda_tile.tile<2x4xi32>'}}
    %0 = cat %c, %c dim = 0 : tile<2x4xi32>, tile<2x4xi32> -> tile<2x4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    %c = constant <i32: 0> : tile<2x4xi32>
    // expected-error @below {{'cuda_tile.extract' op expected a sub-tile that divides '!cuda_tile.tile<2x4xi32>', got '!cuda_tile.tile<4x4xi32>'}}
    %0 = extract %c[%i, %i] : tile<2x4xi32> -> tile<4x4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    %c = constant <i32: 0> : tile<2x4xi32>
    // expected-error @below {{'cuda_tile.extract' op expected an index per dimension, 2, got 1}}
    %0 = extract %c[%i] : tile<2x4xi32> -> tile<1x4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    %c = constant <i32: 0> : tile<2x4xi32>
    // expected-error @below {{'cuda_tile.insert' op expected a sub-tile of the rank and elements of '!cuda_tile.tile<2x4xi32>', got '!cuda_tile.tile<i32>'}}
    %0 = insert %i, %c[%i, %i] : tile<i32>, tile<2x4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{'cuda_tile.constant' op result #0 must be a tile of numbers other than i4, but got '!cuda_tile.tile<2xi4>'}}
    %0 = constant <i4: 1> : tile<2xi4>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected elements in lists of shape [4], got [2]}}
    %0 = constant <i32: [1, 2]> : tile<4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected a tile of 'i32', got '!cuda_tile.tile<4xi8>'}}
    %0 = constant <i32: 1> : tile<4xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected an integer of 8 bits}}
    %0 = constant <i8: 300> : tile<i8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected the bytes of '!cuda_tile.tile<4xi8>' in hex after 0x}}
    %0 = constant <i8: "0x010203"> : tile<4xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%b: tile<i1>) {
    %c = constant <f4E2M1FN: 0.0> : tile<4xf4E2M1FN>
    %m = constant <i1: 1> : tile<4xi1>
    // expected-error @below {{'cuda_tile.select' op cannot select elements of 'f4E2M1FN'; convert them to a wider float first}}
    %0 = select %m, %c, %c : tile<4xi1>, tile<4xf4E2M1FN>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = iota : tile<4xi32>
    // expected-error @below {{'cuda_tile.permute' op expected a source of rank 2 or more, got '!cuda_tile.tile<4xi32>'}}
    %0 = permute %c [0] : tile<4xi32> -> tile<4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{'cuda_tile.constant' op expected a value of the type of the result, got '!cuda_tile.tile<4xi32>' and '!cuda_tile.tile<4xi64>'}}
    %0 = "cuda_tile.constant"() {value = dense<0> : !cuda_tile.tile<4xi32>} : () -> !cuda_tile.tile<4xi64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected elements in lists of shape [2, 2], got [4]}}
    %0 = constant <i32: [1, 2, 3, 4]> : tile<2x2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected a list of 2 as the ones before, got 1}}
    %0 = constant <i32: [[1, 2], [3]]> : tile<2x2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected a number, got a list}}
    %0 = constant <i32: [1, [2]]> : tile<2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected a list, got a number}}
    %0 = constant <i32: [[1], 2]> : tile<2x1xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected lists nested at most 256 deep}}
    %0 = constant <i32: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{custom op 'cuda_tile.constant' expected elements of a builtin type, got '!cuda_tile.ptr<f32>'}}
    %0 = constant <ptr<f32>: 0> : tile<ptr<f32>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%l: tile<i64>) {
    %c = iota : tile<4xi32>
    // expected-error @below {{'cuda_tile.extract' op operand #1 must be variadic of tile<i32>, but got '!cuda_tile.tile<i64>'}}
    %0 = "cuda_tile.extract"(%c, %l) : (!cuda_tile.tile<4xi32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<2xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.reshape' op requires the same element type for all operands and results}}
    %0 = reshape %x : tile<f32> -> tile<1xi32>
    return
  }
}
