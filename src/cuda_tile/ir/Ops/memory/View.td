// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_VIEW
#define TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_VIEW

include "cuda_tile/ir/Ops/Base.td"

def CudaTile_MakeTensorViewOp : CudaTile_Op<"make_tensor_view", 0x43, "13.1", "view",
    [Pure, NamesResults, AttrSizedOperandSegments]> {
  let summary = "tensor in memory from pointer, shape and strides";
  let description = "Operands give the dynamic extents and strides, in order; all are of one integer type.";
  let arguments = (ins CudaTile_ScalarPtr:$base, Variadic<CudaTile_ScalarInt>:$dynamicShape,
                       Variadic<CudaTile_ScalarInt>:$dynamicStrides);
  let results = (outs CudaTile_TensorViewType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

class CudaTile_MakeViewOp<string mnemonic, bits<16> opcode, string version, Type view>
    : CudaTile_Op<mnemonic, opcode, version, "view", [Pure, NamesResults,
        TypesMatchWith<"the tensor view", "result", "tensor_view",
                       "::llvm::cast<::tilewright::cuda_tile::TileView>($_self).getTensorView()">]> {
  let arguments = (ins CudaTile_TensorViewType:$tensor_view);
  let results = (outs view:$result);
  let assemblyFormat = "$tensor_view attr-dict `:` custom<Ty>(type($result))";
}
def CudaTile_MakePartitionViewOp
    : CudaTile_MakeViewOp<"make_partition_view", 0x42, "13.1", CudaTile_PartitionViewType> {
  let summary = "tile view of a tensor partitioned into a grid of tiles";
}
def CudaTile_MakeStridedViewOp
    : CudaTile_MakeViewOp<"make_strided_view", 0x74, "13.3", CudaTile_StridedViewType> {
  let summary = "tile view of a tensor with tiles at fixed strides";
}
def CudaTile_MakeGatherScatterViewOp
    : CudaTile_MakeViewOp<"make_gather_scatter_view", 0x73, "13.3", CudaTile_GatherScatterViewType> {
  let summary = "tile view of a tensor with gathered rows";
}

class CudaTile_ShapeQueryOp<string mnemonic, bits<16> opcode, Type source>
    : CudaTile_Op<mnemonic, opcode, "13.1", "view", [Pure]> {
  let arguments = (ins source:$src);
  let results = (outs Variadic<CudaTile_ScalarInt>:$result);
  let assemblyFormat = "$src attr-dict `:` custom<Ty>(type($src)) `->` custom<OneTy>(type($result), ref(type($src)))";
  let hasVerifier = 1;
}
def CudaTile_GetTensorShapeOp : CudaTile_ShapeQueryOp<"get_tensor_shape", 0x2F, CudaTile_TensorViewType> {
  let summary = "extents of a tensor view";
}
def CudaTile_GetIndexSpaceShapeOp : CudaTile_ShapeQueryOp<"get_index_space_shape", 0x2D, CudaTile_TileView> {
  let summary = "number of tiles of a view, per dimension";
}

class CudaTile_GridOp<string mnemonic, bits<16> opcode, dag outputs, string x, string y, string z>
    : CudaTile_Op<mnemonic, opcode, "13.1", "view", [Pure, NamesResults]> {
  let results = outputs;
  let assemblyFormat = "attr-dict `:` custom<SameTy>(type($" # x # "), type($" # y # "), type($" # z # "))";
}
def CudaTile_GetTileBlockIdOp : CudaTile_GridOp<"get_tile_block_id", 0x30,
    (outs CudaTile_ScalarI32:$blockId_x, CudaTile_ScalarI32:$blockId_y, CudaTile_ScalarI32:$blockId_z),
    "blockId_x", "blockId_y", "blockId_z"> {
  let summary = "coordinates of the running tile block in the grid";
}
def CudaTile_GetNumTileBlocksOp : CudaTile_GridOp<"get_num_tile_blocks", 0x2E,
    (outs CudaTile_ScalarI32:$gridSize_x, CudaTile_ScalarI32:$gridSize_y, CudaTile_ScalarI32:$gridSize_z),
    "gridSize_x", "gridSize_y", "gridSize_z"> {
  let summary = "size of the grid";
}

#endif
