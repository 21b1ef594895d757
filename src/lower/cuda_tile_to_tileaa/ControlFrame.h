// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control flow without jumps.
//
// Every region is emitted into a frame, which defines the values that the region yields and how each exit (yield,
// break, continue, return) computes them. If only one branch of an `if` with a jump continues, the code after the `if`
// moves into that branch. If both continue, the `if` yields a flag that guards the code after it. A loop carries one
// flag for its next iteration and, if it may return, one for the return of the kernel.
#ifndef TILEWRIGHT_LOWER_CUDA_TILE_TO_TILEAA_CONTROLFRAME_H
#define TILEWRIGHT_LOWER_CUDA_TILE_TO_TILEAA_CONTROLFRAME_H

#include "lower/cuda_tile_to_tileaa/Lowering.h"

namespace tilewright::control {

enum Exit : unsigned { Yield = 1, Break = 2, Continue = 4, Return = 8 };

struct Frame {
  llvm::SmallVector<mlir::Type> types;
  std::function<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::Location, Exit, mlir::ValueRange)> leave;

  /// The frame of a region with one way out, which ends with the values that it yields.
  static Frame yielding(mlir::TypeRange types);
};

/// The values of a frame, of an operation after which nothing of its block is left.
using FrameValues = std::optional<llvm::SmallVector<mlir::Value>>;

Exit exitOf(mlir::Operation *terminator);
/// The ways out of a region, as seen from the operation that has it. A `for` inside adds none: it runs to its end.
unsigned findExits(mlir::Region &region);

/// Moves the operations of a block to the builder, in structured form, and returns the values that its frame yields.
llvm::SmallVector<mlir::Value> emitBlock(mlir::Block &block, const Frame &frame, mlir::OpBuilder &builder);

/// Each emits an operation that is at the head of `rest`, and `rest` with it if the operation may jump; then the values
/// are those of the frame.
FrameValues emitIf(ct::IfOp op, mlir::Block &rest, const Frame &frame, mlir::OpBuilder &builder);
FrameValues emitLoop(ct::LoopOp op, mlir::Block &rest, const Frame &outer, mlir::OpBuilder &builder);
void emitFor(ct::ForOp op, mlir::OpBuilder &builder);

/// Runs the rest of `block` under a condition, or leaves the frame by `otherwise` where it is false.
llvm::SmallVector<mlir::Value>
emitGuarded(mlir::Value runs, mlir::Block &block, const Frame &frame, mlir::Location loc, mlir::OpBuilder &builder,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &)> otherwise);

mlir::Value makeFlag(mlir::OpBuilder &builder, mlir::Location loc, bool value);
/// Unused values of these types.
void appendPoison(mlir::OpBuilder &builder, mlir::Location loc, mlir::TypeRange types,
                  llvm::SmallVectorImpl<mlir::Value> &values);
/// Joins a scalar tile with the scalar that scf wants, in either direction.
mlir::Value castScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, mlir::Type type);
mlir::Value toScalar(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);
void dropOps(mlir::Block &block);
void replaceResults(mlir::Operation *op, mlir::ValueRange values);

} // namespace tilewright::control

#endif
