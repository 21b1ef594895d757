// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_PASSES
#define TILEWRIGHT_TILEAA_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def VerifyTileaaPass : Pass<"verify-tileaa", "mlir::ModuleOp"> {
  let summary = "checks that a module is on the tileaa level and reports everything that is not";
  let description = [{
    Legal are `arith`, `math`, `scf` and `tileaa` operations inside functions with `tileaa.kernel`, on scalars,
    static tensors, tokens and views. Every other operation, and every operand or result of another type, is
    reported with its location. The module is not changed.
  }];
}

def LegalizeCorePass : Pass<"tileaa-legalize-core", "mlir::func::FuncOp"> {
  let summary = "reduces products of formats that a target does not multiply to others";
  let description = [{
    Operands of `tileaa.mma` with a `format` are converted to a type that holds all of its numbers: tf32 to f32, floats of
    eight bits to bf16. A `tileaa.mma_scaled` becomes a batch of products, one per block of neighbours that share a
    scale, which are multiplied by their scales in f64, where that is exact, and added.

    ```
    tileaa.mma %a, %b, %c {format = f8E5M2} : ...       -->   %x = tileaa.convert %a : ... as f8E5M2 to ... as bf16
                                                              tileaa.mma %x, %y, %c
    ```
    `native` and `nativeScaled` name what the target multiplies as it is. Postcondition: no other `format` of a
    `tileaa.mma`, and no other `tileaa.mma_scaled` is left.
  }];
  let options = [ListOption<"native", "native", "std::string", "formats of tileaa.mma to keep">,
                 ListOption<"nativeScaled", "native-scaled", "std::string",
                            "FORMAT:SCALE:BLOCK of tileaa.mma_scaled to keep where K has 32 bytes, as in f8E4M3FN:f8E8M0FNU:32">];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def OptimizeDotAccumulationPass : Pass<"tileaa-optimize-dot-accumulation", "mlir::func::FuncOp"> {
  let summary = "what a loop adds products to is what they begin with";
  let description = [{
    A product from zero that is added to what the loop carries, or to what is computed of that element by element, begins
    with it. Sums then are in one set of registers, or in tensor memory, in place of two.

    ```
    %p = tileaa.mma %a, %b, %zeros          -->          %sum = tileaa.mma %a, %b, %acc
    %sum = arith.addf %acc, %p
    ```
    Sums of integers stay what they are. Those of floats are rounded as `tileaa.mma` rounds, where the order is free, and a
    sum of nothing but negative zeros is a negative zero: that is for targets whose products are held to a bound, not to their bits.

    Left alone: products that others use, too; products outside of loops; what is added and is not the loop's, as a bias;
    `fastAcc`, whose sums may lose bits that what they are added to has to keep; `tileaa.float`, an addition that is rounded
    or flushed in another way.
  }];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def CallLibdevicePass : Pass<"call-libdevice", "mlir::ModuleOp"> {
  let summary = "functions of f32 are called in NVIDIA's library";
  let description = [{
    Precise functions of f32, scalars and vectors, become calls of what libdevice has under their name, one for each
    element; the attribute `tilewright.libdevice` of the module says where it is, and whoever makes code links it. Those
    that may be rough (`afn`), and of other types, stay, and so do with `exact-only` functions that are made of a GPU's
    rough instructions, which a remark says.

    ```
    %y = math.sin %x : f32      -->      %y = func.call @__nv_sinf(%x) : (f32) -> f32
    ```
  }];
  let options = [Option<"path", "path", "std::string", "\"\"", "the bitcode">,
                 Option<"exactOnly", "exact-only", "bool", "false", "functions that a CPU can compute to the bit">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect", "mlir::vector::VectorDialect"];
}

def WidenSumsPass : Pass<"tileaa-widen-sums", "mlir::func::FuncOp"> {
  let summary = "sums and products of halves are formed in f32";
  let description = [{
    A `tileaa.reduce` or `tileaa.scan` of f16 or bf16 whose function is one `arith.addf` or `arith.mulf` folds f32 and rounds
    its results. That is for targets that fold a line in its order: 65,536 bf16, added one by one, stop to grow at 256
    times an element; and a processor without instructions for halves rounds after each step.

    ```
    %s = tileaa.reduce %x from %zero along 0 {     -->     %w = arith.extf %x : tensor<64xbf16> to tensor<64xf32>
    ^bb0(%a: bf16, %b: bf16):                              %t = tileaa.reduce %w from %wide along 0 { ... f32 }
      %c = arith.addf %a, %b : bf16                        %s = arith.truncf %t : f32 to bf16
      tileaa.yield %c : bf16
    } : (tensor<64xbf16>, bf16) -> bf16
    ```
    Left alone: functions of more than one operation, wider types, sums that are rounded in another way. With `scans-only`
    reductions, too: a GPU halves a line to reduce it, but a scan hands a sum on from part to part of the line.
  }];
  let options = [Option<"scansOnly", "scans-only", "bool", "false", "leave reductions alone">];
  let dependentDialects = ["mlir::arith::ArithDialect"];
}

def SliceProductsPass : Pass<"tileaa-slice-products", "mlir::func::FuncOp"> {
  let summary = "products that neither registers nor shared memory hold are multiplied part by part";
  let description = [{
    A store of a product of more than `limit` elements becomes loops over parts of at most 128x128, and what the product is made
    of goes into them: loads, elementwise work, changes of order, dimensions of extent one. A product whose operands have
    more than `sharedBytes`, and are made of loads, becomes a loop along K of products of their parts, of which two fit.

    ```
    %a = tileaa.load_view %v[%i, %j]               scf.for %m = 0 to 1024 step 128, %n = 0 to 1024 step 128
    %b = tileaa.load_view %w[%j, %k]                 %p = scf.for %d = 0 to 1024 step 128 iter_args(%s = %zero)
    %p = tileaa.mma %a, %b, %zero           -->        %a = tileaa.load_view %v[%i + %m, %j + %d]
    tileaa.store_view %p, %x[%i, %k]                   %b = tileaa.load_view %w[%j + %d, %k + %n]
                                                       scf.yield tileaa.mma %a, %b, %s
                                                     tileaa.store_view %p, %x[%i + %m, %k + %n]
    ```
    Left alone: products of which others need more than that store; operands that are computed otherwise, or whose loads others
    have to come after.
  }];
  let options = [Option<"limit", "limit", "int64_t", "65536", "elements of a product that is not sliced">,
                 Option<"sharedBytes", "shared-bytes", "int64_t", "131072", "bytes that both operands may have">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def SliceAndFusePass : Pass<"tileaa-slice-and-fuse", "mlir::func::FuncOp"> {
  let summary = "tiles that no registers hold are loaded, computed and stored slice by slice";
  let description = [{
    A store of a tile of more than `limit` elements, or a reduction of one, becomes a loop over slices of at most `slice`
    elements; where nothing else needs what is loaded for it, a tile of more than half as many (sums of rows of 65,536 f32
    on an H200: 4.0 TB/s in place of 2.85; softmax of such rows 1.7 in place of 1.9). What is computed for it goes into the
    loop: elementwise work, changes of shape and order, and loads. Slices of a reduction are combined element by element, the
    last one is reduced; the order is free there.

    ```
    %x = tileaa.load_view %v[%i, %j]                      scf.for %n = 0 to 64
    %y = arith.addf %x, %x               -->                %x = tileaa.load_view %v[%i + 16 * %n, %j]
    tileaa.store_view %y, %w[%i, %j]                        %y = arith.addf %x, %x
                                                            tileaa.store_view %y, %w[%i + 16 * %n, %j]
    ```
    A store is sliced along its outermost dimension, and again along the next while its slices are large. What several
    stores and reductions need is loaded and computed for each. Tiles of no more than `slice` elements may stay whole,
    and slices are extracted from them.

    Loads wait for their slice. By their tokens nothing but the store itself may come after them before that, and it only
    where it writes each slice in the place that it was read from; what comes later waits for the loop.

    `tileaa.slices` of the function lists them, as in "1024x1024xf32 by 16x1024".

    Left alone: results of products, scans and loops, and whatever is made of them; loads of other blocks; loads and
    stores with an ordering; reductions whose results are as large, or whose step is more than elementwise work.
  }];
  let options = [Option<"limit", "limit", "int64_t", "65536", "elements that a tile may have">,
                 Option<"slice", "slice", "int64_t", "16384", "elements of a slice">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::scf::SCFDialect"];
}

def LegalizeElementwisePass : Pass<"tileaa-legalize-elementwise", "mlir::func::FuncOp"> {
  let summary = "reduces conversions and float arithmetic that a target lacks to arith and math";
  let description = [{
    `tileaa.convert` becomes integer arithmetic on the bits, `tileaa.float` exact arithmetic in a wider type or in two
    parts, rounded once. Neither branches, so that scalars, vectors and tiles are served alike; a target runs the pass
    where such arithmetic is cheap: inside loops, on vectors, not on tiles that lie in memory.

    ```
    %s = tileaa.float add %a, %b rounding zero : vector<8xf16>     -->   an exact sum in f32, rounded to odd, cut to f16
    %f = tileaa.convert %x : i8 as f8E4M3FN to f32 as f32 -->   shifts and a select
    ```

    `native` names the kinds of `tileaa.float` that the target takes as they are. Postcondition: no other
    `tileaa.float` and no `tileaa.convert` is left.
  }];
  let options = [ListOption<"native", "native", "std::string", "kinds of tileaa.float to keep">];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect"];
}

#endif
