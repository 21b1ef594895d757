// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected the divisor to be a power of two of at most 2^62, got 6}}
module attributes {test.a = #cuda_tile.div_by<6>} {}

// -----

// expected-error @below {{expected 'every' and 'along' to be 0 or more, got 4 and -1}}
module attributes {test.a = #cuda_tile.div_by<4, every 4 along -1>} {}

// -----

// expected-error @below {{expected lower bound <= upper bound, got 2 and 1}}
module attributes {test.a = #cuda_tile.bounded<2, 1>} {}

// -----

// expected-error @below {{expected each architecture once, got 'sm_90' again}}
module attributes {test.a = #cuda_tile.optimization_hints<sm_90 = {}, sm_90 = {}>} {}

// -----

// expected-error @below {{expected the divisor to be a power of two of at most 2^62, got 9223372036854775808}}
module attributes {test.a = #cuda_tile.div_by<9223372036854775808>} {}

// -----

// expected-error @below {{expected group sizes of 0 or more, got -1}}
module attributes {test.a = #cuda_tile.same_elements<[4, -1]>} {}
