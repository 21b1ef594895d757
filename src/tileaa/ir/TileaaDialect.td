// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_IR_DIALECT
#define TILEWRIGHT_TILEAA_IR_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"

def Tileaa_Dialect : Dialect {
  let name = "tileaa";
  let cppNamespace = "::tilewright::tileaa";
  let summary = "tile programs with memory made explicit";
  let description = [{
    The level between the public Tile IR (`cuda_tile`) and the targets. Elementwise work is `arith`/`math`
    on static tensors, control flow is `scf`, functions are `func`; this dialect adds
    views, tile loads and stores, pointer tiles, tokens, `mma`, reductions, print and assert.

    A tile of rank 0 is a plain scalar. A pointer is its byte address, an `i64`; a tile of pointers is a
    tensor of `i64`. A kernel is a `func.func` with the unit attribute `tileaa.kernel`.

    Operations of other dialects have these attributes; any other of the namespace is refused:

    | attribute | of | is |
    |---|---|---|
    | `tileaa.kernel` | a function | a unit: it is a kernel |
    | `tileaa.hints` | a function | `#tileaa.hints`: the hints that no pass has answered yet |
    | `tileaa.non_negative` | a function | an array of numbers: the parameters that are not negative, as extents are |
    | `tileaa.slices` | a function | an array of strings: the tiles that are worked on slice by slice |
    | `tileaa.libdevice` | the module | the path of the bitcode of libdevice that its functions come from |
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def Tileaa_HintsAttr : AttrDef<Tileaa_Dialect, "Hints"> {
  let mnemonic = "hints";
  let summary = "hints of the program, by architecture";
  let description = [{
    A dictionary of hints for each architecture, and `default` for all others. Once a target has been chosen only
    `default` is left. The hints are `allow_tma`, a boolean, and the integers `latency`, `occupancy`,
    `num_cta_in_cga` and `num_worker_warps_per_cta`.

    ```
    #tileaa.hints<{default = {latency = 3 : i32}, sm_90 = {allow_tma = false}}>
    ```
  }];
  let parameters = (ins "::mlir::DictionaryAttr":$targets);
  let assemblyFormat = "`<` $targets `>`";
  let genVerifyDecl = 1;
}

class Tileaa_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Tileaa_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def Tileaa_TokenType : Tileaa_Type<"Token", "token"> {
  let summary = "a dependence between two memory operations";
}

def Tileaa_ViewType : Tileaa_Type<"View", "view"> {
  let summary = "an array in memory with a shape, and strides in elements";
  let description = [{
    `!tileaa.view<[-1, 128] x f32, strides = [-1, 1]>`; a dynamic extent is printed as its MLIR
    encoding, `ShapedType::kDynamic`, shown as `?`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "Type":$elementType,
                        ArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getNumDynamicDims() const;
    int64_t getNumDynamicStrides() const;
  }];
}

#endif
