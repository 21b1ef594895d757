// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in the memory of the host, and the accesses of one operation to them.
#ifndef TILEWRIGHT_INTERPRETER_MEMORY_MEMORY_H
#define TILEWRIGHT_INTERPRETER_MEMORY_MEMORY_H

#include "interpreter/Context.h"
#include "support/CrashSignals.h"
#include <cstring>

namespace tilewright::interpreter {

inline Bits readBytes(const char *address, unsigned bytes) {
  Bits bits = 0;
  std::memcpy(&bits, address, bytes); // little-endian
  return bits;
}
inline void writeBytes(char *address, Bits bits, unsigned bytes) {
  std::memcpy(address, &bits, bytes);
}

// The location of an element.
struct Place {
  uint64_t address = 0;
  bool isHighHalf = false; // of an element that shares its byte
};
// The element at that distance in elements from an address.
Place placeOf(uint64_t address, int64_t distance, Element element);

Bits readElement(Place place, Element element);
void writeElement(Place place, Element element, Bits bits);

// Accesses through pointers that may be invalid: illegal reads return zero, and illegal accesses are recorded.
class GuardedMemory {
public:
  Bits read(Place place, Element element);
  void write(Place place, Element element, Bits bits);
  std::optional<uint64_t> missing; // the address of the first of them

private:
  // The continuation of a thread after an access to an invalid address.
  struct Fault : RecoveryPoint {
    Fault() : RecoveryPoint(onSignal) {}
    volatile bool isExpected = false; // `buffer` is set, during an access
    static void onSignal(RecoveryPoint &point, int signal, const siginfo_t &info, void *);
  };

  Fault fault;
};

// The accesses of one operation: each is reported to the monitor, then executed; finish() returns the token.
class Accesses {
public:
  template <typename Op>
  Accesses(Op op, Context &context, bool isAtomic = false)
      : Accesses(op, context, isAtomic, op.getMemoryOrderingSemantics(), op.getMemoryScope(), op.getToken()) {}

  // `number` is that of the element in its tile, row-major.
  Bits read(int64_t number, Place place, Element element);
  void write(int64_t number, Place place, Element element, Bits bits);
  // Replaces the element by the result of `change`; returns the old value.
  Bits update(int64_t number, Place place, Element element, llvm::function_ref<Bits(Bits)> change);
  Token finish();

private:
  Accesses(mlir::Operation *op, Context &context, bool isAtomic, cuda_tile::MemoryOrderingSemantics ordering,
           std::optional<cuda_tile::MemoryScope> scope, mlir::Value token);
  bool isAllowed(int64_t number, Place place, Element element, bool isWrite);

  Context &context;
  Monitor *monitor;
  GuardedMemory memory;
  std::optional<uint64_t> token;
  Access access;
};

// The element of a type that padding of that name has: a type without infinity has its largest number for one.
Bits paddingBits(cuda_tile::PaddingValue padding, Element element);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_MEMORY_MEMORY_H
