// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_INTERPRETER_MEMORY_OWNEDMEMORY_H
#define TILEWRIGHT_INTERPRETER_MEMORY_OWNEDMEMORY_H

#include "interpreter/Element.h"
#include <memory>

namespace tilewright::interpreter {

// Memory that the interpreter itself provides, zero at first: for globals and allocas.
class OwnedMemory {
public:
  // The limit of one allocation: a larger one is an error of the program.
  static constexpr uint64_t maxBytes = uint64_t(1) << 30;

  // Alignment is a power of two. The address is null if out of memory.
  OwnedMemory(uint64_t bytes, uint64_t alignment);
  uint64_t address() const { return start; }
  uint64_t bytes() const { return size; }

private:
  std::unique_ptr<char[]> storage;
  uint64_t start = 0, size;
};
// Bytes of consecutive elements; more than OwnedMemory::maxBytes on overflow.
uint64_t bytesOf(uint64_t count, Element element);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_MEMORY_OWNEDMEMORY_H
