// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts that the text of memory operations is made of.
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_ACCESS_H
#define TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_ACCESS_H

#include "cuda_tile/ir/AsmFormat.h"
#include "cuda_tile/ir/CudaTile.h"

namespace tilewright::cuda_tile {

using Operand = mlir::OpAsmParser::UnresolvedOperand;
using Operands = llvm::SmallVector<Operand>;
using Types = llvm::SmallVector<mlir::Type>;

/// `weak`, or an ordering and its scope: `acquire device`.
struct Ordering {
  MemoryOrderingSemanticsAttr semantics;
  MemoryScopeAttr scope;
};
mlir::ParseResult parseOrdering(mlir::OpAsmParser &parser, Ordering &ordering);
void printOrdering(mlir::OpAsmPrinter &printer, Ordering ordering);

/// `%view[%i, %j]`
struct Place {
  Operand view;
  Operands index;
};
mlir::ParseResult parsePlace(mlir::OpAsmParser &parser, Place &place);
void printPlace(mlir::OpAsmPrinter &printer, mlir::Value view, mlir::OperandRange index);

/// Types of the view and its indices: equal ones are written once.
mlir::ParseResult resolvePlace(mlir::OpAsmParser &parser, const Place &place, llvm::ArrayRef<mlir::Type> types,
                               mlir::OperationState &result);
Types getIndexTypes(mlir::OperandRange index);

/// `token = %t`, `optimization_hints = <...>`, `inbounds = [true, false]`, each optional.
struct Tail {
  Operands token;
  OptimizationHintsAttr hints;
  mlir::DenseBoolArrayAttr inbounds;
};
mlir::ParseResult parseTail(mlir::OpAsmParser &parser, Tail &tail);
void printTail(mlir::OpAsmPrinter &printer, mlir::Value token, llvm::StringRef equals, OptimizationHintsAttr hints = {},
               llvm::ArrayRef<bool> inbounds = {});

mlir::ParseResult resolveToken(mlir::OpAsmParser &parser, const Tail &tail, mlir::OperationState &result);

/// Records how many operands each operand group of `Op` has.
template <typename Op> void setSegments(mlir::OperationState &result, llvm::ArrayRef<int32_t> sizes) {
  llvm::copy(sizes, result.getOrAddProperties<typename Op::Properties>().operandSegmentSizes.begin());
}

/// `%a, %b, ...` after the first operands.
mlir::ParseResult parseMoreOperands(mlir::OpAsmParser &parser, Operands &operands);

/// `: t0, t1 -> r0, r1`
mlir::ParseResult parseFunctionTypes(mlir::OpAsmParser &parser, Types &operands, Types &results);
void printFunctionTypes(mlir::OpAsmPrinter &printer, mlir::TypeRange operands, mlir::TypeRange results);

} // namespace tilewright::cuda_tile

#endif
