// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k() {
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{'cuda_tile.reduce' op expected dim to be a dimension of '!cuda_tile.tile<4x8xf32>', got 2}}
    %0 = reduce %c dim=2 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{'cuda_tile.reduce' op expected a result of '!cuda_tile.tile<8xf32>', got '!cuda_tile.tile<4xf32>'}}
    %0 = reduce %c dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<4xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{'cuda_tile.reduce' op expected a result and an identity per operand, 1, got 1 and 2}}
    %0 = reduce %c dim=0 identities=[0.0 : f32, 0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{'cuda_tile.scan' op expected an identity of 'f32', got 0 : i32}}
    %0 = scan %c dim=0 reverse=false identities=[0 : i32] : tile<4x8xf32> -> tile<4x8xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %s = addf %a, %b : tile<f32>
      yield %s : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <f32: 0.0> : tile<4x8xf32>
    %d = iota : tile<8xi32>
    // expected-error @below {{'cuda_tile.reduce' op expected operands of one shape, got '!cuda_tile.tile<4x8xf32>' and '!cuda_tile.tile<8xi32>'}}
    %0:2 = reduce %c, %d dim=0 identities=[0.0 : f32, 0 : i32] : tile<4x8xf32>, tile<8xi32> -> tile<8xf32>, tile<i32>
    (%a: tile<f32>, %b: tile<f32>, %i: tile<i32>, %j: tile<i32>) {
      yield %a, %i : tile<f32>, tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{'cuda_tile.reduce' op expected two rank-0 arguments per operand in the body}}
    %0 = reduce %c dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
    (%a: tile<f32>) {
      yield %a : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{'cuda_tile.reduce' op expected the body to yield a rank-0 tile per operand}}
    %0 = reduce %c dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      yield
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%m: tile<i1>) {
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{'cuda_tile.reduce' op expected a body without effects}}
    %0 = reduce %c dim=0 identities=[0.0 : f32] : tile<4x8xf32> -> tile<8xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      // expected-note @below {{this has one}}
      assert %m, "no" : tile<i1>
      yield %a : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    // expected-error @below {{'cuda_tile.reduce' op expected one operand or more}}
    "cuda_tile.reduce"() ({
      "cuda_tile.yield"() : () -> ()
    }) {dim = 0 : i32, identities = []} : () -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <f32: 0.0> : tile<4x8xf32>
    // expected-error @below {{custom op 'cuda_tile.scan' expected reverse=true or reverse=false}}
    %0 = scan %c dim=0 reverse=yes identities=[0.0 : f32] : tile<4x8xf32> -> tile<4x8xf32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k() {
    %c = constant <fnv8E5M3FNU: 1.0> : tile<8xfnv8E5M3FNU>
    // expected-error @below {{expected a number without a sign of '!cuda_tile.fnv8E5M3FNU'}}
    %0 = reduce %c dim=0 identities=[-1.0 : !cuda_tile.fnv8E5M3FNU] : tile<8xfnv8E5M3FNU> -> tile<fnv8E5M3FNU>
    return
  }
}
