// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_LOOPS_LOOPNEST_H
#define TILEWRIGHT_CPU_LOOPS_LOOPNEST_H

#include "cpu/loops/MicroTiles.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright::cpu {

/// A buffer the loop reads or writes, with where its element is for given loop indices; or a scalar.
struct LoopAccess {
  mlir::Value buffer; // of a tile that sticks out of its array, the part inside
  mlir::AffineMap map;
  mutable EdgeOp edge;                     // such a tile
  llvm::SmallVector<mlir::Value> before{}; // what of the buffer is not inside, along each dimension; none: nothing

  mlir::MemRefType type() const { return mlir::cast<mlir::MemRefType>(buffer.getType()); }

  bool dependsOn(int64_t dim) const { return map.isFunctionOfDim(dim); }

  /// By how much an index grows per step of a loop dimension; nothing if not by a constant.
  static std::optional<int64_t> coefficient(mlir::AffineExpr index, int64_t dim);

  /// Stride in elements per step of a loop dimension; zero if it does not depend on it.
  int64_t strideAlong(int64_t dim) const;

  llvm::SmallVector<mlir::Value> indices(mlir::OpBuilder &builder, mlir::Location loc,
                                         llvm::ArrayRef<mlir::Value> loopIndices) const;
};

/// Whether vectors that are stored go through the cache or past it, for which they have to be whole cache lines.
enum class CachePolicy { Default, Streaming };

/// A linalg.generic, the loops it becomes, and the vectors of its elements at the current indices.
struct LoopNest {
  static constexpr int64_t none = -1;

  LoopNest(mlir::linalg::GenericOp op, const Plan &plan)
      : op(op), plan(plan), body(op.getBody()), loc(op.getLoc()), sizes(op.getStaticLoopRanges()) {}

  /// Finds the buffers and the dimension that is reduced; an error if an index is not linear in the loops' indices.
  mlir::LogicalResult findAccesses();

  const LoopAccess &outAccess(unsigned i) { return accesses[op.getNumDpsInputs() + i]; }

  mlir::Value index(mlir::OpBuilder &builder, int64_t value) const;

  /// Where the iterations along a dimension begin.
  mlir::Value begin(mlir::OpBuilder &builder, int64_t dim) const;

  /// Whether vectors may have lanes that are no iterations: nothing but loads and stores of buffers can tell.
  bool canMask() const;

  /// Loops of step 1 over `dims`, around what `inner` makes.
  void nest(mlir::OpBuilder &builder, llvm::ArrayRef<int64_t> dims, llvm::function_ref<void(mlir::OpBuilder &)> inner);

  /// Clones an op of the body, on vectors if `like` is one.
  void cloneOp(mlir::OpBuilder &builder, mlir::Operation *inner, mlir::IRMapping &mapping, mlir::Type like);

  /// The element of a buffer, or the vector of elements, at the current indices.
  mlir::Value load(mlir::OpBuilder &builder, const LoopAccess &access);
  void store(mlir::OpBuilder &builder, const LoopAccess &access, mlir::Value value,
             CachePolicy policy = CachePolicy::Default) const;

  /// Whether a buffer is a tile that may stick out of its array, or the loop ends before its lanes do.
  bool hasEdges() const;

  /// Where a dimension ends, of which the rest is not needed.
  mlir::Value endOf(mlir::OpBuilder &builder, int64_t dim) const;

  /// Where that of the lanes ends, at the current indices of the others.
  mlir::Value endOfLanes(mlir::OpBuilder &builder) const;

  /// How many lanes from the first on, at the current indices of the other dimensions, are inside of the buffer's
  /// array, and of the arrays of all buffers.
  mlir::Value lanesInside(mlir::OpBuilder &builder, const LoopAccess &access) const;
  mlir::Value lanesInside(mlir::OpBuilder &builder) const;

  /// The indices of a buffer's element in a lane of the vector at the current indices.
  llvm::SmallVector<mlir::Value> laneIndices(mlir::OpBuilder &builder, const LoopAccess &access, int64_t lane) const;

  /// The address of a buffer's element at the current indices, in bytes.
  mlir::Value address(mlir::OpBuilder &builder, const LoopAccess &access) const;

  /// Prefetches the lines of the inputs that only the next block reads, at the current indices.
  void prefetchNext(mlir::OpBuilder &builder);

  mlir::linalg::GenericOp op;
  const Plan &plan;
  mlir::Block *body;
  mlir::Location loc;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<LoopAccess> accesses;
  llvm::SmallVector<mlir::Value> indices; // current index per loop dimension; of the lane dimension, of the first lane
  int64_t laneDim = none, reductionDim = none;
  int64_t lanes = 1;
  int64_t vectorLanes = 1;  // of one vector, where `lanes` may be several
  bool mayBeOutside = true; // whether elements at the current indices may be outside of tiles with an edge
  mlir::Value mask;         // the lanes that are iterations; null: all
  int64_t fetchedSteps = 1; // steps of the lane dimension whose lines `prefetchNext` fetches
  llvm::SmallVector<mlir::memref::PrefetchOp> fetches{}; // all that it made
  llvm::SmallVector<mlir::vector::LoadOp> loads{};       // all that `load` made

private:
  mlir::Value isInside(mlir::OpBuilder &builder, const LoopAccess &access, mlir::ValueRange at,
                       std::optional<int64_t> exceptFor = std::nullopt) const;
  mlir::Value maskOf(mlir::OpBuilder &builder, const LoopAccess &access) const;
  mlir::Value loadElement(mlir::OpBuilder &builder, const LoopAccess &access, mlir::ValueRange at) const;
  void storeElement(mlir::OpBuilder &builder, const LoopAccess &access, mlir::Value value, mlir::ValueRange at) const;
  bool isContiguous(const LoopAccess &access) const { return access.strideAlong(laneDim) == 1; }
  bool isGuarded(const LoopAccess &access) const { return access.edge && mayBeOutside; }
};

} // namespace tilewright::cpu

#endif
