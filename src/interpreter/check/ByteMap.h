// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A pointer for every byte of memory, kept as runs of equal ones. Tiles access rows, and the bytes of a row
// have equal values: memory is proportional to the number of different tiles, not of bytes.
#ifndef TILEWRIGHT_INTERPRETER_CHECK_BYTEMAP_H
#define TILEWRIGHT_INTERPRETER_CHECK_BYTEMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tilewright::interpreter {

struct ByteRange {
  uint64_t begin, end;
  bool operator==(const ByteRange &other) const { return begin == other.begin && end == other.end; }
};

// The elements at these addresses as ranges in order; sorts the addresses. `overlapping`, if any, receives the
// first element that shares bytes with another one.
llvm::SmallVector<ByteRange> coalesce(llvm::SmallVectorImpl<uint64_t> &addresses, unsigned elementBytes,
                                      uint64_t *overlapping = nullptr);

class ByteMap {
public:
  using Value = const void *;

  // Replaces each value in the ranges, which are in order and disjoint, by `next(value, first byte of the run)`. Every
  // byte begins with null.
  void update(llvm::ArrayRef<ByteRange> ranges, llvm::function_ref<Value(Value, uint64_t)> next);

  Value at(uint64_t address) const;
  // For tests: the number of stored runs.
  size_t numRuns() const;

private:
  static constexpr uint64_t pageBytes = 4096;
  struct Run {
    uint16_t begin; // the next run begins where this one ends
    Value value;
  };
  using Page = llvm::SmallVector<Run, 2>;

  static void updatePage(Page &page, uint64_t base, llvm::ArrayRef<ByteRange> ranges,
                         llvm::function_ref<Value(Value, uint64_t)> next);

  llvm::DenseMap<uint64_t, Page> pages;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_BYTEMAP_H
