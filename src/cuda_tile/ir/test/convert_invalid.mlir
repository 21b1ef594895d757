// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.exti' op expected a result wider than 'i32', got 'i16'}}
    %0 = exti %i signed : tile<i32> -> tile<i16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.trunci' op expected a result narrower than 'i32', got 'i64'}}
    %0 = trunci %i : tile<i32> -> tile<i64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.ftof' op expected another element type, got 'f32' twice}}
    %0 = ftof %x : tile<f32> -> tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.ftof' op expected rounding nearest_even or zero, got negative_inf}}
    %0 = ftof %x rounding<negative_inf> : tile<f32> -> tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.ftof' op expected rounding zero or positive_inf, got nearest_even}}
    %0 = ftof %x : tile<f32> -> tile<f8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.ftof' op expected rounding nearest_even, got zero}}
    %0 = ftof %x rounding<zero> : tile<f32> -> tile<f8E4M3FN>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.ftoi' op expected rounding nearest_int_to_zero, got zero}}
    %0 = ftoi %x signed rounding<zero> : tile<f32> -> tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.itof' op expected rounding nearest_even, got zero}}
    %0 = itof %i signed rounding<zero> : tile<i32> -> tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.bitcast' op expected elements of one width, got 'i32' of 32 bits and 'f16' of 16}}
    %0 = bitcast %i : tile<i32> -> tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.pack' op expected tiles of rank 1, got '!cuda_tile.tile<i32>' and '!cuda_tile.tile<4xi8>'}}
    %0 = pack %i : tile<i32> -> tile<4xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <i8: 0> : tile<8xi8>
    // expected-error @below {{'cuda_tile.unpack' op expected 16 bytes for '!cuda_tile.tile<4xf32>', got 8}}
    %0 = unpack %c : tile<8xi8> -> tile<4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.itof' op cannot convert integers to 'f8E8M0FNU'; convert them to another float first}}
    %0 = itof %i signed : tile<i32> -> tile<f8E8M0FNU>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<tf32>) {
    // expected-error @below {{'cuda_tile.bitcast' op expected elements of one width, got 'tf32' of 19 bits and 'f32' of 32}}
    %0 = bitcast %x : tile<tf32> -> tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%b: tile<i4>) {
    // expected-error @below {{'cuda_tile.bitcast' op operand #0 must be a tile of numbers other than i4, but got '!cuda_tile.tile<i4>'}}
    %0 = bitcast %b : tile<i4> -> tile<i4>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <f8E5M2: 0.0> : tile<8xf8E5M2>
    // expected-error @below {{'cuda_tile.pack' op expected elements of other than 8 bits, got 'f8E5M2'; use bitcast}}
    %0 = pack %c : tile<8xf8E5M2> -> tile<8xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <i1: 1> : tile<4xi1>
    // expected-error @below {{'cuda_tile.pack' op expected elements that fill whole bytes, got 4 bits of '!cuda_tile.tile<4xi1>'}}
    %0 = pack %c : tile<4xi1> -> tile<1xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f64>) {
    // expected-error @below {{'cuda_tile.ftof' op expected rounding nearest_even, zero, negative_inf or positive_inf, got nearest_away}}
    %0 = ftof %x rounding<nearest_away> : tile<f64> -> tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.ftof' op expected rounding nearest_even, zero or nearest_away, got positive_inf}}
    %0 = ftof %x rounding<positive_inf> : tile<f32> -> tile<tf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f16>) {
    // expected-error @below {{'cuda_tile.ftof' op expected rounding nearest_even, zero, negative_inf, positive_inf or nearest_away, got approx}}
    %0 = ftof %x rounding<approx> : tile<f16> -> tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f8E8M0FNU>) {
    // expected-error @below {{'cuda_tile.ftof' op expected rounding nearest_even or zero, got positive_inf}}
    %0 = ftof %x rounding<positive_inf> : tile<f8E8M0FNU> -> tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<fnv8E5M3FNU>) {
    // expected-error @below {{'cuda_tile.ftof' op expected rounding nearest_even or zero, got nearest_away}}
    %0 = ftof %x rounding<nearest_away> : tile<fnv8E5M3FNU> -> tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.ftoi' op operand #0 must be a tile of floats, but got '!cuda_tile.tile<i32>'}}
    %0 = ftoi %i signed : tile<i32> -> tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.exti' op operand #0 must be a tile of i1, i4, i8, i16, i32 or i64, but got '!cuda_tile.tile<f32>'}}
    %0 = exti %x signed : tile<f32> -> tile<i64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %p: tile<ptr<i8>>) {
    // expected-error @below {{'cuda_tile.int_to_ptr' op operand #0 must be a tile of i64, but got '!cuda_tile.tile<i32>'}}
    %0 = int_to_ptr %i : tile<i32> -> tile<ptr<i8>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%l: tile<i64>) {
    // expected-error @below {{'cuda_tile.ptr_to_ptr' op operand #0 must be a tile of pointers, but got '!cuda_tile.tile<i64>'}}
    %0 = ptr_to_ptr %l : tile<i64> -> tile<ptr<i8>>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <i32: 0> : tile<4xi32>
    // expected-error @below {{'cuda_tile.unpack' op operand #0 must be a tile of i8, but got '!cuda_tile.tile<4xi32>'}}
    %0 = unpack %c : tile<4xi32> -> tile<8xi16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<i8>>) {
    // expected-error @below {{'cuda_tile.pack' op operand #0 must be a tile of integers or floats, but got '!cuda_tile.tile<ptr<i8>>'}}
    %0 = pack %p : tile<ptr<i8>> -> tile<8xi8>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.bitcast' op requires the same shape for all operands and results}}
    %0 = bitcast %x : tile<f32> -> tile<1xi32>
    return
  }
}
