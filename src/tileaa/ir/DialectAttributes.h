// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes that a dialect gives to operations of other dialects, as `tileaa.kernel` to a `func.func`. A dialect lists
// them in a table, and refuses all others of its namespace: without that, a misspelled one would be ignored.
#ifndef TILEWRIGHT_TILEAA_IR_DIALECTATTRIBUTES_H
#define TILEWRIGHT_TILEAA_IR_DIALECTATTRIBUTES_H

#include "mlir/IR/Operation.h"

namespace tilewright::tileaa {

struct DialectAttribute {
  llvm::StringLiteral name;
  /// The operations that may have it, and their name in an error.
  bool (*mayHave)(mlir::Operation *op);
  llvm::StringLiteral owner;
  /// The values that it may have, and their name in an error.
  bool (*isLegal)(mlir::Attribute value);
  llvm::StringLiteral kind;
};

bool isFunction(mlir::Operation *op);
template <typename Op> bool isOp(mlir::Operation *op) {
  return mlir::isa<Op>(op);
}
template <typename Attr> bool isKind(mlir::Attribute value) {
  return mlir::isa<Attr>(value);
}
template <typename Attr> bool isArrayOf(mlir::Attribute value) {
  auto array = mlir::dyn_cast<mlir::ArrayAttr>(value);
  return array && llvm::all_of(array, llvm::IsaPred<Attr>);
}

/// Whether the attribute is one of the table, of an operation that may have it, with a legal value.
mlir::LogicalResult verifyDialectAttribute(mlir::Operation *op, mlir::NamedAttribute attribute,
                                           llvm::ArrayRef<DialectAttribute> known);
/// For a dialect that gives parameters none.
mlir::LogicalResult refuseOfParameter(mlir::Operation *function, unsigned parameter, mlir::NamedAttribute attribute);

} // namespace tilewright::tileaa

#endif
