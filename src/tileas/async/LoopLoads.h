// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loads of a loop which can be made iterations ahead: where they are follows from the loop's number and from
// scalars that it carries, and nothing that the loop writes has to come before them.
#ifndef TILEWRIGHT_TILEAS_ASYNC_LOOPLOADS_H
#define TILEWRIGHT_TILEAS_ASYNC_LOOPLOADS_H

#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::tileas {

/// A load of a tile: of a box of a view, or through a tile of addresses.
class TileLoad {
public:
  TileLoad(mlir::Operation *op = nullptr) : op(op) {}
  static bool classof(mlir::Operation *op) { return llvm::isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op); }

  mlir::Operation *operator->() const { return op; }
  operator mlir::Operation *() const { return op; }
  tileaa::LoadViewOp ofView() const { return llvm::dyn_cast<tileaa::LoadViewOp>(op); }
  tileaa::LoadPtrOp ofAddresses() const { return llvm::dyn_cast<tileaa::LoadPtrOp>(op); }
  mlir::Value tile() const { return op->getResult(0); }
  mlir::Value tokenAfter() const { return op->getResult(1); }
  mlir::Value token() const { return ofView() ? ofView().getToken() : ofAddresses().getToken(); }
  void dropToken() { ofView() ? ofView().getTokenMutable().clear() : ofAddresses().getTokenMutable().clear(); }

private:
  mlir::Operation *op;
};

/// Whether an operand of a product of the loop is an elementwise function of the tile; with `inside` also of a product
/// in a nested loop or branch.
bool feedsProduct(mlir::Value tile, mlir::scf::ForOp loop, bool inside);
/// Answers the hint `latency` of a load that is prefetched by that many iterations; a hint of at most as many is
/// followed.
void answerLatency(TileLoad load, int64_t ahead);
/// Whether each thread can rematerialize it from its own registers.
bool staysInThreads(mlir::Operation *op);
/// The reason why asynchronous copies cannot make a load through addresses, or null.
const char *obstacleToCopies(tileaa::LoadPtrOp load);

class LoopLoads {
public:
  enum Kind { OfProducts, OfRows };

  /// Those whose tiles go into products, or all of a loop without products, where copies by each thread may leave
  /// padding to the reader. Remarks say why others are not among them.
  explicit LoopLoads(mlir::scf::ForOp loop, Kind kind = OfProducts);

  llvm::ArrayRef<TileLoad> ahead() const { return loads; }

  /// The values at the begin of an iteration.
  struct State {
    mlir::Value induction;
    llvm::SmallVector<mlir::Value> carried;
  };
  State first() const;
  State current() const;
  /// Copies the operations that compute the offsets of the loads of that iteration; the mapping has the copies.
  mlir::IRMapping compute(const State &state, mlir::OpBuilder &builder) const;
  /// The values at the begin of the next iteration.
  State next(const State &state, const mlir::IRMapping &mapping, mlir::OpBuilder &builder) const;
  llvm::SmallVector<mlir::Value> carriedNext(const mlir::IRMapping &mapping) const;

private:
  // The reason why the load stays where it is, or null.
  const char *obstacle(tileaa::LoadViewOp load);
  const char *obstacle(tileaa::LoadPtrOp load);
  bool addAll(mlir::ValueRange values);
  bool add(mlir::Value value);

  mutable mlir::scf::ForOp loop;
  Kind kind;
  llvm::SmallVector<TileLoad> loads;
  llvm::SetVector<mlir::Operation *> ops;
  llvm::SetVector<unsigned> carried; // of the loop's values
};

} // namespace tilewright::tileas

#endif
