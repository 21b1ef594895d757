// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_LOOPS_TRANSPOSEPARTS_H
#define TILEWRIGHT_CPU_LOOPS_TRANSPOSEPARTS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tilewright::cpu {

/// The transposition of lines of n elements, each one vector: n vectors, with an element of every line each. n is a
/// power of two, and the number of lines a multiple of it.
///
/// Parts of 16 bytes come from memory to their place in registers, which costs no shuffle unit: part q of register r is
/// of line n q + r. The last step is to transpose n x n within parts: log n times, interleaving registers i and i + n /
/// 2 gives registers 2 i and 2 i + 1, which exchanges the bits of an element's register with those of its place, one
/// after the other. Each is one unpack instruction.
llvm::SmallVector<mlir::Value> transposeParts(mlir::OpBuilder &builder, mlir::Location loc, mlir::ValueRange lines);

} // namespace tilewright::cpu

#endif
