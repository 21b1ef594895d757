// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a launch may access: the elements of array arguments, globals and allocas. Bytes between the rows of
// an array that is part of a larger one belong to none.
#ifndef TILEWRIGHT_INTERPRETER_CHECK_MEMORYMAP_H
#define TILEWRIGHT_INTERPRETER_CHECK_MEMORYMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <deque>
#include <string>

namespace tilewright::interpreter {

struct Buffer {
  std::string name; // as in "a", "global @table", "the alloca"
  uint64_t address = 0;
  unsigned elementBytes = 1;
  llvm::SmallVector<int64_t, 4> shape, byteStrides; // no stride is negative
  bool writable = true;

  // The bytes from the first to behind the last element.
  uint64_t end() const;
  // The index of the element that the byte is part of, if it is part of one.
  std::optional<llvm::SmallVector<int64_t, 4>> indexOf(uint64_t byte) const;
  // There are no gaps between the elements.
  bool isDense() const;
};

class MemoryMap {
public:
  void add(Buffer buffer);
  // The buffer that begins at this address.
  void remove(uint64_t address);

  // The buffer that has these bytes, which may be part of several elements; else null.
  const Buffer *find(uint64_t address, unsigned bytes) const;
  // "a[3, 70]" for bytes of a buffer, "a[64], but a has 64 elements" for others.
  std::string describe(uint64_t address, unsigned bytes) const;

private:
  struct Entry {
    Buffer buffer;
    uint64_t end;
    bool isDense;

    bool contains(uint64_t address, unsigned bytes) const;
  };
  std::deque<Entry> entries;
  mutable const Entry *last = nullptr;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_MEMORYMAP_H
