// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types and attributes of cuda_tile, and the questions operations ask about them.
#ifndef TILEWRIGHT_CUDA_TILE_IR_TYPES_H
#define TILEWRIGHT_CUDA_TILE_IR_TYPES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/OpImplementation.h"

#include "cuda_tile/ir/CudaTileDialect.h.inc"
#include "cuda_tile/ir/CudaTileEnums.h.inc"

namespace tilewright::cuda_tile {
/// A subprogram or a lexical block.
class DILocalScopeAttr : public mlir::Attribute {
public:
  using Attribute::Attribute;
  static bool classof(mlir::Attribute attr);
};
} // namespace tilewright::cuda_tile

#define GET_ATTRDEF_CLASSES
#include "cuda_tile/ir/CudaTileAttrs.h.inc"

namespace tilewright::cuda_tile {
class TileType;
class TensorViewType;
} // namespace tilewright::cuda_tile

#include "cuda_tile/ir/CudaTileTypeInterfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "cuda_tile/ir/CudaTileTypes.h.inc"

namespace tilewright::cuda_tile {

bool isCudaTileType(mlir::Type type);
bool isTile(mlir::Type type);

// Tiles by element type. "Any" adds the types that can only be stored and converted.
bool isIntTile(mlir::Type type);
bool isAnyIntTile(mlir::Type type);
bool isBoolTile(mlir::Type type);
bool isByteTile(mlir::Type type);
bool isI64Tile(mlir::Type type);
bool isFloatTile(mlir::Type type);
bool isAnyFloatTile(mlir::Type type);
bool isNumberTile(mlir::Type type);
bool isMemoryTile(mlir::Type type);
bool isPtrTile(mlir::Type type);
bool isScalarI32(mlir::Type type);
bool isScalarBool(mlir::Type type);
bool isScalarInt(mlir::Type type);
bool isScalarPtr(mlir::Type type);
bool isIndexTile(mlir::Type type);

/// Bits an element takes in memory: a pointer has 64, tf32 has 32.
unsigned getElementBitWidth(mlir::Type elementType);

/// Whether a tile can have elements of this type, pointers aside.
bool isNumberType(mlir::Type elementType);
/// Whether memory can: all numbers but i4.
bool isMemoryType(mlir::Type elementType);

} // namespace tilewright::cuda_tile

#endif
