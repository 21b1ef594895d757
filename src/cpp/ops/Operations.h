// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations that cuda_tile.h declares with __TILEWRIGHT_OP, by name.
#ifndef TILEWRIGHT_CPP_OPS_OPERATIONS_H
#define TILEWRIGHT_CPP_OPS_OPERATIONS_H

#include "cpp/evaluate/Evaluator.h"
#include "cpp/ops/Elementwise.h"

namespace tilewright::cpp {

/// A call of one: its template arguments are the type of the result, and constants.
struct OperationCall {
  Evaluator &evaluator;
  Emitter &emitter;
  Layout &layout;
  llvm::StringRef name;
  clang::QualType result;
  llvm::SmallVector<clang::QualType> types; // of the operands
  llvm::SmallVector<mlir::Value> operands;
  llvm::SmallVector<int64_t> numbers; // among the constants
  Modifiers modifiers;

  cuda_tile::TileType resultType() const { return layout.tileType(result); }
  clang::QualType resultElement() const { return layout.element(result); }
  clang::QualType element(unsigned i) const { return layout.element(types[i]); }
  /// Of the pointers that are the first operand.
  clang::QualType pointee() const { return element(0)->getPointeeType().getUnqualifiedType(); }
  mlir::Value operand(unsigned i) const { return i < operands.size() ? operands[i] : mlir::Value(); }
};

/// The result, or null for operations without one.
using OperationBuilder = mlir::Value (*)(OperationCall &);

/// Null for a name that is not there; elementwise operations are not.
OperationBuilder findOperation(llvm::StringRef name);

// Tables of parts of them.
struct OperationRow {
  llvm::StringRef name;
  OperationBuilder build;
};
llvm::ArrayRef<OperationRow> shapeOperations();
llvm::ArrayRef<OperationRow> memoryOperations();
llvm::ArrayRef<OperationRow> reduceOperations();
llvm::ArrayRef<OperationRow> matrixOperations();
llvm::ArrayRef<OperationRow> atomicOperations();
llvm::ArrayRef<OperationRow> assumeOperations();
llvm::ArrayRef<OperationRow> viewOperations();

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_OPS_OPERATIONS_H
