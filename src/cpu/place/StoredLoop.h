// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop that computes a tile in the array where it is stored, and the loads whose tiles it alone reads.
//
// Where all of these tiles lie inside their arrays, it runs over them in place. Elsewhere, and past the cache, it runs
// over the box that is stored: no element outside is computed, so that a tile is read in place where it has the box,
// and copied only where the array ends before.
#ifndef TILEWRIGHT_CPU_PLACE_STOREDLOOP_H
#define TILEWRIGHT_CPU_PLACE_STOREDLOOP_H

#include "cpu/ir/Plan.h"
#include "cpu/place/ViewAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright::cpu {

/// The buffer of a loaded tile: over the array where `isInside`, else a copy with padding; the former where null.
mlir::Value bufferOf(tileaa::LoadViewOp load, const ViewAccess &access, mlir::Value isInside, mlir::OpBuilder &builder,
                     mlir::OpBuilder &atEntry);

class StoredLoop {
public:
  /// The loop that computes the stored tile and can run over a part of it; null if there is none.
  static mlir::linalg::GenericOp of(tileaa::StoreViewOp store);

  /// `streamBytes` is the size from which arrays are written past the cache; 0 for none.
  StoredLoop(mlir::linalg::GenericOp loop, const ViewAccess &out, int64_t streamBytes)
      : loop(loop), out(out), streamBytes(streamBytes) {}

  /// Replaces the loop. Its inputs that are loads are those that it alone reads.
  mlir::LogicalResult place(mlir::OpBuilder &atEntry);

private:
  struct Read {
    unsigned operand;
    tileaa::LoadViewOp load;
    ViewAccess access;
  };

  mlir::Value isWhole(mlir::OpBuilder &builder);
  mlir::Value isLarge(mlir::OpBuilder &builder);
  mlir::linalg::GenericOp placeInside(mlir::OpBuilder &builder, mlir::ValueRange bounds);
  mlir::Value addressOf(mlir::OpBuilder &builder, const Read &read, llvm::ArrayRef<mlir::Value> earlier);
  bool readsNeighbours() const;
  void placeBox(mlir::OpBuilder &builder, mlir::OpBuilder &atEntry);
  mlir::linalg::GenericOp placePart(mlir::OpBuilder &builder, mlir::ValueRange bounds,
                                    llvm::ArrayRef<mlir::Value> areInside, mlir::OpBuilder &atEntry);
  llvm::SmallVector<mlir::Value> boundsOfBox(mlir::OpBuilder &builder);
  mlir::Value hasBox(mlir::OpBuilder &builder, const Read &read, mlir::ValueRange bounds);
  mlir::linalg::GenericOp emit(mlir::OpBuilder &builder, mlir::ValueRange bounds, llvm::ArrayRef<mlir::Value> buffers);

  mlir::linalg::GenericOp loop;
  const ViewAccess &out;
  int64_t streamBytes;
  llvm::SmallVector<Read, 0> reads;
};

/// Makes the loop write past the cache where the array has at least so many bytes, and is not to stay in the cache.
void streamIfLarge(mlir::linalg::GenericOp loop, const ViewAccess &access, mlir::Value also, int64_t streamBytes);

} // namespace tilewright::cpu

#endif
