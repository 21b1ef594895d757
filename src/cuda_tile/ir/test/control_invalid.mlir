// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    // expected-error @below {{'cuda_tile.for' op expected results of types ('!cuda_tile.tile<f32>'), got ('!cuda_tile.tile<i32>')}}
    %0 = "cuda_tile.for"(%i, %i, %i, %x) ({
    ^bb0(%a: !cuda_tile.tile<i32>, %b: !cuda_tile.tile<f32>):
      "cuda_tile.continue"(%b) : (!cuda_tile.tile<f32>) -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<f32>) -> !cuda_tile.tile<i32>
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    // expected-error @below {{'cuda_tile.for' op expected body arguments of types ('!cuda_tile.tile<i32>'), got ()}}
    "cuda_tile.for"(%i, %i, %i) ({
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    %0 = for %a in (%i to %i, step %i) : tile<i32> iter_values(%b = %x) -> (tile<f32>) {
      // expected-error @below {{'cuda_tile.continue' op expected values of types ('!cuda_tile.tile<f32>'), got ('!cuda_tile.tile<i32>')}}
      continue %a : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    for %a in (%i to %i, step %i) : tile<i32> {
      if %m {
        // expected-error @below {{'cuda_tile.break' op expected to be in a loop; a for cannot be left}}
        break
      }
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    if %m {
      // expected-error @below {{'cuda_tile.continue' op expected to be in a for or loop}}
      continue
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    %0 = loop : tile<i32> {
      // expected-error @below {{'cuda_tile.break' op expected values of types ('!cuda_tile.tile<i32>'), got ('!cuda_tile.tile<f32>')}}
      break %x : tile<f32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    // expected-error @below {{'cuda_tile.if' op expected an else region, as there are results}}
    %0 = if %m -> (tile<i32>) {
      yield %i : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    %0 = if %m -> (tile<i32>) {
      // expected-error @below {{'cuda_tile.yield' op expected values of types ('!cuda_tile.tile<i32>'), got ('!cuda_tile.tile<f32>')}}
      yield %x : tile<f32>
    } else {
      yield %i : tile<i32>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    // expected-error @below {{'cuda_tile.loop' op expected the body to end in continue, break or return}}
    "cuda_tile.loop"() ({
      "llvm.unreachable"() : () -> ()
    }) : () -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%i: tile<i32>, %x: tile<f32>, %m: tile<i1>) {
    if %m {
      // expected-error @below {{'cuda_tile.return' op expected no values, as a kernel has no results, got 1}}
      return %i : tile<i32>
    }
    return
  }
}
