// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a kernel's tiles differ between blocks that follow each other along x, where those blocks can share one body: the
// tiles of such blocks lie side by side along one dimension of a larger tile.
//
// Example: a block that loads row %x as tensor<1x64xf32> and sums it to tensor<1xf32>. The rows of 8 blocks are
// tensor<8x64xf32>, side by side along dimension 0, and their sums tensor<8xf32>. If the block loads its row as
// tensor<64xf32>, the dimension of the blocks is a new one, before the others.
#ifndef TILEWRIGHT_CPU_PLAN_BLOCKSPREAD_H
#define TILEWRIGHT_CPU_PLAN_BLOCKSPREAD_H

#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright::cpu {

class BlockSpread {
public:
  /// The dimension of a tile, or of a loop, along which those of several blocks lie side by side.
  struct Along {
    int64_t dim = 0, extent = 1; // the extent of one block
    bool isNew = true;           // no block has it by itself

    bool operator==(const Along &other) const {
      return dim == other.dim && extent == other.extent && isNew == other.isNew;
    }
    /// The same with those of so many blocks.
    llvm::SmallVector<int64_t> widen(llvm::ArrayRef<int64_t> shape, int64_t blocks) const;
  };

  /// Nothing if the blocks of the kernel cannot share a body.
  static std::optional<BlockSpread> of(mlir::func::FuncOp kernel);

  /// Of a tile, or of a scalar that is an element of one; null where it is the same in all blocks.
  const Along *of(mlir::Value tile) const;
  /// Null if the loop does the same in all blocks.
  const Along *of(mlir::linalg::GenericOp loop) const;
  /// The dimension of the view along which an access moves with the block; nothing if it stays.
  std::optional<int64_t> viewDimOf(mlir::Operation *access) const;
  /// Whether the scalar differs between blocks.
  bool differs(mlir::Value scalar) const { return scalars.contains(scalar); }

  /// The bytes of all tiles of a block that differ between blocks.
  int64_t bytesOfBlock() const;
  /// The bytes that a block loads and stores of its own.
  int64_t bytesMoved() const;
  /// The elements of the largest of those tiles.
  int64_t longestTile() const;
  /// The loops that combine elements of a block before a tile as large as theirs is stored.
  int64_t countReductions() const;
  /// Whether elements of less than 32 bits are stored.
  bool storesNarrow() const;

private:
  explicit BlockSpread(mlir::func::FuncOp kernel) : kernel(kernel) {}
  bool visit(mlir::Operation &op);
  bool visit(tileaa::LoadViewOp load);
  bool visit(tileaa::StoreViewOp store);
  bool visit(mlir::linalg::GenericOp loop);
  bool visitOther(mlir::Operation &op);
  bool move(mlir::Operation *access, mlir::ValueRange offsets);
  std::optional<Along> alongOf(mlir::Operation *access, mlir::Type tile, llvm::ArrayRef<int64_t> dimMap) const;
  bool usesScalars(mlir::linalg::GenericOp loop) const;
  Along alongOf(mlir::linalg::GenericOp loop) const;
  bool suits(mlir::linalg::GenericOp loop, const Along &along, mlir::OpOperand &operand) const;
  std::optional<Along> alongOf(mlir::OpResult result, const Along &ofLoop) const;
  std::optional<int64_t> stepOf(mlir::Value offset) const;

  struct Move {
    int64_t viewDim, step;
  };
  mutable mlir::func::FuncOp kernel;
  llvm::DenseSet<mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, Along> tiles;
  llvm::DenseMap<mlir::Operation *, Along> loops;
  llvm::MapVector<mlir::Operation *, Move> moves; // of accesses
};

} // namespace tilewright::cpu

#endif
