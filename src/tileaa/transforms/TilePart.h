// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_TILEPART_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_TILEPART_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright::tileaa {

/// A part of a tile: where it begins along each dimension, and its extents.
struct TilePart {
  /// The sum of both; without a value the constant.
  struct Offset {
    mlir::Value value;
    int64_t constant = 0;
    bool operator==(const Offset &other) const { return value == other.value && constant == other.constant; }
  };

  llvm::SmallVector<Offset> offsets;
  llvm::SmallVector<int64_t> sizes;

  static TilePart whole(mlir::RankedTensorType type);
  bool operator==(const TilePart &other) const { return offsets == other.offsets && sizes == other.sizes; }
};

/// Makes a part of a tile by its producers: loads, what is computed of them element by element, products of them.
///
///   %x = load_view %v[%i, %j]                 the columns from 64 on:   %x = load_view %v[%i, %j + 64]
///   %y = addf %x, broadcast %row                                        %y = addf %x, broadcast (extract %row[0, 64])
class PartialTile {
public:
  /// Of tiles with other producers and at most `smallBytes` parts are extracted.
  PartialTile(bool repeatsProducts, int64_t smallBytes) : repeatsProducts(repeatsProducts), smallBytes(smallBytes) {}

  /// Whether the part can be made.
  bool add(mlir::Value tile, const TilePart &part);
  /// The part of a tile that was added, made where the builder stands. A load on whose token another access depends is
  /// made beside the one of the whole tile, so that the order stays.
  mlir::Value take(mlir::Value tile, const TilePart &part, mlir::OpBuilder &builder);

private:
  bool canRepeat(mlir::Operation *op, const TilePart &part) const;
  mlir::Value make(mlir::Value tile, const TilePart &part, mlir::OpBuilder &builder);

  bool repeatsProducts;
  int64_t smallBytes;
  int visits = 0;
  llvm::SmallPtrSet<mlir::Operation *, 16> ops;
  llvm::SmallVector<std::tuple<mlir::Value, TilePart, mlir::Value>> made;
};

/// Erases the producers of these tiles that have no uses. Accesses that came after such a load by its token come after
/// what the load came after.
void eraseUnusedTiles(mlir::ValueRange tiles);

} // namespace tilewright::tileaa

#endif
