// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/memory/Globals.h"

#include "interpreter/Constants.h"
#include "interpreter/memory/Memory.h"

namespace tilewright::interpreter {

Globals::Globals(cuda_tile::ModuleOp module) {
  for (auto op : module.getOps<cuda_tile::GlobalOp>()) {
    Tile initial = constantTile(op.getValue());
    index[op.getSymName()] = globals.size();
    globals.push_back({op, OwnedMemory(bytesOf(initial.size(), initial.element), op.getAlignment())});
    uint64_t address = globals.back().memory.address();
    for (int64_t i = 0; address && i < initial.size(); ++i)
      writeElement(placeOf(address, i, initial.element), initial.element, initial.bits[i]);
  }
}

} // namespace tilewright::interpreter
