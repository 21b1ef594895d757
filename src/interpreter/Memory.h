// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in the memory of the host, little-endian.
#ifndef TILEWRIGHT_INTERPRETER_MEMORY_H
#define TILEWRIGHT_INTERPRETER_MEMORY_H

#include "interpreter/Element.h"
#include <cstring>

namespace tilewright::interpreter {

inline Bits readBytes(const char *address, unsigned bytes) {
  Bits bits = 0;
  std::memcpy(&bits, address, bytes);
  return bits;
}
inline void writeBytes(char *address, Bits bits, unsigned bytes) {
  std::memcpy(address, &bits, bytes);
}

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_MEMORY_H
