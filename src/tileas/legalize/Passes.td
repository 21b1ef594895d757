// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_LEGALIZE_PASSES
#define TILEWRIGHT_TILEAS_LEGALIZE_PASSES

include "mlir/Pass/PassBase.td"

def TileasUnrollRegisterLoops : Pass<"tileas-unroll-register-loops", "::mlir::func::FuncOp"> {
  let summary = "unroll loops that index slices of tiles in registers";
  let description = [{
    Registers cannot be indexed at run time. A loop with a constant trip count of at most 16 that extracts or
    inserts a slice whose offset depends on the induction variable is unrolled if each slice occupies registers of
    its own. Otherwise tileas-legalize-slices reads slices from shared memory and inserts them by selects.

    ```
    scf.for %i = 0 to 2 {                              %a = tileaa.extract %x[%c0, 0]
      %o = arith.muli %i, 8                      -->   "use"(%a)
      %p = tileaa.extract %x[%o, 0]                    %b = tileaa.extract %x[%c8, 0]
      "use"(%p)                                        "use"(%b)
    }
    ```
    Left alone: loops with nested loops, loops of more than 512 operations after unrolling, and loops that load the
    operands of their products: only loops are software-pipelined.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileasLegalizeReduce : Pass<"tileas-legalize-reduce", "::mlir::func::FuncOp"> {
  let summary = "split reductions across warps into reductions within a warp";
  let description = [{
    A `tileaa.reduce` whose dimension is distributed over several warps becomes two reductions: each warp reduces
    its part, a layout conversion gives other threads the partial results, and these are reduced again. See
    `tileas.split_warps` for an example. The layout is that of the form that a plan file asks for
    (tileas/plan/ReduceForms.h): every thread has all partial results of its lines in `registers`, or every warp in
    `lanes`, or each thread those of other lines and the results are converted back (`two_steps`). The form is recorded,
    and `registers` where none is asked for.

    Left alone: reductions within a warp, the form `warp`, which tileaa-to-tileas makes where a plan file asks for it.
    Refused where a plan file asks for it: a form for which the lines of the tile leave no threads.

    Postcondition: no reduction combines elements of different warps.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasLegalizeScan : Pass<"tileas-legalize-scan", "::mlir::func::FuncOp"> {
  let summary = "split scans across warps into scans within a warp";
  let description = [{
    A `tileaa.scan` whose dimension is distributed over several warps by the highest bits of the coordinate is
    split: each warp scans its part and reduces it to a total, every thread receives the totals of all warps and
    scans them exclusively (`exclusive`: each element becomes the combination of those before it), and the
    prefix of a warp's part is combined with each of its elements. Where the warps divide the dimension otherwise,
    or the body is not elementwise, the tile is converted to a layout in which a warp holds whole lines, and the
    result is converted back.

    ```
    %s = tileaa.scan %x : 1024    -->    %p = tileaa.reshape %x : 4x256         // a row for each warp
                                         %i = tileaa.scan %p along 1
                                         %t = tileaa.reduce %p along 1          // the totals
                                         %b = tileaa.scan %t' along 0 exclusive
                                         %s = tileaa.reshape (%b' + %i)
    ```
    Postcondition: along the dimension of each scan, every bit of the coordinate is one bit of the register or the
    lane.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasLegalizeSlices : Pass<"tileas-legalize-slices", "::mlir::func::FuncOp"> {
  let summary = "legalize concatenation, insertion and extraction of slices";
  let description = [{
    - `tileaa.cat`: both operands get one layout; the result has that layout with one more register bit, which
      selects the operand.
    - `tileaa.insert`: the slice gets the layout of the whole tile, as if it were repeated over it. Each thread then
      selects by the coordinate of an element, whatever the offsets are.
    - `tileaa.extract`: stays where the offsets are constant and the slices differ only in the registers of a
      thread. Otherwise the tile is written to a buffer, once for all of its slices, and each slice is read from
      there. A tile that shared memory does not hold is converted to a layout with each slice in registers of its own;
      at offsets that are not constant the slice is selected among all.

    ```
    %y = tileaa.extract %x[%i, %c0]    -->    %b = tileas.alloc
                                              tileas.write %x, %b
                                              %y = tileas.read %b[%i, %c0]
    ```
    Precondition: offsets are multiples of the slice's extents.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasLegalizeTmemCopy : Pass<"tileas-legalize-tmem-copy", "::mlir::func::FuncOp"> {
  let summary = "move the accumulators of tcgen05 products to tensor memory";
  let description = [{
    Tensor memory for the accumulator of a product by the atom `tcgen05` is allocated at the function's begin and
    freed at its end. An accumulator that only the next iteration uses stays in tensor memory and is no longer an
    iteration argument. An initial value is stored first, but zeros are not: the first product overwrites. Other
    uses of the accumulator load it after the loop, or after the product.

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
    A loop that may have no iterations stores zeros before it in that case.

    Postcondition: no `tileas.mma` has the atom `tcgen05`.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileasLegalizeElementwise : Pass<"tileas-legalize-elementwise", "::mlir::func::FuncOp"> {
  let summary = "expand elementwise operations that the architecture lacks";
  let description = [{
    Math functions are expanded to arithmetic (tileaa/transforms/functions), and conversions and roundings that the
    architecture lacks to integer operations on bits, as by tileaa-legalize-elementwise.

    Left alone, for nvidia-scalar-instructions: `tileaa.float` of f32 and f64 with any rounding or with `flush`,
    `tileaa.convert` of 8-bit floats on sm_89 and newer and to tf32 on sm_90, `exp`, `exp2` and `rsqrt` of f32, and
    approximate (`afn`) `tanh`, `sqrt` and division. An approximate `exp` becomes `tileaa.float exp2` with `flush`.
    A precise `tanh` of f32 is computed by that instruction and an approximate division. Signed integers of 8 bits
    become halves by operations on bits and a difference.

    Types keep their layouts. The pass runs on tiles because here each operation is expanded once, not once per
    register.
  }];
  let options = [Option<"libdevice", "libdevice", "bool", "false", "leave precise functions of f32 alone, for call-libdevice">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileasLegalizeAtomics : Pass<"tileas-legalize-atomics", "::mlir::func::FuncOp"> {
  let summary = "execute each atomic once per element and broadcast its result";
  let description = [{
    An atomic, or a load with a memory ordering, is executed once per element: by one of the threads that hold the
    element, for a scalar by the first thread of the CTA. Where other threads hold replicas of a result that is
    used, they read it from a buffer:

    ```
    %old = tileaa.atomic_rmw ... : i32    -->    %old = tileaa.atomic_rmw ... : i32
                                                 %t = tileaa.reshape %old : i32 -> tensor<1xi32, #everywhere>
                                                 tileas.write %t, %b      // stored once
                                                 %u = tileas.read %b
                                                 %all = tileaa.reshape %u : tensor<1xi32, #everywhere> -> i32
    ```
    Control flow that depends on such a result is therefore uniform across the CTA.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasMaterializeConvertLayout : Pass<"tileas-materialize-convert-layout", "::mlir::func::FuncOp"> {
  let summary = "lower layout conversions between warps to shared memory";
  let description = [{
    A `tileas.convert_layout` that register moves and warp shuffles cannot do, or do at a higher cost, becomes a
    write to a new buffer in shared memory and a read from it. `layout::chooseConversion` chooses the buffer's layout
    with the fewest bank conflicts. The others stay, for tileas-to-nvvm.

    Where the buffers of whole tiles exceed the CTA's shared memory, a tile is converted in slices that occupy
    registers of their own: `tileaa.extract`, the conversion of the slice, `tileaa.insert`. Where no dimension can be
    halved so, because its halves are in different warps or lanes, `tileaa.reshape` first splits the dimensions into
    ranges that are held in registers alone and ranges that are not. Where that exceeds it
    too, a buffer that serves several operations is replaced by one buffer per operation, so that live ranges are
    shorter. Last, products whose operands are written by threads are split along K (SplitProducts.h).

    ```
    %y = tileas.convert_layout %x   -->   %b = tileas.alloc : !tileas.buffer<...>
                                          tileas.write %x, %b
                                          %y = tileas.read %b
    ```
  }];
  let options = [Option<"alwaysSwizzle", "always-swizzle", "bool", "false",
                        "swizzle buffers that have no bank conflicts without it, too">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

#endif
