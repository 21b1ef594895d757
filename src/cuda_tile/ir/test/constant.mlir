// RUN: tilewright-opt %s | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// Names say the value where it is short; more than 100 elements print as hex.
cuda_tile.module @constant {
  // CHECK-LABEL: entry @names
  entry @names() {
    // CHECK: %true = constant <i1: true> : tile<4xi1>
    %0 = constant <i1: true> : tile<4xi1>
    // CHECK: %cst_-7_i8 = constant <i8: -7> : tile<i8>
    %1 = constant <i8: -7> : tile<i8>
    // CHECK: %cst_2_f32 = constant <f32: 2.000000e+00> : tile<2x2xf32>
    %2 = constant <f32: 2.0> : tile<2x2xf32>
    // CHECK: %cst_f16 = constant <f16: 0xFC00> : tile<f16>
    %3 = constant <f16: 0xFC00> : tile<f16>
    // CHECK: %cst_2_fnv8E5M3FNU = constant <fnv8E5M3FNU: 2.000000e+00> : tile<fnv8E5M3FNU>
    %5 = constant <fnv8E5M3FNU: 2.0> : tile<fnv8E5M3FNU>
    // CHECK: %cst_NaN_f32 = constant <f32: 0x7FC00000> : tile<f32>
    %4 = constant <f32: 0x7FC00000> : tile<f32>
    return
  }
  // CHECK-LABEL: entry @lists
  entry @lists() {
    // CHECK: constant <i16: {{\[\[}}1, -2], [3, 4]]> : tile<2x2xi16>
    %0 = constant <i16: [[1, -2], [3, 4]]> : tile<2x2xi16>
    // CHECK: constant <i1: [true, false]> : tile<2xi1>
    %1 = constant <i1: [true, false]> : tile<2xi1>
    // CHECK: constant <f8E4M3FN: [1.000000e+00, -2.500000e-01]> : tile<2xf8E4M3FN>
    %2 = constant <f8E4M3FN: [1.0, -0.25]> : tile<2xf8E4M3FN>
    // CHECK: constant <i8: "0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F{{.*}}"> : tile<128xi8>
    %3 = constant <i8: "0x000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"> : tile<128xi8>
    return
  }
}
