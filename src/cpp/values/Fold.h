// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_VALUES_FOLD_H
#define TILEWRIGHT_CPP_VALUES_FOLD_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

/// The one number that all elements of a constant have, or null for other values.
mlir::Attribute constantElement(mlir::Value value);
std::optional<llvm::APInt> constantInteger(mlir::Value value);

/// The element of the result of an operation of cuda_tile whose operands have constant elements; null where it is not
/// known. Extents, strides and conditions of templates become constants by this, so that views have static types and
/// `if` and loops of constants disappear.
mlir::Attribute fold(llvm::StringRef operation, llvm::ArrayRef<mlir::Attribute> operands,
                     const mlir::NamedAttrList &attributes, mlir::Type element);

/// The operand that an operation leaves as it is: x + 0, x * 1; null otherwise.
mlir::Value foldToOperand(llvm::StringRef operation, mlir::ValueRange operands);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_VALUES_FOLD_H
