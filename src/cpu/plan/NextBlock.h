// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that the next block will load, as far as blocks follow each other along x, so that reading and computing
// overlap. The loop that writes this block's result fetches them; where no loop of their shape writes one, the last
// loop that reads this block's tile. A loop over less than a few KiB is over before memory answers its first line: it
// fetches what a later block will load.
//
// In a loop that loads and stores tiles, one that stores fetches what the next block loads there, or the next
// iteration.
//
// Of several tiles that follow each other through an array, as those of a stencil do, the one at the highest address is
// fetched: it goes ahead of the others, which read later what it has read.
//
// A loop that fetches has those tiles as last inputs, which its body does not use, and `cpu.fetch` says how many, and
// which half of a tile where two loops share it.
#ifndef TILEWRIGHT_CPU_PLAN_NEXTBLOCK_H
#define TILEWRIGHT_CPU_PLAN_NEXTBLOCK_H

#include "cpu/place/ViewAccess.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Dominance.h"

namespace tilewright::cpu {

class NextBlock {
public:
  explicit NextBlock(mlir::func::FuncOp function) : function(function) {}

  /// Finds the tiles, if the plan wants them.
  void collect(llvm::ArrayRef<tileaa::LoadViewOp> loads);

  /// Records the value that replaced a load's result.
  void replace(mlir::Value loaded, mlir::Value tile);

  /// A loop that writes a result fetches the tiles of its shape; returns the loop in its place.
  mlir::linalg::GenericOp fetchWhereWritten(mlir::linalg::GenericOp loop);

  /// Prefetches tiles that no loop has prefetched where this block's tile is read.
  void fetchWhereRead();

  /// A loop with tiles of a later block as last inputs, in the place of the loop without.
  static mlir::linalg::GenericOp addFetches(mlir::linalg::GenericOp loop, mlir::ValueRange tiles,
                                            llvm::ArrayRef<mlir::AffineMap> maps,
                                            std::optional<int64_t> half = std::nullopt);

private:
  struct Tile {
    ViewAccess now, whereWritten, whereRead; // of this block, of a later one as a loop writes or only reads
    mlir::Value ofThisBlock;                 // the result of the load, then of what takes its place
    bool isFetched = false;
  };
  struct Fetch {
    llvm::SmallVector<const ViewAccess *, 1> accesses; // of one array
    mlir::AffineMap map;
  };

  std::optional<ViewAccess> laterInLoop(mlir::OpBuilder &builder, const ViewAccess &access,
                                        mlir::scf::ForOp loop) const;
  static std::optional<Fetch> fetchIn(mlir::linalg::GenericOp loop, const ViewAccess &access, mlir::Value ofThisBlock,
                                      mlir::DominanceInfo &dominance);
  static mlir::linalg::GenericOp widen(mlir::linalg::GenericOp loop, llvm::ArrayRef<Fetch> fetches,
                                       std::optional<int64_t> half = std::nullopt);

  mlir::func::FuncOp function;
  std::vector<Tile> tiles;
};

} // namespace tilewright::cpu

#endif
