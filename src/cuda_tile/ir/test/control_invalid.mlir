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

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    %t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
    // expected-error @below {{'cuda_tile.for' op cannot have a view as carried value 0, got '!cuda_tile.tensor_view<4xf32, strides=[1]>'}}
    %0 = for %a in (%i to %i, step %i) : tile<i32> iter_values(%b = %t) -> (tensor_view<4xf32, strides=[1]>) {
      continue %b : tensor_view<4xf32, strides=[1]>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    %t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
    // expected-error @below {{'cuda_tile.loop' op cannot have a view as carried value 1, got '!cuda_tile.tensor_view<4xf32, strides=[1]>'}}
    loop iter_values(%a = %x, %b = %t) : tile<f32>, tensor_view<4xf32, strides=[1]> {
      break
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    %t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
    // expected-error @below {{'cuda_tile.loop' op cannot have a view as result 0, got '!cuda_tile.tensor_view<4xf32, strides=[1]>'}}
    %0 = loop : tensor_view<4xf32, strides=[1]> {
      break %t : tensor_view<4xf32, strides=[1]>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    %t = make_tensor_view %p, shape = [4], strides = [1] : tensor_view<4xf32, strides=[1]>
    // expected-error @below {{'cuda_tile.if' op cannot have a view as result 0, got '!cuda_tile.tensor_view<4xf32, strides=[1]>'}}
    %0 = if %m -> (tensor_view<4xf32, strides=[1]>) {
      yield %t : tensor_view<4xf32, strides=[1]>
    } else {
      yield %t : tensor_view<4xf32, strides=[1]>
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.if' op expected each region to end in yield, continue, break or return}}
    "cuda_tile.if"(%m) ({
      "llvm.unreachable"() : () -> ()
    }, {
    }) : (!cuda_tile.tile<i1>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    for %a in (%i to %i, step %i) : tile<i32> {
      if %m {
        // expected-error @below {{'cuda_tile.return' op expected to be in an entry, with only if and loop between; a for cannot be left}}
        return
      }
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.loop' op expected body arguments of types ('!cuda_tile.tile<f32>'), got ('!cuda_tile.tile<i32>')}}
    "cuda_tile.loop"(%x) ({
    ^bb0(%a: !cuda_tile.tile<i32>):
      "cuda_tile.break"() : () -> ()
    }) : (!cuda_tile.tile<f32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.yield' op expects parent op to be one of 'cuda_tile.if, cuda_tile.reduce, cuda_tile.scan'}}
    yield
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    %l = constant <i64: 1> : tile<i64>
    // expected-error @below {{'cuda_tile.for' op failed to verify that all of {lowerBound, upperBound, step} have same type}}
    "cuda_tile.for"(%i, %i, %l) ({
    ^bb0(%a: !cuda_tile.tile<i32>):
      "cuda_tile.continue"() : () -> ()
    }) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>, !cuda_tile.tile<i64>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.if' op operand #0 must be tile<i1>, but got '!cuda_tile.tile<i32>'}}
    "cuda_tile.if"(%i) ({
      "cuda_tile.yield"() : () -> ()
    }, {
    }) : (!cuda_tile.tile<i32>) -> ()
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    // expected-error @below {{'cuda_tile.for' op operand #0 must be a rank-0 tile of integers, but got '!cuda_tile.tile<f32>'}}
    for %a in (%x to %x, step %x) : tile<f32> {
    }
    return
  }
}

// -----

cuda_tile.module @m {
  entry @k(%p: tile<ptr<f32>>, %i: tile<i32>, %m: tile<i1>, %x: tile<f32>) {
    %v = arith.constant 1 : i32
    // expected-error @below {{'cuda_tile.loop' op operand #0 must be variadic of a Tile IR type, but got 'i32'}}
    loop iter_values(%a = %v) : i32 {
      break
    }
    return
  }
}
