// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes cuda_tile operation by operation, without any lowering: the executable semantics of the language. Tile
// blocks run one after the other in the order of their ids, x fastest, so a block may wait for lower-numbered ones.
//
//   auto interpreter = Interpreter(module);             // a verified cuda_tile.module that outlives it
//   void *args[] = {&pointer, &count};                  // each points at the value of a parameter
//   auto result = interpreter.launch("add", {4, 1, 1}, args, {});
#ifndef TILEWRIGHT_INTERPRETER_INTERPRETER_H
#define TILEWRIGHT_INTERPRETER_INTERPRETER_H

#include "cuda_tile/ir/CudaTile.h"
#include "interpreter/Options.h"
#include "interpreter/memory/Globals.h"
#include "runtime/Scheduler.h"
#include <array>

namespace tilewright::interpreter {

// A module and the memory of its globals, which lives from launch to launch.
class Interpreter {
public:
  explicit Interpreter(cuda_tile::ModuleOp module) : module(module), globals(module) {}

  // The entry of that name; the only one for an empty name. A failed assert is part of the result; a limit that was
  // reached, or an error of a monitor or of poll, is an error.
  llvm::Expected<LaunchResult> launch(llvm::StringRef entry, std::array<int64_t, 3> grid, llvm::ArrayRef<void *> args,
                                      const Options &options);

private:
  cuda_tile::ModuleOp module;
  Globals globals;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_INTERPRETER_H
