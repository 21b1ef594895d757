// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_LEGALIZE_PASSES
#define TILEWRIGHT_TILEAS_LEGALIZE_PASSES

include "mlir/Pass/PassBase.td"

def TileasUnrollRegisterLoops : Pass<"tileas-unroll-register-loops", "::mlir::func::FuncOp"> {
  let summary = "loops over the parts of a tile that a thread has in registers";
  let description = [{
    Registers have no numbers that are computed. A loop of at most 16 iterations, as many as it says, that takes or puts the
    part of a tile which the iteration is for, is written out where each part is in registers of its own; else
    tileas-legalize-slices takes parts from shared memory and chooses each element to put.

    ```
    scf.for %i = 0 to 2 {                              %a = tileaa.extract %x[%c0, 0]
      %o = arith.muli %i, 8                      -->   "use"(%a)
      %p = tileaa.extract %x[%o, 0]                    %b = tileaa.extract %x[%c8, 0]
      "use"(%p)                                        "use"(%b)
    }
    ```
    Left alone: loops with other loops in them, or of more than 512 operations when written out, and those that load what
    they multiply, which is copied ahead in loops only.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
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

def TileasLegalizeScan : Pass<"tileas-legalize-scan", "::mlir::func::FuncOp"> {
  let summary = "scans end within a warp";
  let description = [{
    A `tileaa.scan` whose dimension several warps share, where the warp's number is the highest bits of the place along it,
    becomes pieces: each warp scans its own and reduces it to a total, every thread gets the totals of all warps and scans
    them exclusively (`tileas.exclusive`: each element gets what came before it), and what came before a warp's piece is
    combined with each of its elements. Where warps share the dimension otherwise, or a body does not work on each element
    alone, the tile gets a layout with whole lines in each warp, and the result the old one again.

    ```
    %s = tileaa.scan %x : 1024    -->    %p = tileaa.reshape %x : 4x256         // a row for each warp
                                         %i = tileaa.scan %p along 1
                                         %t = tileaa.reduce %p along 1          // the totals
                                         %b = tileaa.scan %t' along 0 {tileas.exclusive}
                                         %s = tileaa.reshape (%b' + %i)
    ```
    Postcondition: along the dimension of each scan, every bit of a place is one bit of the register or the lane.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasLegalizeSlices : Pass<"tileas-legalize-slices", "::mlir::func::FuncOp"> {
  let summary = "parts of tiles are taken and put where a thread has them";
  let description = [{
    - `tileaa.cat`: both tiles get one layout, and the result that layout with one more bit of the register between them.
    - `tileaa.insert`: the part gets the layout of the whole, as if it were repeated over it; each thread then chooses by
      the place of an element, wherever the part goes.
    - `tileaa.extract`: stays where offsets are known and a thread has its elements of all parts, in registers that only
      differ by the part. Otherwise the tile goes into a buffer, once for all of its parts, and the part is read from there.

    ```
    %y = tileaa.extract %x[%i, %c0]    -->    %b = tileas.alloc
                                              tileas.write %x, %b
                                              %y = tileas.read %b[%i, %c0]
    ```
    Offsets are multiples of the part's extents.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasLegalizeTmemCopy : Pass<"tileas-legalize-tmem-copy", "::mlir::func::FuncOp"> {
  let summary = "sums of products by tcgen05 are in tensor memory";
  let description = [{
    A product by the atom `tcgen05` gets tensor memory from the function's beginning to its end. One whose sums only the
    next iteration wants adds to them there, and the loop carries them no more; what was added to before is stored first,
    but zeros are not: the first product does not add. Who wants the sums loads them after the loop, or after the product.

    ```
    %r = scf.for %i = %0 to %n iter_args(%s = %zeros) {      %t = tileas.tmem_alloc
      %d = tileas.mma <tcgen05 ...> %a, %b, %s               scf.for %i = %0 to %n {
      scf.yield %d                                    -->      tileas.tmem_mma %a, %b, %t if %i != %0
    }                                                        }
                                                             tileas.tmem_wait %t
                                                             %r = tileas.tmem_load %t
                                                             ...
                                                             tileas.tmem_dealloc %t
    ```
    A loop that may have no iteration stores zeros before it if it has none. Postcondition: no `tileas.mma` is by `tcgen05`.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileasLegalizeElementwise : Pass<"tileas-legalize-elementwise", "::mlir::func::FuncOp"> {
  let summary = "elementwise work as what the architecture has instructions for";
  let description = [{
    Functions become arithmetic (tileaa/transforms/functions), conversions and roundings that the architecture lacks
    become work on bits, as by tileaa-legalize-elementwise. What it has stays: `tileaa.float` of f32 and f64 by any
    rounding or with `flush`, `tileaa.convert` of floats of eight bits on sm_89 and newer and to tf32 on sm_90, `exp`, `exp2` and `rsqrt` of
    f32, and `tanh`, `sqrt` and division that may be rough (`afn`); nvidia-scalar-instructions writes those. An `exp` that may be rough becomes
    `tileaa.float exp2` with `flush`.

    Types keep their layouts. At this level each operation is still one, and not one per register.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">,
                 Option<"libdevice", "libdevice", "bool", "false", "precise functions of f32 stay, for call-libdevice">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileasLegalizeAtomics : Pass<"tileas-legalize-atomics", "::mlir::func::FuncOp"> {
  let summary = "all threads learn what one found";
  let description = [{
    An atomic, or a load with an ordering, looks at each element once: in the thread that holds it and no copy of it, for a
    scalar in the first of the block. Where others have copies of the result, which is used, they read it from a buffer:

    ```
    %old = tileaa.atomic_rmw ... : i32    -->    %old = tileaa.atomic_rmw ... : i32
                                                 %t = tileaa.reshape %old : i32 -> tensor<1xi32, #everywhere>
                                                 tileas.write %t, %b      // stored once
                                                 %u = tileas.read %b
                                                 %all = tileaa.reshape %u : tensor<1xi32, #everywhere> -> i32
    ```
    Control flow that depends on such a value is then the same in all threads.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasMaterializeConvertLayout : Pass<"tileas-materialize-convert-layout", "::mlir::func::FuncOp"> {
  let summary = "conversions between warps go through buffers";
  let description = [{
    A `tileas.convert_layout` for which registers and shuffles do not suffice, or are dearer, becomes a write to a new
    buffer and a read from it; the buffer's layout is that of `layout::planConversion`, with the fewest bank conflicts.
    The others stay, for tileas-to-nvvm.

    Where the buffers of whole tiles need more shared memory than a block has, tiles go through it in parts that are each
    in registers of its own: `tileaa.extract`, the conversion of the part, `tileaa.insert`. Where that is too much too,
    what is in a buffer for several operations is written to one for each.

    ```
    %y = tileas.convert_layout %x   -->   %b = tileas.alloc : !tileas.buffer<...>
                                          tileas.write %x, %b
                                          %y = tileas.read %b
    ```
  }];
  let options = [Option<"alwaysSwizzle", "always-swizzle", "bool", "false",
                        "units of 16 bytes also change places where the buffer has no bank conflicts without">,
                 Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

#endif
