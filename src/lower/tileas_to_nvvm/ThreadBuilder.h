// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the code of one thread for an operation on tiles: where that thread's elements lie in a tile, and the pieces
// that all families of operations are made of.
//
// Example: a tensor<64xf32> whose layout has {register: 32, lane: 1 2 4 8 16} is two scalars; the thread of lane 5
// holds elements 5 and 5 + 32. `coordinate` of register 1 is `lane + 32`.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_THREADBUILDER_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_THREADBUILDER_H

#include "lower/tileas_to_nvvm/KernelContext.h"
#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright {

class ThreadBuilder {
public:
  /// Builds before an operation of the original IR, for the threads that run it.
  ThreadBuilder(mlir::ConversionPatternRewriter &rewriter, mlir::Operation *op, KernelContext &kernel)
      : builder(rewriter), loc(op->getLoc()), architecture(kernel.architecture), kernel(kernel),
        scope(kernel.scopeOf(op)), isByConsumers(kernel.isByConsumers(op)) {}

  mlir::ConversionPatternRewriter &builder;
  mlir::Location loc;
  const nvidia::Architecture &architecture;

  /// Puts registers in the place of the operation's first result; other results are tokens, and disappear.
  mlir::LogicalResult replace(mlir::Operation *op, mlir::ValueRange registers = {});
  /// Says why no code can be built for an operation. Nothing may have been built before.
  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &reason);

  /// The thread's numbers, i32, and how many warps run together.
  mlir::Value lane() const { return scope.lane; }
  mlir::Value warp() const { return scope.warp; }
  mlir::Value id() const { return scope.thread; }
  int64_t warps() const { return scope.warps; }
  /// Whether other threads of the CTA do other work meanwhile.
  bool isConsumer() const { return isByConsumers; }

  /// True in the lanes and warps that hold no copy under this layout (those whose redundant bits are zero); nothing
  /// where that is all of them.
  mlir::Value holdsOriginal(const layout::LinearLayout &layout);
  /// The same for a tile's type; of a scalar one thread is the original.
  mlir::Value isOriginal(mlir::Type type);
  /// Their conjunction; nothing stands for true.
  mlir::Value both(mlir::Value a, mlir::Value b);
  /// All threads of the scope are there. `any` of them may say something: then the result is whether one did, the same
  /// in all.
  mlir::Value barrier(mlir::Value any = {});
  /// A pointer to a table of the module with these elements.
  mlir::Value constantTable(mlir::DenseElementsAttr elements);
  /// True in one thread of those that are there.
  mlir::Value isFirstThread();
  mlir::Value isFirstLane();
  /// Builds what the threads do for which a condition holds.
  void where(mlir::Value condition, llvm::function_ref<void()> body);

  /// The part of a linear map's output that depends on lane and warp, as a number of the output: i32.
  mlir::Value threadPart(const layout::LinearLayout &map, layout::Dim out);
  /// The output for a register of this thread.
  mlir::Value output(const layout::LinearLayout &map, layout::Dim out, uint64_t reg);
  /// The element's coordinate along a dimension of the tile.
  mlir::Value coordinate(const layout::LinearLayout &layout, unsigned dim, uint64_t reg) {
    return output(layout, layout::tileDim(dim), reg);
  }

  /// Runs `compute` with a builder that reads the thread's number again, so that values of it need no registers before.
  void readThreadAgain(llvm::function_ref<void(ThreadBuilder &)> compute);

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value i1(bool value);
  mlir::Value constant(mlir::Type type, int64_t value);

  /// A pointer to the shared memory of the CTA, at an offset in bytes, i32.
  mlir::Value sharedPointer(int64_t offset);
  mlir::Value sharedPointer(mlir::Value offset);
  /// A pointer to global memory from an address, i64 (see KernelContext::addressSpace).
  mlir::Value globalPointer(mlir::Value address);

private:
  ThreadBuilder(const ThreadBuilder &other, ThreadScope &scope)
      : builder(other.builder), loc(other.loc), architecture(other.architecture), kernel(other.kernel), scope(scope),
        isByConsumers(other.isByConsumers) {}
  mlir::Value computeThreadPart(const layout::LinearLayout &map, layout::Dim out);

  KernelContext &kernel;
  ThreadScope &scope;
  bool isByConsumers;
};

/// The element in a register of a tile or, of a scalar, that itself; nothing of no value.
inline mlir::Value elementOf(mlir::ValueRange registers, uint64_t reg) {
  if (registers.empty())
    return {};
  return registers.size() == 1 ? registers[0] : registers[reg];
}
/// The scalars of operands that are one each.
llvm::SmallVector<mlir::Value> scalarsOf(llvm::ArrayRef<mlir::ValueRange> operands);

/// A type of memory: i1 takes a byte.
mlir::Type memoryType(mlir::Type element);
inline int64_t bytesOf(mlir::Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

} // namespace tilewright

#endif
