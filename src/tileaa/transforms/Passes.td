// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_PASSES
#define TILEWRIGHT_TILEAA_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def VerifyTileaaPass : Pass<"verify-tileaa", "mlir::ModuleOp"> {
  let summary = "verify that a module is on the tileaa level";
  let description = [{
    Legal are `arith`, `math`, `scf` and `tileaa` operations inside functions with `tileaa.kernel`, on scalars,
    static tensors, tokens and views. Every other operation, and every operand or result of another type, is
    reported with its location. The module is not changed.
  }];
}

def TileaaChooseHints : Pass<"tileaa-choose-hints", "::mlir::ModuleOp"> {
  let summary = "keep the hints of one target";
  let description = [{
    Hints of kernels and accesses are given by architecture. Those of `target` stay, as `default`, and of `default` what
    the target says nothing about. It is the first pass behind the level that targets share; without a target, as for a
    CPU, those of `default` stay.

    ```
    tileaa.load_ptr %p hints <{default = {latency = 2}, sm_90 = {latency = 8}, sm_100 = {allow_tma = false}}> : ...
    -->
    tileaa.load_ptr %p hints <{default = {latency = 8}}> : ...        // target=sm_90
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"\"", "name of the target's hints, as in sm_90">];
}

def LegalizeCorePass : Pass<"tileaa-legalize-core", "mlir::func::FuncOp"> {
  let summary = "convert mma operands of formats that the target cannot multiply";
  let description = [{
    Operands of `tileaa.mma` with a `format` are converted to a type that represents all of its values: tf32 to f32,
    8-bit floats to bf16. A `tileaa.mma_scaled` becomes a batched product, one batch per group of elements that
    share a scale; the results are multiplied by their scales in f64, where that is exact, and added.

    ```
    tileaa.mma %a, %b, %c {format = f8E5M2} : ...       -->   %x = tileaa.convert %a : ... as f8E5M2 to ... as bf16
                                                              tileaa.mma %x, %y, %c
    ```
    The options `native` and `native-scaled` list the formats that the target multiplies. Postcondition: no
    `tileaa.mma` has another `format`, and no other `tileaa.mma_scaled` is left.
  }];
  let options = [ListOption<"native", "native", "std::string", "formats of tileaa.mma to keep">,
                 ListOption<"nativeScaled", "native-scaled", "std::string",
                            "FORMAT:SCALE:BLOCK of tileaa.mma_scaled to keep where K has 32 bytes, as in f8E4M3FN:f8E8M0FNU:32">];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def OptimizeDotAccumulationPass : Pass<"tileaa-optimize-dot-accumulation", "mlir::func::FuncOp"> {
  let summary = "use the loop's accumulator as the accumulator operand of mma";
  let description = [{
    A product with a zero accumulator that is added to an iteration argument of the loop, or to an elementwise
    function of one, takes that value as its accumulator instead. One set of registers, or one allocation of tensor
    memory, then holds both.

    ```
    %p = tileaa.mma %a, %b, %zeros          -->          %sum = tileaa.mma %a, %b, %acc
    %sum = arith.addf %acc, %p
    ```
    Results of integers do not change. Floats are rounded as `tileaa.mma` rounds, where the order of additions is
    free, and a sum of negative zeros only is a negative zero: the pass is for targets whose products are held to an
    error bound, not to exact bits.

    Left alone: products with other uses; products outside of loops; addends that are not loop-carried, such as a
    bias; `fastAcc`, under which the accumulator might lose bits; `tileaa.float`, an addition with another rounding
    or with flushing.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def SplitMaskedLoopsPass : Pass<"tileaa-split-masked-loops", "mlir::func::FuncOp"> {
  let summary = "split loops of several products where a branch begins to work";
  let description = [{
    A loop of several products in which a branch does nothing up to an iteration that is known before the loop, as one
    that masks the last keys of attention, becomes two: the first without the branch, the second without its condition.
    The first is software-pipelined without a branch between its products, and computes no mask.

    ```
    scf.for %i = %a to %b step 1 {                  %m = max(min(%first, %b), %a)
      %s = tileaa.mma ...                           scf.for %i = %a to %m step 1 {
      %late = arith.cmpi sge, %i, %first    -->       ...
      %t = scf.if %late { mask %s } else { %s }     }
      ...                                           scf.for %i = %m to %b step 1 { ... mask %s ... }
    ```
    Left alone: loops of one product, or of products with fewer rows than the 64 of wgmma; steps other than 1; branches that work in the first iterations, whose second loop
    would be the long one; constant bounds, as of a branch that all but the first iteration take.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def CallLibdevicePass : Pass<"call-libdevice", "mlir::ModuleOp"> {
  let summary = "lower precise f32 math functions to calls of libdevice";
  let description = [{
    Precise functions of f32, scalars and vectors, become calls of the libdevice function of the same name, one per
    element. The attribute `tileaa.libdevice` of the module holds the path of the bitcode for the code generator
    to link.

    ```
    %y = math.sin %x : f32      -->      %y = func.call @__nv_sinf(%x) : (f32) -> f32
    ```
    Left alone: approximate functions (`afn`) and other types; with `exact-only` also functions that libdevice
    implements by approximate GPU instructions, with a remark.
  }];
  let options = [Option<"path", "path", "std::string", "\"\"", "path of the bitcode">,
                 Option<"exactOnly", "exact-only", "bool", "false", "only functions that a CPU can reproduce bit by bit">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect", "mlir::vector::VectorDialect",
                           "tilewright::tileaa::TileaaDialect"];
}

def WidenSumsPass : Pass<"tileaa-widen-sums", "mlir::func::FuncOp"> {
  let summary = "compute sums and products of f16 and bf16 in f32";
  let description = [{
    A `tileaa.reduce` or `tileaa.scan` of f16 or bf16 whose body is one `arith.addf` or `arith.mulf` is computed in
    f32 and its results are rounded. This is for targets that reduce sequentially: a running sum of bf16 stops
    growing at 256 times the element. It also saves the rounding after each step on processors without instructions
    for 16-bit floats.

    ```
    %s = tileaa.reduce %x from %zero along 0 {     -->     %w = arith.extf %x : tensor<64xbf16> to tensor<64xf32>
    ^bb0(%a: bf16, %b: bf16):                              %t = tileaa.reduce %w from %wide along 0 { ... f32 }
      %c = arith.addf %a, %b : bf16                        %s = arith.truncf %t : f32 to bf16
      tileaa.yield %c : bf16
    } : (tensor<64xbf16>, bf16) -> bf16
    ```
    Left alone: bodies of more than one operation, wider types, sums with another rounding. With `scans-only`
    reductions are left alone, too: a GPU reduces as a tree, but a scan passes a running sum along the line.
  }];
  let options = [Option<"scansOnly", "scans-only", "bool", "false", "leave reductions alone">];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def RecognizeBoxesPass : Pass<"tileaa-recognize-boxes", "mlir::func::FuncOp"> {
  let summary = "rewrite accesses of boxes by index as accesses of views";
  let description = [{
    A load or store through addresses whose elements are the box of an array, and whose mask is the bounds of that box,
    becomes a `tileaa.load_view` or `tileaa.store_view`. Indices that all elements share, as the number of a row, become
    further dimensions of the view. The target then tests the bounds once for a tile, reads it in place, and masks
    elements at the edge only. It has to handle tiles that begin before the view and end inside.

    ```
    %c = tileaa.iota : tensor<64xi64>                                    %v = tileaa.make_view %x, shape [%n] ...
    %m = arith.cmpi ult, %c, %n       // broadcast                -->    %t = tileaa.load_view %v[%c0] dims [0]
    %t = tileaa.load_ptr %x + 4 * %c mask %m padding %zero                      padding zero
    ```
    Left alone: accesses with an ordering, whose elements are not contiguous along any dimension, that store an element
    twice, with a mask that is no box, or with a padding that views do not have.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def BubbleUpExtractsPass : Pass<"tileaa-bubble-up-extracts", "mlir::func::FuncOp"> {
  let summary = "load the extracted parts of tiles that exceed shared memory";
  let description = [{
    An extract of a tile of more than `shared-bytes` that is loaded, or computed of loads element by element, becomes
    loads of the part, of which the same is computed. Later passes slice the large tile if others use it, too.

    ```
    %x = tileaa.load_view %v[%i, %j]                              %a = tileaa.load_view %v[%i, %j + 4096]
    %y = tileaa.float neg %x                              -->     %b = tileaa.float neg %a
    %b = tileaa.extract %y[%c0, %c4096]
    ```
    Where another access comes after the load by its token, the part is loaded beside the whole tile, and that access
    comes after both. Of other tiles of at most half of `shared-bytes` parts are extracted.

    An extract of a tile with other large producers is a reduction if the tile has more than 64 such parts: all other
    elements are zero. So is a part of more than 4 KB with less than 32 bytes of the last dimension, and one at an
    offset that is not constant of a load on whose token another access depends.

    Left alone: extracts of one of up to 64 such parts, for which tileas-legalize-slices needs no shared memory.
  }];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "131072", "maximum bytes of a tile">];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def SliceLoopsPass : Pass<"tileaa-slice-loops", "mlir::func::FuncOp"> {
  let summary = "tile loops, products and scans whose results exceed registers";
  let description = [{
    An operation with a result of more than `limit` elements, such as a loop that carries a tile or a product, becomes
    a loop over slices, together with all operations that depend on the result: in each iteration the operation is
    done for one slice of the tile, and so is what is computed of it and stored. Loads of a slice take that slice.
    Tiles that a slice needs whole, as the other operand of a product, are loaded again for each slice. A reduction
    along the sliced dimension gives a partial result, which is combined elementwise. A scan along it goes on from the
    last element of the slice before.

    ```
    %s = scf.for %k iter_args(%acc = %zero) {          scf.for %n = 0 to 8
      %a = load_view %v[%i, %k]                          %s = scf.for %k iter_args(%acc = %zero) {
      %b = load_view %w[%k, %j]                            %a = load_view %v[%i + 128 * %n, %k]
      scf.yield mma %a, %b, %acc               -->         %b = load_view %w[%k, %j]
    }                                                      scf.yield mma %a, %b, %acc
    store_view %s, %x[%i, %j]                            }
                                                         store_view %s, %x[%i + 128 * %n, %j]
    ```
    The outermost dimension that can be sliced is taken first, to slices of about `slice` elements, of at least 128
    rows and columns where there is a product, and the next one while the tile is too large. The function's attributes
    say how large and what, as of tileaa-slice-and-fuse.

    Left alone: tiles of which an element depends on others along each dimension, as of a loop that transposes;
    regions with other effects than loads and unordered stores; accesses that come after one of another slice by
    their token, unless each slice is stored where it was loaded.
  }];
  let options = [Option<"limit", "limit", "int64_t", "65536", "maximum elements of a tile">,
                 Option<"sliceElements", "slice", "int64_t", "16384", "elements of a slice">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def SliceProductsPass : Pass<"tileaa-slice-products", "mlir::func::FuncOp"> {
  let summary = "tile matrix products whose operands exceed shared memory";
  let description = [{
    A product whose operands are loaded and exceed `shared-bytes` becomes a loop along K over tiles of which two fit.
    The producers of its operands (loads, elementwise operations, permutations, unit dimensions) are fused into it.

    ```
    %a = tileaa.load_view %v[%i, %j]               %p = scf.for %d = 0 to 1024 step 128 iter_args(%s = %c)
    %b = tileaa.load_view %w[%j, %k]       -->       %a = tileaa.load_view %v[%i, %j + %d]
    %p = tileaa.mma %a, %b, %c                       %b = tileaa.load_view %w[%j + %d, %k]
                                                     scf.yield tileaa.mma %a, %b, %s
    ```
    Left alone: operands with other producers; loads on whose token another access depends.
  }];
  let options = [Option<"sharedBytes", "shared-bytes", "int64_t", "131072", "maximum bytes of both operands">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def SliceAndFusePass : Pass<"tileaa-slice-and-fuse", "mlir::func::FuncOp"> {
  let summary = "tile loads, elementwise work and stores that exceed the registers";
  let description = [{
    A store of a tile of more than `limit` elements, or a reduction of one, becomes a loop over slices of at most
    `slice` elements. A tile of more than half the limit is sliced if its loads have no other uses (sums of rows of
    65,536 f32 on an H200: 4.0 TB/s in place of 2.85; softmax of such rows 1.7 in place of 1.9). Its producers are
    fused into the loop: elementwise operations, changes of shape and order, and loads. Slices of a reduction are
    combined elementwise and the last one is reduced; the order of a reduction is free.

    ```
    %x = tileaa.load_view %v[%i, %j]                      scf.for %n = 0 to 64
    %y = arith.addf %x, %x               -->                %x = tileaa.load_view %v[%i + 16 * %n, %j]
    tileaa.store_view %y, %w[%i, %j]                        %y = arith.addf %x, %x
                                                            tileaa.store_view %y, %w[%i + 16 * %n, %j]
    ```
    A store is sliced along its outermost dimension, and along the next one while slices are too large. Producers of
    several stores and reductions are rematerialized in each loop. Tiles of at most `slice`
    elements may stay whole, and slices are extracted from them.

    Fusion delays a load to its slice. It is done only if no access between the load and the loop depends on the
    load's token except the store itself, and that one writes each slice to where it was read from. Later accesses
    wait for the loop.

    The attribute `tileaa.slices` of the function lists the loops, as in "1024x1024xf32 by 16x1024". The elements of a
    slice are those of its attribute `tileaa.slice_asked`, if a plan file sets it; `tileaa.slice_made` records them.

    Left alone: results of products, scans and loops, and tiles computed from them; loads of other blocks of the IR;
    loads and stores with a memory ordering; reductions whose result is as large as their source, or whose body is
    not elementwise.
  }];
  let options = [Option<"limit", "limit", "int64_t", "65536", "maximum elements of a tile">,
                 Option<"slice", "slice", "int64_t", "16384", "maximum elements of a slice">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def LegalizeElementwisePass : Pass<"tileaa-legalize-elementwise", "mlir::func::FuncOp"> {
  let summary = "expand conversions and float arithmetic that the target lacks";
  let description = [{
    `tileaa.convert` is expanded to integer arithmetic on the bits, and `tileaa.float` to exact arithmetic in a
    wider type or in two parts, rounded once. The expansion has no branches, so it serves scalars, vectors and tiles
    alike. A target runs the pass where intermediate results are cheap: inside loops, on vectors, not on tiles in
    memory.

    ```
    %s = tileaa.float add %a, %b rounding zero : vector<8xf16>     -->   an exact sum in f32, rounded to odd, truncated to f16
    %f = tileaa.convert %x : i8 as f8E4M3FN to f32 as f32          -->   shifts and a select
    ```
    The option `native` lists the kinds of `tileaa.float` that the target has. Postcondition: no other
    `tileaa.float` and no `tileaa.convert` is left.
  }];
  let options = [ListOption<"native", "native", "std::string", "kinds of tileaa.float to keep">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

#endif
