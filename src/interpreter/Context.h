// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A running tile block: its values, its index in the grid, and the exit of its current region.
#ifndef TILEWRIGHT_INTERPRETER_CONTEXT_H
#define TILEWRIGHT_INTERPRETER_CONTEXT_H

#include "interpreter/Frame.h"
#include "interpreter/Monitor.h"
#include "interpreter/Options.h"
#include "interpreter/memory/OwnedMemory.h"
#include "runtime/Scheduler.h"

namespace tilewright::interpreter {

class HandlerTable;
class Globals;

// The exit of a region, with its values. A loop handles its own exits and passes on the others:
// a `return` in an `if` in a `for` goes through both to the entry.
struct Exit {
  enum class Kind { Yield, Continue, Break, Return };
  Kind kind;
  llvm::SmallVector<Value, 2> values;
};

class Context {
public:
  Context(const Places &places, const Options &options, const Globals &globals, LaunchResult &result, int64_t &steps)
      : frame(places), monitor(options.monitor), options(options), globals(globals), result(result), steps(steps) {}

  Frame frame;
  Monitor *const monitor; // null without a monitor
  const Options &options;
  const Globals &globals;
  LaunchResult &result; // the printed text, and the assert that failed
  std::array<int64_t, 3> grid = {1, 1, 1}, block = {0, 0, 0};
  // An invalid or read-only address that the current operation accessed.
  std::optional<uint64_t> missingMemory;
  // Memory of the block's allocas.
  std::vector<OwnedMemory> allocas;

  Tile &tile(mlir::Value value) { return frame.tile(value); }
  void print(llvm::StringRef text) {
    if (options.print)
      options.print(text);
    else
      result.printed += text;
  }
  // A rank-0 integer.
  int64_t integer(mlir::Value value) { return tile(value).scalarInt(); }
  void set(mlir::Value value, Value content) { frame.set(value, std::move(content)); }

  // Runs a region from the first operation of its one block to the terminator, which determines the exit. The block's
  // arguments are set before.
  llvm::Error run(mlir::Region &region);
  // The exit of the region that ran last.
  Exit takeExit();
  // For terminators: leaves the region with the values of the operands.
  void leave(Exit::Kind kind, mlir::ValueRange operands);
  // Passes an exit on to the enclosing region.
  void leave(Exit exit) { pending = std::move(exit); }

  // Reports that `op` is undefined with these operands. No effect without a monitor.
  void violated(mlir::Operation *op, Violation violation, const llvm::Twine &what) {
    if (monitor)
      monitor->violated(op, violation, what);
  }

private:
  llvm::Error step(mlir::Operation *op);
  llvm::Error countStep(mlir::Operation *op);

  std::optional<Exit> pending;
  int64_t &steps; // of the launch
};

// An error at an operation: place in the source, message.
llvm::Error errorAt(mlir::Operation *op, const llvm::Twine &message);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CONTEXT_H
