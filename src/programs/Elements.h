// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types of Tile IR, and numbers of them that are worth trying.
#ifndef TILEWRIGHT_PROGRAMS_ELEMENTS_H
#define TILEWRIGHT_PROGRAMS_ELEMENTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace tilewright::programs {

// The order is that of the table in Elements.cpp.
enum Element : unsigned {
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
};
constexpr unsigned numElements = F4E2M1FN + 1;

// A set of element types, one bit each.
using ElementSet = uint32_t;
constexpr ElementSet setOf(Element element) {
  return 1u << element;
}
constexpr ElementSet words = setOf(I8) | setOf(I16) | setOf(I32) | setOf(I64);
constexpr ElementSet integers = words | setOf(I1);
constexpr ElementSet floats = setOf(F16) | setOf(BF16) | setOf(F32) | setOf(F64);
constexpr ElementSet smallFloats =
    setOf(F8E4M3FN) | setOf(F8E5M2) | setOf(F8E8M0FNU) | setOf(F8E5M3FNU) | setOf(F4E2M1FN);
constexpr ElementSet allFloats = floats | setOf(TF32) | smallFloats;
// What a buffer can hold, one element per address.
constexpr ElementSet stored = integers | floats | setOf(TF32) | (smallFloats & ~setOf(F4E2M1FN));

llvm::StringRef getName(Element element);
std::optional<Element> elementByName(llvm::StringRef name);
mlir::Type getType(Element element, mlir::MLIRContext *context);
// Of a number; not for pointers.
Element getElement(mlir::Type type);
// Bytes in memory; i4 and f4E2M1FN count as 1.
unsigned getStorageBytes(Element element);
bool isFloat(Element element);

// Which numbers a buffer or a constant holds.
enum class Contents {
  Zero,
  // Integers of at most 4 (8-bit floats and wider hold them exactly), so that sums and products round nowhere.
  Small,
  // Zeros of both signs, infinities, NaN, subnormals, ties, extremes, small integers, moderate reals, random bits.
  Any,
};

// The bits of one number, as they lie in memory; the same for the same arguments.
uint64_t makeBits(Element element, Contents contents, uint64_t seed);
bool isNan(Element element, uint64_t bits);
// For people, and for comparing within bounds.
double toDouble(Element element, uint64_t bits);
// The distance of two numbers counted in representable numbers; the largest count if one alone is NaN.
uint64_t distance(Element element, uint64_t lhs, uint64_t rhs);

// A constant of these bits.
mlir::TypedAttr makeAttribute(mlir::Type type, uint64_t bits);

} // namespace tilewright::programs

#endif // TILEWRIGHT_PROGRAMS_ELEMENTS_H
