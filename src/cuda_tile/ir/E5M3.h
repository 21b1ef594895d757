// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of fnv8E5M3FNU, a format that LLVM does not have: five bits of exponent (bias 15), three of
// mantissa, no sign, subnormals, and one NaN with all bits set.
#ifndef TILEWRIGHT_CUDA_TILE_IR_E5M3_H
#define TILEWRIGHT_CUDA_TILE_IR_E5M3_H

#include "llvm/ADT/APFloat.h"
#include <optional>

namespace tilewright::cuda_tile {

/// The number in double precision, which holds all of them.
llvm::APFloat decodeE5M3(uint8_t bits);

/// The nearest number, ties to even; nothing for a negative one. Overflow and infinity are NaN.
std::optional<uint8_t> encodeE5M3(const llvm::APFloat &number);

} // namespace tilewright::cuda_tile

#endif
