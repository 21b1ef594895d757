// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{expected the divisor to be a power of two, got 6}}
module attributes {test.a = #cuda_tile.div_by<6>} {}

// -----

// expected-error @below {{expected a positive 'every' and a dimension after 'along'}}
module attributes {test.a = #cuda_tile.div_by<4, every 0 along 0>} {}

// -----

// expected-error @below {{expected lower bound <= upper bound, got 2 and 1}}
module attributes {test.a = #cuda_tile.bounded<2, 1>} {}

// -----

// expected-error @below {{expected each architecture once, got 'sm_90' again}}
module attributes {test.a = #cuda_tile.optimization_hints<sm_90 = {}, sm_90 = {}>} {}
