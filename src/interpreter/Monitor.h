// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Callbacks of an interpreted launch: checked mode and the debugger are monitors. Without a monitor a launch only
// computes. All are called on the thread that interprets, in order of execution.
#ifndef TILEWRIGHT_INTERPRETER_MONITOR_H
#define TILEWRIGHT_INTERPRETER_MONITOR_H

#include "cuda_tile/ir/CudaTile.h"
#include "interpreter/Value.h"
#include "llvm/Support/Error.h"
#include <array>

namespace tilewright::interpreter {

class Context;

// One element read or written. An atomic read-modify-write is one access with isWrite and isAtomic.
struct Access {
  mlir::Operation *op = nullptr;
  uint64_t address = 0;
  unsigned bytes = 0;
  int64_t element = 0; // row-major number in the tile that is loaded, stored or combined
  bool isWrite = false, isAtomic = false;
  cuda_tile::MemoryOrderingSemantics ordering = cuda_tile::MemoryOrderingSemantics::WEAK;
  // Of the ordering; nothing for a weak access.
  std::optional<cuda_tile::MemoryScope> scope;
};

// Violations that a normal run does not detect.
enum class Violation {
  IndexSpace,     // a tile of a view outside of its index space
  Inbounds,       // `inbounds` on a tile that leaves the tensor
  Assume,         // a predicate that does not hold
  Arithmetic,     // division by zero, a shift by the width, a conversion out of range, an excluded overflow
  UndefinedValue, // elements outside of a view, or masked ones, without a padding value
  Shape,          // a negative extent of a tensor, a step of a loop that is not positive
};

class Monitor {
public:
  virtual ~Monitor();

  virtual void beginLaunch(cuda_tile::EntryOp entry, llvm::ArrayRef<Value> arguments, std::array<int64_t, 3> grid) {}
  virtual void beginBlock(std::array<int64_t, 3> block) {}
  virtual void endBlock() {}
  virtual void endLaunch() {}

  // Before each operation, also inside of the bodies of reductions. An error ends the launch.
  virtual llvm::Error beforeOp(mlir::Operation *op, Context &context) { return llvm::Error::success(); }
  // After each operation, with its results set.
  virtual llvm::Error afterOp(mlir::Operation *op, Context &context) { return llvm::Error::success(); }

  // Tokens are numbers that the monitor makes.
  virtual uint64_t makeToken() { return 0; }
  virtual uint64_t joinTokens(llvm::ArrayRef<uint64_t> tokens) { return 0; }
  // The result token of a memory operation, ordered after `token` if it has one. Called after its accesses.
  virtual uint64_t tokenAfter(mlir::Operation *op, std::optional<uint64_t> token) { return 0; }

  // Before each element of memory is accessed. If the result is false, it is not: a read returns zero.
  virtual bool access(const Access &access, std::optional<uint64_t> token) { return true; }
  // Memory that a program may use from here on: globals before the first block, allocas as they run.
  virtual void allocated(mlir::Operation *op, uint64_t address, uint64_t bytes) {}
  // Memory of an alloca whose block has ended.
  virtual void released(uint64_t address, uint64_t bytes) {}

  // Elements of the result of `op`, by their row-major number, have no defined value: padding without a value, or the
  // result of an atomic where its mask is false.
  virtual void undefinedElements(mlir::Operation *op, llvm::ArrayRef<int64_t> elements) {}
  virtual void violated(mlir::Operation *op, Violation violation, const llvm::Twine &what) {}
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_MONITOR_H
