// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes of tiles of a function that share a layout, and the constraints between layouts of classes.
//
// Example: in `%e = math.exp %x`, `%m = tileaa.reduce %e along 1`, `%b = tileaa.broadcast %r` with %r = %m as [M,1] and
// `%y = arith.divf %e, %b`, the tiles %x, %e, %b and %y are one class. Its layout L says that %m has L without
// dimension 1, and %r the same with a dimension of one; so do both links, and nothing has to move.
//
// MLIR's sparse analyses do not fit: a class takes the layout of its heaviest proposal, and layouts do not join.
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_LAYOUTCLASSES_H
#define TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_LAYOUTCLASSES_H

#include "layout/LinearLayout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/ADT/DenseMap.h"
#include <functional>

namespace tilewright {

/// Whether each use of a tile can have its own: a constant of one value, a repeated scalar, an iota.
bool hasOneForEachUse(mlir::Value tile);

class LayoutClasses {
public:
  /// A stored tile does not yet have the layout of its addresses.
  explicit LayoutClasses(mlir::func::FuncOp function);

  /// Two tiles of one shape are held alike.
  void unite(mlir::Value a, mlir::Value b);
  /// Proposes a layout for the class of a tile; the proposal of the largest weight is taken.
  void propose(mlir::Value tile, const layout::LinearLayout &layout, double weight);
  const std::optional<layout::LinearLayout> &proposalFor(mlir::Value tile) const {
    return classes[find(ids.lookup(tile))].proposal;
  }
  /// Assigns every class a layout: proposals, heaviest first, each with its consequences, then a default. It may be
  /// called again after further proposals.
  void solve(int64_t warps);

  const layout::LinearLayout &layoutOf(mlir::Value tile) const { return *classes[find(ids.lookup(tile))].layout; }
  bool isKnown(mlir::Value tile) const { return ids.contains(tile); }
  /// Whether a tile is stored whose class is that of this one, or follows from it with as many elements.
  bool isStored(mlir::Value tile) const;

private:
  using Transfer = std::function<layout::LinearLayout(const layout::LinearLayout &)>;
  struct Class {
    unsigned parent;
    llvm::SmallVector<int64_t> shape;
    std::optional<layout::LinearLayout> proposal, layout;
    double weight = 0;
  };
  struct Link {
    unsigned from, to;
    Transfer transfer;
  };

  void add(mlir::Value tile);
  void link(mlir::Value from, mlir::Value to, Transfer transfer);
  void uniteAll(mlir::ValueRange a, mlir::ValueRange b);
  void uniteKnown(mlir::Operation *op);
  void visit(mlir::Operation *op);
  void visit(mlir::scf::ForOp loop);
  void visit(mlir::scf::IfOp branch);
  void visit(mlir::scf::WhileOp loop);
  void visit(tileaa::BroadcastOp broadcast);
  void visit(tileaa::ReshapeOp reshape);
  void visit(tileaa::PermuteOp permute);
  void visit(tileaa::ReduceOp reduce);
  unsigned find(unsigned id) const;
  int64_t elementsOf(unsigned id) const;
  void assign(unsigned id, const layout::LinearLayout &layout);

  llvm::DenseMap<mlir::Value, unsigned> ids;
  std::vector<Class> classes;
  std::vector<Link> links;
  llvm::SmallVector<unsigned> stored; // of tiles that are stored
};

/// The layout of a broadcast's source that gives its result this layout.
layout::LinearLayout beforeBroadcast(const layout::LinearLayout &result, llvm::ArrayRef<int64_t> source);
/// The order that undoes a permutation.
llvm::SmallVector<unsigned> inverseOrder(llvm::ArrayRef<int64_t> permutation);

} // namespace tilewright

#endif
