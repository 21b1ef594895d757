// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of one thread for each value of a tile program, and where that thread's elements lie in a tile.
//
// Example: a tensor<64xf32> whose layout has {register: 32, lane: 1 2 4 8 16} is two scalars; the thread of lane 5
// holds elements 5 and 5 + 32. `coordinate` of register 1 is `lane + 32`.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_TILEREGISTERS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_TILEREGISTERS_H

#include "machine/Architecture.h"
#include "tileas/analysis/TileSlopes.h"
#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class TileRegisters {
  struct ThreadNumber {
    layout::LinearLayout map;
    layout::Dim out;
    mlir::Value value;
  };

public:
  TileRegisters(mlir::func::FuncOp function, const nvidia::Architecture &architecture);

  /// Where new operations go: before the one that is being lowered.
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::func::FuncOp function;
  const nvidia::Architecture &architecture;
  int64_t warps;
  /// Of the tiles of addresses and masks that accesses take.
  const tileas::TileSlopes slopes;

  /// The types of what a value is: a scalar itself, a tile one per register, a view its base (i64), dynamic extents and
  /// strides (index), a token nothing, a tensor map its place.
  llvm::SmallVector<mlir::Type> typesOf(mlir::Type type) const;
  bool isExpanded(mlir::Type type) const;
  llvm::SmallVector<mlir::Value> get(mlir::Value value) const;
  void set(mlir::Value value, mlir::ValueRange registers);
  /// Gives a tile or scalar other registers from now on.
  void replace(mlir::Value value, mlir::ValueRange registers);
  /// The element in a register of a tile, or the scalar; nothing of no value.
  mlir::Value elementOf(mlir::Value value, uint64_t reg) const;

  /// The thread's numbers, i32.
  mlir::Value lane() const { return laneId; }
  mlir::Value warp() const { return warpId; }
  mlir::Value thread() const { return threadId; }
  /// True in the lanes and warps that hold no copy under this layout (those whose redundant bits are zero); nothing
  /// where that is all of them.
  mlir::Value holdsOriginal(const layout::LinearLayout &layout);
  /// The same for a tile's type; of a scalar one thread is the original.
  mlir::Value isOriginal(mlir::Type type);
  /// Their conjunction; nothing stands for true.
  mlir::Value both(mlir::Value a, mlir::Value b);
  /// The first operation of the function that is to be lowered.
  mlir::Operation *firstOperation() const { return first; }
  /// While it is there, some of the block's warps are lowered, which count from zero; what depends on the thread alone
  /// stands before `first`.
  class SomeWarps {
  public:
    SomeWarps(TileRegisters &tiles, int64_t firstWarp, int64_t warps, mlir::Operation *first);
    ~SomeWarps();

  private:
    TileRegisters &tiles;
    int64_t allWarps;
    mlir::Value warpOfAll, threadOfAll;
    mlir::Operation *firstOfAll;
    std::vector<ThreadNumber> numbersOfAll;
  };
  /// All threads of the block are there, or while `consumersOnly` all of the warps that have the tiles. `any` of them
  /// may say something: then the result is whether one did, the same in all.
  mlir::Value barrier(mlir::Value any = {});
  bool consumersOnly = false;
  /// After a wait, accesses to tensor memory before it are visible (tcgen05.fence).
  bool usesTmem = false;
  /// A pointer to a table of the module with these elements.
  mlir::Value constantTable(mlir::DenseElementsAttr elements);
  /// True in one thread of those that are there.
  mlir::Value isFirstThread();

  /// The part of a linear map's output that depends on lane and warp, as a number of the output: i32.
  mlir::Value threadPart(const layout::LinearLayout &map, layout::Dim out);
  /// The output for a register of this thread.
  mlir::Value output(const layout::LinearLayout &map, layout::Dim out, uint64_t reg);
  /// The element's coordinate along a dimension of the tile.
  mlir::Value coordinate(const layout::LinearLayout &layout, unsigned dim, uint64_t reg) {
    return output(layout, layout::tileDim(dim), reg);
  }

  /// Runs `compute` with the thread's number read anew, so that values of it need no registers before.
  void readThreadAgain(llvm::function_ref<void()> compute);

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value i1(bool value);
  mlir::Value constant(mlir::Type type, int64_t value);

  /// A pointer to the shared memory of the block: to a place in bytes, i32.
  mlir::Value sharedPointer(int64_t offset);
  mlir::Value sharedPointer(mlir::Value offset);
  /// A pointer from an address, i64: to global memory, unless the kernel has memory of its own, which is shared and
  /// whose addresses may be anywhere.
  mlir::Value globalPointer(mlir::Value address);

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> registers;
  unsigned addressSpace;
  mlir::Value laneId, warpId, threadId, sharedBase;
  // Numbers that depend on the thread alone stand at the top of the function, each once, unless it is read again.
  mlir::Operation *first;
  bool readAgain = false;
  std::vector<ThreadNumber> numbers;
  mlir::Value computeThreadPart(const layout::LinearLayout &map, layout::Dim out);
};

/// A type of memory: i1 takes a byte.
mlir::Type memoryType(mlir::Type element);
inline int64_t bytesOf(mlir::Type element) {
  return std::max(1u, element.getIntOrFloatBitWidth() / 8);
}

/// The array of the module in which all buffers lie; it is as large as the launch says.
constexpr llvm::StringLiteral sharedMemoryName = "tilewright_shared_memory";

} // namespace tilewright

#endif
