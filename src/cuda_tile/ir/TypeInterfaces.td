// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_TYPEINTERFACES_TD
#define TILEWRIGHT_CUDA_TILE_IR_TYPEINTERFACES_TD

include "mlir/IR/OpBase.td"

def CudaTile_TileViewInterface : TypeInterface<"TileView"> {
  let cppNamespace = "::tilewright::cuda_tile";
  let description = "A view that is loaded and stored tile by tile.";
  let methods = [
    InterfaceMethod<"shape of the tile one index selects", "::llvm::ArrayRef<int32_t>", "getTileShape">,
    InterfaceMethod<"the tensor it looks at, a TensorViewType", "::mlir::Type", "getSource", (ins),
                    [{ return $_type.getTensorView(); }]>,
    InterfaceMethod<"element read outside of the tensor, or null", "::tilewright::cuda_tile::PaddingValueAttr",
                    "getPaddingValue">,
  ];
  let extraClassDeclaration = [{
    /// Type of the tile one index selects.
    ::tilewright::cuda_tile::TileType getTileType() const;
    /// The tensor it looks at.
    ::tilewright::cuda_tile::TensorViewType getTensorView() const;
    /// How many indices select a tile.
    int64_t getIndexRank() const { return getTileShape().size(); }
  }];
}

#endif
