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
    // expected-error @below {{'cuda_tile.bitcast' op expected elements of one width, got 'i32' and 'f16'}}
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
