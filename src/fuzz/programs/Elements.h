// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of the element types of Tile IR, and numbers that are worth trying.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_ELEMENTS_H
#define TILEWRIGHT_FUZZ_PROGRAMS_ELEMENTS_H

#include "interpreter/Element.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace tilewright::programs {

// Numbers only: pointers come last.
using interpreter::Element;
constexpr unsigned numElements = static_cast<unsigned>(Element::Pointer);

// A set of element types, one bit each.
using ElementSet = uint32_t;
constexpr ElementSet setOf(Element element) {
  return 1u << static_cast<unsigned>(element);
}
constexpr ElementSet words = setOf(Element::I8) | setOf(Element::I16) | setOf(Element::I32) | setOf(Element::I64);
constexpr ElementSet integers = words | setOf(Element::I1);
constexpr ElementSet floats = setOf(Element::F16) | setOf(Element::BF16) | setOf(Element::F32) | setOf(Element::F64);
constexpr ElementSet smallFloats = setOf(Element::F8E4M3FN) | setOf(Element::F8E5M2) | setOf(Element::F8E8M0FNU) |
                                   setOf(Element::F8E5M3FNU) | setOf(Element::F4E2M1FN);
constexpr ElementSet allFloats = floats | setOf(Element::TF32) | smallFloats;
// Element types that a buffer can hold, one element per address.
constexpr ElementSet stored = integers | floats | setOf(Element::TF32) | (smallFloats & ~setOf(Element::F4E2M1FN));

std::optional<Element> elementByName(llvm::StringRef name);
mlir::Type getType(Element element, mlir::MLIRContext *context);
// Of a number; not for pointers.
Element getElement(mlir::Type type);

// Which numbers a buffer or a constant holds.
enum class Contents {
  Zero,
  // Integers of at most 4 (8-bit floats and wider hold them exactly), so that sums and products round nowhere.
  Small,
  // Zeros of both signs, infinities, NaN, subnormals, ties, extremes, small integers, moderate reals, random bits.
  Any,
};

// The number of the type nearest to `value`; an unsigned type drops the sign.
uint64_t encode(Element element, double value);
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

#endif // TILEWRIGHT_FUZZ_PROGRAMS_ELEMENTS_H
