// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_TRANSFORMS_PASSES
#define TILEWRIGHT_TILEAS_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TileasPlanCta : Pass<"tileas-plan-cta", "::mlir::func::FuncOp"> {
  let summary = "decides how many warps run a block";
  let description = [{
    Gives the function `tileas.warps`, a power of two: as many as leave a thread 16 to 32 elements of the largest tile, 4 at
    least for tiles of some size and 8 at most where that leaves no more than 128; a hint `num_worker_warps_per_cta` is kept where
    it is a power of two of at most 32, and a remark says so where it is not.
  }];
}

def TileasLegalizeReduce : Pass<"tileas-legalize-reduce", "::mlir::func::FuncOp"> {
  let summary = "reductions end within a warp";
  let description = [{
    A `tileaa.reduce` whose dimension several warps share becomes two: each warp reduces its part, the partial results
    change their layout to one where every warp has them all, and are reduced again. See `tileas.split_warps` for an
    example. Other reductions stay.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasMaterializeConvertLayout : Pass<"tileas-materialize-convert-layout", "::mlir::func::FuncOp"> {
  let summary = "conversions between warps go through buffers";
  let description = [{
    A `tileas.convert_layout` for which registers and shuffles do not suffice, or are dearer, becomes a write to a new
    buffer and a read from it; the buffer's layout is that of `layout::planConversion`, with the fewest bank conflicts.
    The others stay, for tileas-to-nvvm.

    ```
    %y = tileas.convert_layout %x   -->   %b = tileas.alloc : !tileas.buffer<...>
                                          tileas.write %x, %b
                                          %y = tileas.read %b
    ```
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasLegalizeElementwise : Pass<"tileas-legalize-elementwise", "::mlir::func::FuncOp"> {
  let summary = "elementwise work as what the architecture has instructions for";
  let description = [{
    Functions become arithmetic (tileaa/transforms/functions), conversions and roundings that the architecture lacks
    become work on bits, as by tileaa-legalize-elementwise. What it has stays: `tileaa.float` of f32 and f64 by any
    rounding or with `flush`, `tileaa.convert` of floats of eight bits on sm_89 and newer, and `tanh`, `sqrt` and
    division that may be rough (`afn`); nvidia-scalar-instructions writes those. An `exp` that may be rough becomes
    `tileaa.float exp2` with `flush`.

    Types keep their layouts. At this level each operation is still one, and not one per register.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif
