// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.addf' op expected rounding nearest_even, zero, negative_inf or positive_inf, got approx}}
    %0 = addf %x, %x rounding<approx> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%h: tile<f16>) {
    // expected-error @below {{'cuda_tile.mulf' op expected f32 elements with flush_to_zero, got 'f16'}}
    %0 = mulf %h, %h flush_to_zero : tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%h: tile<f16>) {
    // expected-error @below {{'cuda_tile.divf' op expected f32 elements with rounding full, got 'f16'}}
    %0 = divf %h, %h rounding<full> : tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%h: tile<f16>) {
    // expected-error @below {{'cuda_tile.maxf' op expected f32 elements with flush_to_zero, got 'f16'}}
    %0 = maxf %h, %h flush_to_zero : tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.sqrt' op expected rounding nearest_even, zero, negative_inf, positive_inf or approx, got full}}
    %0 = sqrt %x rounding<full> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.exp' op expected rounding approx or full, got zero}}
    %0 = exp %x rounding<zero> : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%h: tile<f16>) {
    // expected-error @below {{'cuda_tile.tanh' op expected f32 elements with rounding approx, got 'f16'}}
    %0 = tanh %h rounding<approx> : tile<f16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>, %l: tile<i64>) {
    // expected-error @below {{'cuda_tile.fpowi' op expected an exponent of at most 32 bits, got 'i64'}}
    %0 = fpowi %x, %l : tile<f32>, tile<i64>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%t: tile<tf32>) {
    // expected-error @below {{'cuda_tile.negf' op operand #0 must be a tile of f16, bf16, f32 or f64, but got '!cuda_tile.tile<tf32>'}}
    %0 = negf %t : tile<tf32>
    return
  }
}
