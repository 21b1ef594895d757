// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k() {
    %a = make_token : token
    // expected-error @below {{'cuda_tile.join_tokens' op expected two or more tokens, got 1}}
    %b = join_tokens %a : token
    return
  }
}
