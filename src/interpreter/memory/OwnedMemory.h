// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_INTERPRETER_MEMORY_OWNEDMEMORY_H
#define TILEWRIGHT_INTERPRETER_MEMORY_OWNEDMEMORY_H

#include "interpreter/Element.h"
#include <memory>

namespace tilewright::interpreter {

// Memory that the interpreter itself provides, zero at first: for globals and allocas.
class OwnedMemory {
public:
  // No more than this at once: who asks for more has made a mistake.
  static constexpr uint64_t maxBytes = uint64_t(1) << 30;

  // Alignment is a power of two. Null address if there is no such memory.
  OwnedMemory(uint64_t bytes, uint64_t alignment);
  uint64_t address() const { return start; }
  uint64_t bytes() const { return size; }

private:
  std::unique_ptr<char[]> storage;
  uint64_t start = 0, size;
};
// Bytes of elements that lie one after the other; more than OwnedMemory::maxBytes if they are too many to count.
uint64_t bytesOf(uint64_t count, Element element);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_MEMORY_OWNEDMEMORY_H
