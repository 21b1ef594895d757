// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_IR_NUMBERS_H
#define TILEWRIGHT_TILEAA_IR_NUMBERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tilewright::tileaa {

enum class Padding : uint32_t; // TileaaEnums.td

/// The bits of a float type: a sign if it has one, then an exponent field and a mantissa, together the code. Codes
/// count magnitudes upwards from zero, so that the next larger number is one more. f8E4M3FN: 3 bits of mantissa, normal
/// from 2^-6, the largest number 0x7E, NaN 0x7F, no infinity.
struct FloatFormat {
  unsigned mantissaBits;
  int minExponent; // of the smallest normal number
  uint64_t largest, infinity, nan;
  unsigned codeBits;
  bool isSigned = true;
  bool hasZero = true;     // f8E8M0FNU's code 0 is 2^-127
  bool saturates = false;  // overflow results in the largest number although there is an infinity
  unsigned unusedBits = 0; // of storage below the code

  static constexpr uint64_t none = ~uint64_t(0);
  bool hasInfinity() const { return infinity != none; }
};

const FloatFormat &describe(mlir::Type format);

/// The element type that holds numbers of a format: the format itself, or its storage type.
mlir::Type storageOf(mlir::Type format);

/// A number of a format as a number of its storage.
mlir::TypedAttr store(mlir::Attribute number, mlir::Type format);

/// The value of a padding in the storage of a format. A format without infinities has its largest numbers instead; an
/// integer has zero only.
mlir::TypedAttr paddingOf(Padding padding, mlir::Type format);

/// Whether it is known to be zero, of either sign, in all elements.
bool isZero(mlir::Value number);

} // namespace tilewright::tileaa

#endif
