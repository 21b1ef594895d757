// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_LAYOUTPROPOSALS_H
#define TILEWRIGHT_LOWER_TILEAA_TO_TILEAS_LAYOUTPROPOSALS_H

#include "layout/memory/AccessQuality.h"
#include "lower/tileaa_to_tileas/LayoutClasses.h"
#include "tileas/analysis/TileSlopes.h"
#include "tileas/plan/MmaChoice.h"

namespace tilewright {

/// How an operation that touches memory or multiplies wants tiles to be held: memory by the widest accesses, products
/// by the fragments of the atom that is chosen for them. Proposals in loops weigh more, those of products most, and
/// those of reductions that a plan file asks for next.
class LayoutProposals {
public:
  /// Collects the proposals of a function's operations and solves its classes.
  LayoutProposals(mlir::func::FuncOp function, const nvidia::Architecture &architecture);

  const LayoutClasses &solved() const { return classes; }
  /// The memory that a view's access loads or stores, as threads find it. Loads may shift whose tiles are not stored as
  /// they are held: narrow stores by a wide layout would write a part of many sectors.
  layout::TileMemory memoryOf(tileaa::LoadViewOp load) const;
  static layout::TileMemory memoryOf(tileaa::StoreViewOp store);
  /// Null where no atom fits.
  const tileas::MmaChoice &choiceOf(tileaa::MmaOp mma) const { return products.at(mma); }
  const tileas::ScaledMmaChoice &choiceOf(tileaa::MmaScaledOp mma) const { return scaledProducts.at(mma); }

private:
  void propose(mlir::Operation *op);
  template <typename Access> void proposeAccess(Access access);
  template <typename Access> std::optional<layout::TileMemory> memoryAt(Access access);
  template <typename Access> void proposeAddresses(Access access);
  void proposeSpread(tileaa::LoadPtrOp load);
  void decideStore(tileaa::StorePtrOp store);

  std::optional<llvm::SmallVector<unsigned>> orderInMemory(mlir::Value tile);
  bool isTransposedByWriting(tileaa::MmaOp mma);
  std::optional<llvm::SmallVector<unsigned>>
  orderOnArrival(mlir::Value tile, std::optional<llvm::SmallVector<unsigned>> order, unsigned k);
  std::optional<llvm::SmallVector<unsigned>> orderOfLeft(tileaa::MmaOp mma);
  tileas::MmaChoice chooseProduct(tileaa::MmaOp mma);
  std::optional<llvm::SmallVector<unsigned>> lhsOrderAsked(tileaa::MmaOp mma,
                                                           std::optional<llvm::SmallVector<unsigned>> order);
  void recordAtom(mlir::Operation *mma, tileas::AtomKind kind);
  void recordLhs(tileaa::MmaOp mma, const tileas::MmaChoice &choice);
  void proposeProduct(tileaa::MmaOp mma);
  void proposeScaled(tileaa::MmaScaledOp mma);
  void proposeForm(tileaa::ReduceOp reduce);

  const nvidia::Architecture &architecture;
  int64_t warps, tmemColumns;
  LayoutClasses classes;
  tileas::TileSlopes slopes;
  llvm::DenseMap<mlir::Operation *, tileas::MmaChoice> products;
  llvm::DenseMap<mlir::Operation *, tileas::ScaledMmaChoice> scaledProducts;
};

} // namespace tilewright

#endif
