// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_INTERPRETER_MEMORY_GLOBALS_H
#define TILEWRIGHT_INTERPRETER_MEMORY_GLOBALS_H

#include "cuda_tile/ir/CudaTile.h"
#include "interpreter/memory/OwnedMemory.h"
#include "llvm/ADT/StringMap.h"

namespace tilewright::interpreter {

// The memory of a module's globals, with their initial values.
class Globals {
public:
  explicit Globals(cuda_tile::ModuleOp module);

  struct Global {
    cuda_tile::GlobalOp op;
    OwnedMemory memory;
  };
  const Global &find(llvm::StringRef name) const { return globals[index.lookup(name)]; }
  // In the order of the module.
  llvm::ArrayRef<Global> all() const { return globals; }

private:
  std::vector<Global> globals;
  llvm::StringMap<size_t> index;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_MEMORY_GLOBALS_H
