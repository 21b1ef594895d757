// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.negi' op expected overflow none, no_signed_wrap or no_wrap, got no_unsigned_wrap}}
    %0 = negi %i overflow<no_unsigned_wrap> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.divi' op expected rounding zero, negative_inf or positive_inf, got approx}}
    %0 = divi %i, %i signed rounding<approx> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.divi' op expected rounding zero or positive_inf of unsigned integers, got negative_inf}}
    %0 = divi %i, %i unsigned rounding<negative_inf> : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%x: tile<f32>) {
    // expected-error @below {{'cuda_tile.addi' op operand #0 must be a tile of i1, i8, i16, i32 or i64, but got '!cuda_tile.tile<f32>'}}
    %0 = addi %x, %x : tile<f32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %l: tile<i64>) {
    // expected-error @below {{'cuda_tile.addi' op requires the same type for all operands and results}}
    %0 = "cuda_tile.addi"(%i, %l) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> !cuda_tile.tile<i32>
    return
  }
}
