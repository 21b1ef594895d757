// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.print_tko' op expected a conversion like %d or %f after the '%' at position 3 of the format}}
    %0 = print_tko "%d %", %i : tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.print_tko' op expected an argument per conversion of the format, 2, got 1}}
    %0 = print_tko "%d%% of %5.2f", %i : tile<i32> -> token
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>) {
    // expected-error @below {{'cuda_tile.assert' op operand #0 must be a tile of i1, but got '!cuda_tile.tile<i32>'}}
    assert %i, "no" : tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %t = make_token : token
    // expected-error @below {{'cuda_tile.print_tko' op operand #0 must be variadic of a tile, but got '!cuda_tile.token'}}
    %0 = print_tko "%d", %t : token -> token
    return
  }
}
