// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/memory/OwnedMemory.h"

#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"
#include <new>

namespace tilewright::interpreter {

OwnedMemory::OwnedMemory(uint64_t bytes, uint64_t alignment) : size(bytes) {
  // Every allocation has an address of its own, whatever its alignment.
  alignment = std::max<uint64_t>(alignment, 16);
  if (bytes > maxBytes || alignment > maxBytes)
    return;
  storage.reset(new (std::nothrow) char[bytes + alignment]());
  if (storage)
    start = llvm::alignTo(reinterpret_cast<uintptr_t>(storage.get()), alignment);
}

uint64_t bytesOf(uint64_t count, Element element) {
  return sharesByte(element) ? count / 2 + count % 2 : llvm::SaturatingMultiply<uint64_t>(count, storageBytes(element));
}

} // namespace tilewright::interpreter
