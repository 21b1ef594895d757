// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of tiles as bits: one 64-bit word each, zero extended, whatever the type. 1.0 in f16 is 0x3C00, -1 in i8 is
// 0xFF, true is 1; a tf32 is the bits of an f32, a pointer its address.
#ifndef TILEWRIGHT_INTERPRETER_ELEMENT_H
#define TILEWRIGHT_INTERPRETER_ELEMENT_H

#include "mlir/IR/Types.h"
#include <cstdint>
#include <optional>

namespace tilewright::interpreter {

enum class Element : uint8_t {
  I1,
  I4,
  I8,
  I16,
  I32,
  I64,
  F16,
  BF16,
  F32,
  F64,
  TF32,
  F8E4M3FN,
  F8E5M2,
  F8E8M0FNU,
  F8E5M3FNU,
  F4E2M1FN,
  Pointer,
};

using Bits = uint64_t;

// The element of a tile's element type; nothing for any other type.
std::optional<Element> elementOf(mlir::Type type);

// Bits that count: 1 for i1, 4 for f4E2M1FN, 32 for tf32.
unsigned bitWidth(Element element);
// Bytes of an element in memory, at least one.
unsigned storageBytes(Element element);
// Two elements lie in one byte, the first in its low half. The others have bytes of their own, also i1.
inline bool sharesByte(Element element) {
  return element == Element::F4E2M1FN;
}

bool isInteger(Element element);
bool isFloat(Element element);

// The element as a signed integer.
int64_t signExtend(Bits bits, Element element);
// The low bits, as an element holds them.
Bits truncate(uint64_t value, Element element);

// As Tile IR spells the type.
llvm::StringRef elementName(Element element);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_ELEMENT_H
