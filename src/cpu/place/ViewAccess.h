// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The box of a view that a load or store touches: where it starts, whether it lies inside, and the buffer over it.
#ifndef TILEWRIGHT_CPU_PLACE_VIEWACCESS_H
#define TILEWRIGHT_CPU_PLACE_VIEWACCESS_H

#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::cpu {

class ViewAccess {
public:
  ViewAccess(tileaa::MakeViewOp view, mlir::ValueRange offsets, llvm::ArrayRef<int64_t> dimMap,
             std::optional<llvm::ArrayRef<bool>> inbounds, llvm::ArrayRef<int64_t> tileShape)
      : view(view), offsets(offsets.begin(), offsets.end()), dimMap(dimMap), inbounds(inbounds), tileShape(tileShape) {}

  /// Of the load or store; fails where the view's origin is hidden by control flow.
  static mlir::FailureOr<ViewAccess> of(tileaa::LoadViewOp load);
  static mlir::FailureOr<ViewAccess> of(tileaa::StoreViewOp store);

  /// The type of the buffer over the whole box: the tile's shape, the array's strides.
  mlir::MemRefType wholeType() const;

  /// The buffer over the whole box.
  mlir::Value whole(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// The buffer over a box like it at another address.
  mlir::Value wholeAt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value address) const;

  /// Whether one of the two boxes follows the other through one array, from block to block: they overlap, or all blocks
  /// together leave no gaps.
  bool trails(const ViewAccess &other) const;

  /// By how many bytes the box begins behind another one, given that both lie inside their views; nothing if that is no
  /// constant.
  std::optional<int64_t> bytesBehind(const ViewAccess &other) const;

  /// The buffer over the box up to where the view ends.
  mlir::Value inside(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// The buffer over the whole box, of which loops access only what is inside the view, and read `padding` elsewhere.
  mlir::Value withEdge(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value padding = {}) const;

  /// The dimension of the tile that is contiguous in the view; nothing if none is.
  std::optional<int64_t> contiguousDim() const;

  /// Whether the box may stick out of the view along a dimension of the tile.
  bool mayLeave(int64_t tileDim) const;

  /// An `i1` that says that the whole box lies inside the view; null where it always does.
  mlir::Value isWhole(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// How many elements along each dimension of the tile lie before the view; nothing where none can.
  llvm::SmallVector<mlir::Value> elementsBefore(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// How many elements along a dimension of the tile there are until the view ends; none where others keep it outside.
  mlir::Value extentInside(mlir::OpBuilder &builder, mlir::Location loc, int64_t tileDim) const;

  /// An `i1` that says that the part of the box between two indices of each dimension of the tile lies inside the view,
  /// all of the dimension where they are null; null where it always does.
  mlir::Value hasPart(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::ArrayRef<std::pair<mlir::Value, mlir::Value>> parts) const;

  /// An `i1`: the array has at least that many bytes, and lines of the box are worth writing past the cache: they are
  /// long, or all begin equally far from a multiple of 64 bytes. Null where that cannot be.
  mlir::Value isLarge(mlir::OpBuilder &builder, mlir::Location loc, int64_t bytes) const;

  /// Address of the box's first element.
  mlir::Value address(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// A scratch buffer for the tile whose dimensions have the order they have in the array, with the type of `whole`.
  mlir::Value scratchLike(mlir::OpBuilder &atEntry, mlir::OpBuilder &builder, mlir::Location loc) const;

  /// The same access some iterations of the loop later; nothing if its offsets do not follow from the induction
  /// variable by plain arithmetic.
  std::optional<ViewAccess> later(mlir::OpBuilder &builder, mlir::scf::ForOp loop, int64_t iterations) const;

  /// The same access in the next iteration of the loop around it; nothing as above.
  std::optional<ViewAccess> laterIteration(mlir::OpBuilder &builder, mlir::scf::ForOp loop) const;

  /// The same access some blocks later along x, in the same iterations of loops around it; nothing if it is the same or
  /// does not follow by plain arithmetic.
  std::optional<ViewAccess> laterBlock(mlir::OpBuilder &builder, mlir::func::FuncOp function, int64_t blocks) const;

  /// Of the box, along each dimension of the view.
  llvm::ArrayRef<mlir::Value> getOffsets() const { return offsets; }

  /// The values the access depends on: view operands and offsets.
  llvm::SmallVector<mlir::Value> inputs() const;

private:
  std::optional<ViewAccess> moved(mlir::OpBuilder &builder, mlir::Region &region, mlir::IRMapping &mapping) const;
  int64_t elementBytes() const;
  mlir::Value extent(mlir::OpBuilder &builder, mlir::Location loc, int64_t viewDim) const;
  mlir::Value stride(mlir::OpBuilder &builder, mlir::Location loc, int64_t viewDim) const;
  bool isChecked(int64_t viewDim) const;
  mlir::Value holds(mlir::OpBuilder &builder, mlir::Location loc, int64_t viewDim, mlir::Value from,
                    mlir::Value to) const;
  mlir::Value holds(mlir::OpBuilder &builder, mlir::Location loc, int64_t viewDim, int64_t extentOfTile) const;
  mlir::Value holdsOthers(mlir::OpBuilder &builder, mlir::Location loc) const;

  mutable tileaa::MakeViewOp view;
  llvm::SmallVector<mlir::Value> offsets;
  llvm::SmallVector<int64_t> dimMap;
  std::optional<llvm::SmallVector<bool>> inbounds;
  llvm::SmallVector<int64_t> tileShape;
};

} // namespace tilewright::cpu

#endif
