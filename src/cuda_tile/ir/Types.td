// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_TYPES_TD
#define TILEWRIGHT_CUDA_TILE_IR_TYPES_TD

include "cuda_tile/ir/Attrs.td"
include "cuda_tile/ir/TypeInterfaces.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class CudaTile_Type<string name, string typeMnemonic, string version, list<Trait> traits = []>
    : TypeDef<CudaTile_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
  // First Tile IR version that has the type.
  string since = version;
}

def CudaTile_PtrType : CudaTile_Type<"Ptr", "ptr", "13.1"> {
  let summary = "address of an element in global memory";
  let parameters = (ins "::mlir::Type":$pointee, OptionalParameter<"::tilewright::cuda_tile::PointerKindAttr">:$kind);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee, PointerKindAttr());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_TileType : CudaTile_Type<"Tile", "tile", "13.1", [ShapedTypeInterface]> {
  let summary = "immutable value of static power-of-two shape; a scalar has rank 0";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType);
  let builders = [TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
    return $_get(elementType.getContext(), shape, elementType);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasRank() const { return true; }
    ::mlir::ShapedType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type elementType) const;
    /// Tiles have at most this many elements.
    static constexpr int64_t maxNumElements = int64_t(1) << 24;
  }];
}

def CudaTile_TensorViewType : CudaTile_Type<"TensorView", "tensor_view", "13.1"> {
  let summary = "tensor in global memory: pointer, shape, strides in elements";
  let description = [{A dynamic extent or stride is ShapedType::kDynamic, written `?`.}];
  let parameters = (ins "::mlir::Type":$elementType, ArrayRefParameter<"int64_t">:$shape,
                        ArrayRefParameter<"int64_t">:$strides,
                        OptionalParameter<"::tilewright::cuda_tile::PointerKindAttr">:$kind);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$elementType,
      "::llvm::ArrayRef<int64_t>":$shape, "::llvm::ArrayRef<int64_t>":$strides), [{
    return $_get(elementType.getContext(), elementType, shape, strides, PointerKindAttr());
  }]>];
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    int64_t getNumDynamicDims() const;
    int64_t getNumDynamicStrides() const;
  }];
}

class CudaTile_ViewType<string name, string mnemonic, string version>
    : CudaTile_Type<name, mnemonic, version, [CudaTile_TileViewInterface]> {
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def CudaTile_PartitionViewType : CudaTile_ViewType<"PartitionView", "partition_view", "13.1"> {
  let summary = "a tensor partitioned into a grid of equal tiles";
  let description = [{Tile dimension i lies along tensor dimension dim_map[i].}];
  let parameters = (ins ArrayRefParameter<"int32_t">:$tileShape, "::tilewright::cuda_tile::TensorViewType":$tensorView,
                        ArrayRefParameter<"int32_t">:$dimMap,
                        OptionalParameter<"::tilewright::cuda_tile::PaddingValueAttr">:$paddingValue);
}

def CudaTile_StridedViewType : CudaTile_ViewType<"StridedView", "strided_view", "13.3"> {
  let summary = "tiles at strides of traversal_strides, which may overlap or leave gaps";
  let parameters = (ins ArrayRefParameter<"int32_t">:$tileShape, ArrayRefParameter<"int32_t">:$traversalStrides,
                        "::tilewright::cuda_tile::TensorViewType":$tensorView,
                        ArrayRefParameter<"int32_t">:$dimMap,
                        OptionalParameter<"::tilewright::cuda_tile::PaddingValueAttr">:$paddingValue);
}

def CudaTile_GatherScatterViewType : CudaTile_ViewType<"GatherScatterView", "gather_scatter_view", "13.3"> {
  let summary = "tiles whose rows a rank-1 tile of indices selects along one dimension";
  let parameters = (ins ArrayRefParameter<"int32_t">:$tileShape, "::tilewright::cuda_tile::TensorViewType":$tensorView,
                        "int32_t":$sparseDim,
                        OptionalParameter<"::tilewright::cuda_tile::PaddingValueAttr">:$paddingValue);
}

def CudaTile_TokenType : CudaTile_Type<"Token", "token", "13.1"> {
  let summary = "a dependence between memory operations";
  let builderCall = "$_builder.getType<::tilewright::cuda_tile::TokenType>()";
}

// A float type so that dense elements can have it. LLVM has no such format: the semantics are of another one of
// 8 bits, and E5M3.h converts.
def CudaTile_F8E5M3FNUType : CudaTile_Type<"F8E5M3FNU", "fnv8E5M3FNU", "13.4",
    [DeclareTypeInterfaceMethods<FloatTypeInterface, ["getFloatSemantics"]>]> {
  let summary = "unsigned 8-bit float: 5 bits of exponent, 3 of mantissa, all ones is NaN";
}

// Constraints on operands. The words are those of the error message.
class CudaTile_TileOf<string check, string text>
    : Type<CPred<"::tilewright::cuda_tile::" # check # "($_self)">, text, "::tilewright::cuda_tile::TileType">;

def CudaTile_Tile : CudaTile_TileOf<"isTile", "a tile">;
def CudaTile_IntTile : CudaTile_TileOf<"isIntTile", "a tile of i1, i8, i16, i32 or i64">;
def CudaTile_AnyIntTile : CudaTile_TileOf<"isAnyIntTile", "a tile of i1, i4, i8, i16, i32 or i64">;
def CudaTile_BoolTile : CudaTile_TileOf<"isBoolTile", "a tile of i1">;
def CudaTile_ByteTile : CudaTile_TileOf<"isByteTile", "a tile of i8">;
def CudaTile_I64Tile : CudaTile_TileOf<"isI64Tile", "a tile of i64">;
def CudaTile_FloatTile : CudaTile_TileOf<"isFloatTile", "a tile of f16, bf16, f32 or f64">;
def CudaTile_AnyFloatTile : CudaTile_TileOf<"isAnyFloatTile", "a tile of floats">;
def CudaTile_NumberTile : CudaTile_TileOf<"isNumberTile", "a tile of integers or floats">;
def CudaTile_MemoryTile : CudaTile_TileOf<"isMemoryTile", "a tile of numbers other than i4">;
def CudaTile_PtrTile : CudaTile_TileOf<"isPtrTile", "a tile of pointers">;
def CudaTile_ScalarI32 : CudaTile_TileOf<"isScalarI32", "tile<i32>">,
    BuildableType<"::tilewright::cuda_tile::TileType::get({}, $_builder.getI32Type())">;
def CudaTile_ScalarBool : CudaTile_TileOf<"isScalarBool", "tile<i1>">,
    BuildableType<"::tilewright::cuda_tile::TileType::get({}, $_builder.getI1Type())">;
def CudaTile_ScalarInt : CudaTile_TileOf<"isScalarInt", "a rank-0 tile of integers">;
def CudaTile_ScalarPtr : CudaTile_TileOf<"isScalarPtr", "a rank-0 tile of pointers">;
def CudaTile_IndexTile : CudaTile_TileOf<"isIndexTile", "a tile of integers of rank 0 or 1">;
def CudaTile_TileView : Type<CPred<"::llvm::isa<::tilewright::cuda_tile::TileView>($_self)">,
    "a partition, strided or gather/scatter view", "::tilewright::cuda_tile::TileView">;
def CudaTile_AnyValue : Type<CPred<"::tilewright::cuda_tile::isCudaTileType($_self)">, "a Tile IR type">;

#endif
