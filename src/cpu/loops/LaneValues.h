// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_LOOPS_LANEVALUES_H
#define TILEWRIGHT_CPU_LOOPS_LANEVALUES_H

#include "cpu/loops/LoopNest.h"

#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace tilewright::cpu {

/// Which elements the lanes of a vector are. Where their order is free, those of a vector of bf16 are its even
/// elements, then its odd ones: as f32 they are the lower and upper halves of 32-bit lanes, a shift and a mask for two
/// vectors instead of two extensions and shifts.
enum class LaneOrder { Ascending, EvenFirst };

/// The order that saves instructions in this loop, if any order will do.
LaneOrder bestLaneOrder(LoopNest &nest);

/// The values of the body for the lanes of a vector.
///
/// A value is *uniform* (the same in all lanes; it stays a scalar), *linear* (an integer that grows by a constant from
/// lane to lane: it stays a scalar until a lane needs it, and an address like that is a contiguous access), or
/// *varying* (a vector).
///
/// They belong to one place in the loops: the emitter of the body there creates them, and discards them afterwards.
class LaneValues {
public:
  explicit LaneValues(LoopNest &nest, LaneOrder order = LaneOrder::Ascending) : nest(nest), order(order) {}

  /// An argument of the body is not in its buffer but in a register.
  void setArgument(mlir::BlockArgument argument, mlir::Value value) { values[argument] = value; }

  /// The value as a vector, or as a scalar if there are no lanes.
  mlir::Value asLanes(mlir::OpBuilder &builder, mlir::Value value);

  /// Stores through addresses; they happen whether or not their result is asked for.
  void runEffects(mlir::OpBuilder &builder);

private:
  using Slopes = llvm::DenseMap<mlir::Value, std::optional<int64_t>>;
  std::optional<int64_t> slope(mlir::Value value);
  std::optional<int64_t> addressSlope(mlir::Value address);
  std::optional<int64_t> slopeOf(mlir::Value value, Slopes &known, bool isAddress);
  std::optional<int64_t> computeSlope(mlir::Value value, Slopes &known, bool isAddress);
  bool growsWithoutWrapping(mlir::Value value, int64_t slope, bool isSigned);
  mlir::ConstantIntRanges rangeOf(mlir::Value value);

  mlir::Value firstLane(mlir::OpBuilder &builder, mlir::Value value);
  mlir::Value ramp(mlir::OpBuilder &builder, mlir::Value value, int64_t step);
  mlir::Value varyingOp(mlir::OpBuilder &builder, mlir::Operation *inner);
  mlir::Value loadEvenFirst(mlir::OpBuilder &builder, const LoopAccess &access);
  mlir::Value pointer(mlir::OpBuilder &builder, mlir::Value address);
  std::pair<mlir::Value, mlir::Value> firstAndLast(mlir::OpBuilder &builder, mlir::Value position);
  mlir::Value holdsInAllLanes(mlir::OpBuilder &builder, mlir::Value mask);
  mlir::Value accessLanes(mlir::OpBuilder &builder, mlir::Value mask, mlir::TypeRange result,
                          llvm::function_ref<mlir::Value(mlir::OpBuilder &)> whole,
                          llvm::function_ref<mlir::Value(mlir::OpBuilder &)> masked);
  mlir::Value loadLanes(mlir::OpBuilder &builder, PtrLoadOp access);
  void fetchLaterRow(mlir::OpBuilder &builder, PtrLoadOp access, int64_t bytes);
  void storeLanes(mlir::OpBuilder &builder, PtrStoreOp access);

  mlir::VectorType vectorOf(mlir::Type element) const { return mlir::VectorType::get({nest.lanes}, element); }
  bool hasLanes() const { return nest.laneDim != LoopNest::none; }

  LoopNest &nest;
  LaneOrder order;
  llvm::DenseMap<mlir::Value, mlir::Value> values, scalars;
  Slopes slopes, addressSlopes;
  llvm::DenseMap<mlir::Value, mlir::ConstantIntRanges> ranges;
};

} // namespace tilewright::cpu

#endif
