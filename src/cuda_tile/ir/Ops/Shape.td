// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_SHAPE_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_SHAPE_TD

include "cuda_tile/ir/Ops/Base.td"

class CudaTile_ShapeOp<string mnemonic, bits<16> opcode, string version = "13.1", list<Trait> traits = []>
    : CudaTile_Op<mnemonic, opcode, version, "shape", traits # [Pure]> {
  let results = (outs CudaTile_Tile:$result);
  let hasVerifier = 1;
}

def CudaTile_ConstantOp : CudaTile_ShapeOp<"constant", 0x10, "13.1", [ConstantLike, NamesResults]> {
  let summary = "constant tile";
  let arguments = (ins CudaTile_DenseElementsAttr:$value);
  let results = (outs CudaTile_MemoryTile:$result);
  let builders = [OpBuilder<(ins "::mlir::DenseElementsAttr":$value), [{
    build($_builder, $_state, value.getType(), value);
  }]>];
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
}
def CudaTile_IotaOp : CudaTile_ShapeOp<"iota", 0x3A> {
  let summary = "0, 1, ... n-1";
  let results = (outs CudaTile_IntTile:$result);
  let assemblyFormat = "attr-dict `:` custom<Ty>(type($result))";
}
def CudaTile_SelectOp : CudaTile_Op<"select", 0x5F, "13.1", "shape", [Pure,
    AllTypesMatch<["val_if_true", "val_if_false", "result"]>, SameOperandsAndResultShape]> {
  let summary = "elementwise select of one of two values";
  let arguments = (ins CudaTile_BoolTile:$cond, CudaTile_Tile:$val_if_true, CudaTile_Tile:$val_if_false);
  let results = (outs CudaTile_Tile:$result);
  let assemblyFormat = [{
    $cond `,` $val_if_true `,` $val_if_false attr-dict `:` custom<Ty>(type($cond)) `,` custom<Ty>(type($result))
  }];
  let hasVerifier = 1;
}
def CudaTile_BroadcastOp : CudaTile_ShapeOp<"broadcast", 0xB, "13.1", [NamesResults, SameOperandsAndResultElementType]> {
  let summary = "broadcast of dimensions of extent 1";
  let arguments = (ins CudaTile_Tile:$source);
  let assemblyFormat = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))";
}
def CudaTile_ReshapeOp : CudaTile_ShapeOp<"reshape", 0x5B, "13.1", [NamesResults, SameOperandsAndResultElementType]> {
  let summary = "the same elements in row-major order under another shape";
  let arguments = (ins CudaTile_Tile:$source);
  let assemblyFormat = "$source attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))";
}
def CudaTile_PermuteOp : CudaTile_ShapeOp<"permute", 0x53, "13.1", [SameOperandsAndResultElementType]> {
  let summary = "dimension i of the result is dimension permutation[i] of the source";
  let arguments = (ins CudaTile_Tile:$source, DenseI32ArrayAttr:$permutation);
  let assemblyFormat = [{
    $source $permutation attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))
  }];
}
def CudaTile_CatOp : CudaTile_ShapeOp<"cat", 0xC, "13.1", [SameOperandsAndResultElementType]> {
  let summary = "concatenation of two tiles along a dimension";
  let arguments = (ins CudaTile_Tile:$lhs, CudaTile_Tile:$rhs, I64Attr:$dim);
  let assemblyFormat = [{
    $lhs `,` $rhs `dim` `=` custom<Integer>($dim) attr-dict
    `:` custom<Ty>(type($lhs)) `,` custom<Ty>(type($rhs)) `->` custom<Ty>(type($result))
  }];
}
def CudaTile_ExtractOp : CudaTile_ShapeOp<"extract", 0x26> {
  let summary = "extraction of a sub-tile";
  let description = "Indices count sub-tiles, not elements.";
  let arguments = (ins CudaTile_Tile:$source, Variadic<CudaTile_ScalarI32>:$indices);
  let assemblyFormat = [{
    $source `[` $indices `]` attr-dict `:` custom<Ty>(type($source)) `->` custom<Ty>(type($result))
  }];
}
def CudaTile_InsertOp : CudaTile_ShapeOp<"insert", 0x76, "13.4", [AllTypesMatch<["destination", "result"]>]> {
  let summary = "insertion of a sub-tile";
  let description = "Indices count sub-tiles, not elements.";
  let arguments = (ins CudaTile_Tile:$source, CudaTile_Tile:$destination, Variadic<CudaTile_ScalarI32>:$indices);
  let assemblyFormat = [{
    $source `,` $destination `[` $indices `]` attr-dict
    `:` custom<Ty>(type($source)) `,` custom<Ty>(type($destination))
  }];
}
def CudaTile_AssumeOp : CudaTile_Op<"assume", 0x6, "13.1", "shape", [NoMemoryEffect, NamesResults, AllTypesMatch<["value", "result"]>]> {
  let summary = "assumption about a value";
  let description = "The program is undefined if the predicate does not hold.";
  let arguments = (ins CudaTile_AnyValue:$value, CudaTile_AssumePredicate:$predicate);
  let results = (outs CudaTile_AnyValue:$result);
  let assemblyFormat = "custom<Predicate>($predicate) `,` $value attr-dict `:` custom<Ty>(type($result))";
  let hasVerifier = 1;
}

#endif
