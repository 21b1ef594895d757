// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'cuda_tile.entry' op expected to be in a cuda_tile.module}}
cuda_tile.entry @outside() {
  return
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op expected parameter 1 to be a rank-0 tile, got '!cuda_tile.tile<4xf32>'}}
  entry @k(%a: tile<i32>, %b: tile<4xf32>) {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op expected hint 'num_cta_in_cga' to be a power of two from 1 to 16, got 3}}
  entry @k() optimization_hints=<default = {num_cta_in_cga = 3}> {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op expected no results, got 1}}
  "cuda_tile.entry"() ({
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = () -> !cuda_tile.tile<i32>} : () -> ()
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.make_token' op expected only entries and globals in a module}}
  %0 = make_token : token
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.global' op expected a value of rank 1, got '!cuda_tile.tile<f32>'}}
  global @g <f32: 1.0> : tile<f32>
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.global' op expected the alignment to be a power of two, got 3}}
  global @g alignment = 3 <f32: 1.0> : tile<4xf32>
}

// -----

cuda_tile.module @m {
  global @g <f32: 1.0> : tile<4xf32>
  entry @k() {
    // expected-error @below {{'cuda_tile.get_global' op expected a pointer to 'f32', got one to 'i32'}}
    %0 = get_global @g : tile<ptr<i32>>
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op expected hint 'num_cta_in_cga' to be 1 for sm_89, which has no clusters, got 2}}
  entry @k() optimization_hints=<sm_89 = {num_cta_in_cga = 2}> {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op expected hint 'occupancy' to be from 1 to 32, got 33}}
  entry @k() optimization_hints=<sm_100 = {occupancy = 33}> {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op expected hint 'num_worker_warps_per_cta' to be a power of two from 1 to 32, got 6}}
  entry @k() optimization_hints=<sm_90 = {num_worker_warps_per_cta = 6}> {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op has no hint 'latency'}}
  entry @k() optimization_hints=<sm_90 = {latency = 6}> {
    return
  }
}

// -----

cuda_tile.module @m {
  // expected-error @below {{'cuda_tile.entry' op type of entry block argument #0('!cuda_tile.tile<i64>') must match the type of the corresponding argument in function signature('!cuda_tile.tile<i32>')}}
  "cuda_tile.entry"() ({
  ^bb0(%a: !cuda_tile.tile<i64>):
    "cuda_tile.return"() : () -> ()
  }) {sym_name = "k", function_type = (!cuda_tile.tile<i32>) -> ()} : () -> ()
}

// -----

cuda_tile.module @m {
  // expected-note @below {{see existing symbol definition here}}
  global @g <f32: 1.0> : tile<4xf32>
  // expected-error @below {{redefinition of symbol named 'g'}}
  entry @g() {
    return
  }
}
