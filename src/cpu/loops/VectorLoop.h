// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State shared by the steps that turn a linalg.generic on buffers into loops: the addresses of its elements, the loops,
// and the values of its body for the lanes of a vector.
#ifndef TILEWRIGHT_CPU_LOOPS_VECTORLOOP_H
#define TILEWRIGHT_CPU_LOOPS_VECTORLOOP_H

#include "cpu/loops/MicroTiles.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace tilewright::cpu {

/// A buffer the loop reads or writes, with where its element is for given loop indices; or a scalar.
struct LoopAccess {
  mlir::Value buffer;
  mlir::AffineMap map;

  mlir::MemRefType type() const { return mlir::cast<mlir::MemRefType>(buffer.getType()); }

  bool dependsOn(int64_t dim) const { return map.isFunctionOfDim(dim); }

  /// By how much an index grows per step of a loop dimension; nothing if not by a constant.
  static std::optional<int64_t> coefficient(mlir::AffineExpr index, int64_t dim);

  /// Stride in elements per step of a loop dimension; zero if it does not depend on it.
  int64_t strideAlong(int64_t dim) const;

  llvm::SmallVector<mlir::Value> indices(mlir::OpBuilder &builder, mlir::Location loc,
                                         llvm::ArrayRef<mlir::Value> loopIndices) const;
};

/// The loop op, and the loops it becomes.
struct LoopNest {
  static constexpr int64_t none = -1;

  LoopNest(mlir::linalg::GenericOp op, const Plan &plan)
      : op(op), plan(plan), body(op.getBody()), loc(op.getLoc()), sizes(op.getStaticLoopRanges()) {}

  /// Finds the buffers and the dimension that is reduced; an error if an index is not linear in the loops' indices.
  mlir::LogicalResult findAccesses();

  const LoopAccess &outAccess(unsigned i) { return accesses[op.getNumDpsInputs() + i]; }

  mlir::Value index(mlir::OpBuilder &builder, int64_t value) const;

  /// Loops of step 1 over `dims`, around what `inner` makes.
  void nest(mlir::OpBuilder &builder, llvm::ArrayRef<int64_t> dims, llvm::function_ref<void(mlir::OpBuilder &)> inner);

  /// Clones an op of the body, on vectors if `like` is one.
  void cloneOp(mlir::OpBuilder &builder, mlir::Operation *inner, mlir::IRMapping &mapping, mlir::Type like);

  mlir::linalg::GenericOp op;
  const Plan &plan;
  mlir::Block *body;
  mlir::Location loc;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<LoopAccess> accesses;
  llvm::SmallVector<mlir::Value> indices; // current index per loop dimension; of the lane dimension, of the first lane
  int64_t laneDim = none, reductionDim = none;
  int64_t lanes = 1;
};

/// The values of the body for the lanes of a vector.
///
/// A value is *uniform* (the same in all lanes; it stays a scalar), *linear* (an integer that grows by a constant from
/// lane to lane: it stays a scalar until a lane needs it, and an address like that is a contiguous access), or
/// *varying* (a vector).
///
/// Where the order of lanes is free, those of a vector of bf16 are its even elements, then its odd ones: as f32 they
/// are the lower and upper halves of 32-bit lanes, a shift and a mask for two vectors instead of two extensions and
/// shifts.
class LaneValues : public LoopNest {
public:
  using LoopNest::LoopNest;

  /// Forgets the values: they belong to one place in the loops.
  void startBody();

  /// An argument of the body is not in its buffer but in a register.
  void setArgument(mlir::BlockArgument argument, mlir::Value value) { values[argument] = value; }

  /// The value as a vector, or as a scalar if there are no lanes.
  mlir::Value asLanes(mlir::OpBuilder &builder, mlir::Value value);

  /// The element of a buffer, or the vector of elements, at the current indices.
  mlir::Value load(mlir::OpBuilder &builder, const LoopAccess &access);
  void store(mlir::OpBuilder &builder, const LoopAccess &access, mlir::Value value);

  /// Stores through addresses; they happen whether or not their result is asked for.
  void runEffects(mlir::OpBuilder &builder);

  /// Prefetches the lines of the inputs that only the next block reads, at the current indices.
  void fetch(mlir::OpBuilder &builder);

protected:
  bool streaming = false; // stores go past the cache
  bool evenFirst = false; // even elements, then odd ones

  /// Whether that is possible, and saves something, if the order is free.
  bool canPutEvenFirst();

private:
  using Slopes = llvm::DenseMap<mlir::Value, std::optional<int64_t>>;
  std::optional<int64_t> slope(mlir::Value value);
  std::optional<int64_t> addressSlope(mlir::Value address);
  std::optional<int64_t> slopeOf(mlir::Value value, Slopes &known, bool isAddress);
  std::optional<int64_t> computeSlope(mlir::Value value, Slopes &known, bool isAddress);
  bool growsWithoutWrapping(mlir::Value value, int64_t slope, bool isSigned);
  mlir::ConstantIntRanges rangeOf(mlir::Value value);

  mlir::Value firstLane(mlir::OpBuilder &builder, mlir::Value value);
  mlir::Value varyingOp(mlir::OpBuilder &builder, mlir::Operation *inner);
  mlir::Value loadEvenFirst(mlir::OpBuilder &builder, const LoopAccess &access);
  llvm::SmallVector<mlir::Value> laneIndices(mlir::OpBuilder &builder, const LoopAccess &access, int64_t lane);
  mlir::Value pointer(mlir::OpBuilder &builder, mlir::Value address);
  mlir::Value loadLanes(mlir::OpBuilder &builder, PtrLoadOp access);
  void storeLanes(mlir::OpBuilder &builder, PtrStoreOp access);

  llvm::DenseMap<mlir::Value, mlir::Value> values, scalars;
  Slopes slopes, addressSlopes;
  llvm::DenseMap<mlir::Value, mlir::ConstantIntRanges> ranges;
};

/// Square blocks transposed in registers, for a loop that reads along one dimension and writes along another. False,
/// and nothing done, for every other loop.
bool emitSquareBlocks(const LoopNest &loop);

} // namespace tilewright::cpu

#endif
