// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k() {
    %a = constant <f16: 0.0> : tile<4x8xf16>
    %b = constant <bf16: 0.0> : tile<8x4xbf16>
    %c = constant <f32: 0.0> : tile<4x4xf32>
    // expected-error @below {{'cuda_tile.mmaf' op expected lhs and rhs of one element type, got 'f16' and 'bf16'}}
    %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<8x4xbf16>, tile<4x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %a = constant <bf16: 0.0> : tile<4x8xbf16>
    %b = constant <bf16: 0.0> : tile<8x4xbf16>
    %c = constant <f16: 0.0> : tile<4x4xf16>
    // expected-error @below {{'cuda_tile.mmaf' op cannot accumulate products of 'bf16' in 'f16'}}
    %0 = mmaf %a, %b, %c : tile<4x8xbf16>, tile<8x4xbf16>, tile<4x4xf16>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %a = constant <f16: 0.0> : tile<4x8xf16>
    %b = constant <f16: 0.0> : tile<4x8xf16>
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{'cuda_tile.mmaf' op expected shapes MxK, KxN and MxN, got '!cuda_tile.tile<4x8xf16>', '!cuda_tile.tile<4x8xf16>' and '!cuda_tile.tile<4x8xf32>'}}
    %0 = mmaf %a, %b, %c : tile<4x8xf16>, tile<4x8xf16>, tile<4x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %a = constant <f16: 0.0> : tile<4xf16>
    %b = constant <f16: 0.0> : tile<4xf16>
    %c = constant <f32: 0.0> : tile<4xf32>
    // expected-error @below {{'cuda_tile.mmaf' op expected three tiles of rank 2 or 3, got '!cuda_tile.tile<4xf16>', '!cuda_tile.tile<4xf16>' and '!cuda_tile.tile<4xf32>'}}
    %0 = mmaf %a, %b, %c : tile<4xf16>, tile<4xf16>, tile<4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %a = constant <f16: 0.0> : tile<2x4x4xf16>
    %b = constant <f16: 0.0> : tile<1x4x4xf16>
    %c = constant <f32: 0.0> : tile<2x4x4xf32>
    // expected-error @below {{'cuda_tile.mmaf' op expected one batch size, got 2, 1 and 2}}
    %0 = mmaf %a, %b, %c : tile<2x4x4xf16>, tile<1x4x4xf16>, tile<2x4x4xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %a = constant <i16: 0> : tile<4x4xi16>
    %b = constant <i16: 0> : tile<4x4xi16>
    %c = constant <i32: 0> : tile<4x4xi32>
    // expected-error @below {{'cuda_tile.mmai' op expected i8, i8 and i32 elements, got 'i16', 'i16' and 'i32'}}
    %0 = mmai %a, %b, %c signed signed : tile<4x4xi16>, tile<4x4xi16>, tile<4x4xi32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %a = constant <f8E4M3FN: 1.0> : tile<4x64xf8E4M3FN>
    %b = constant <f8E4M3FN: 1.0> : tile<64x4xf8E4M3FN>
    %c = constant <f32: 0.0> : tile<4x4xf32>
    %s = constant <f8E4M3FN: 1.0> : tile<4x2xf8E4M3FN>
    %r = constant <f8E4M3FN: 1.0> : tile<2x4xf8E4M3FN>
    // expected-error @below {{'cuda_tile.mmaf_scaled' op cannot multiply 'f8E4M3FN' and 'f8E4M3FN' scaled by 'f8E4M3FN' and 'f8E4M3FN' into 'f32'}}
    %0 = mmaf_scaled %a, %b, %c, %s, %r : tile<4x64xf8E4M3FN>, tile<64x4xf8E4M3FN>, tile<4x4xf32>, tile<4x2xf8E4M3FN>, tile<2x4xf8E4M3FN>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %a = constant <f8E5M2: 1.0> : tile<4x64xf8E5M2>
    %b = constant <f8E5M2: 1.0> : tile<64x4xf8E5M2>
    %c = constant <f32: 0.0> : tile<4x4xf32>
    %s = constant <f8E8M0FNU: 1.0> : tile<4x4xf8E8M0FNU>
    %r = constant <f8E8M0FNU: 1.0> : tile<4x4xf8E8M0FNU>
    // expected-error @below {{'cuda_tile.mmaf_scaled' op expected one scale per 32 elements along K, got '!cuda_tile.tile<4x4xf8E8M0FNU>' and '!cuda_tile.tile<4x4xf8E8M0FNU>' for K 64}}
    %0 = mmaf_scaled %a, %b, %c, %s, %r : tile<4x64xf8E5M2>, tile<64x4xf8E5M2>, tile<4x4xf32>, tile<4x4xf8E8M0FNU>, tile<4x4xf8E8M0FNU>
    return
  }
}
