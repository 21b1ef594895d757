// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_OPS_ELEMENTWISE_H
#define TILEWRIGHT_CPP_OPS_ELEMENTWISE_H

#include "cpp/values/Emitter.h"

namespace tilewright::cpp {

/// The constants of a call that are no numbers.
struct Modifiers {
  std::optional<cuda_tile::RoundingMode> rounding;
  bool flushesToZero = false, propagatesNan = false, saturates = false, isBackward = false;
  std::optional<cuda_tile::MemoryOrderingSemantics> order;
  std::optional<cuda_tile::MemoryScope> scope;
  std::optional<cuda_tile::PaddingValue> padding;
};

/// The operation of that name in cuda_tile.h, of operands of one type; null if there is none for their elements.
mlir::Value buildElementwise(Emitter &emitter, llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands,
                             bool isSigned, const Modifiers &modifiers = {});

/// Attributes of a conversion.
llvm::SmallVector<mlir::NamedAttribute> conversionAttributes(Emitter &emitter, const Modifiers &modifiers);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_OPS_ELEMENTWISE_H
