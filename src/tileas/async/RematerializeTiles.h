// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_REMATERIALIZETILES_H
#define TILEWRIGHT_TILEAS_ASYNC_REMATERIALIZETILES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

/// Rematerializes small tiles in the result layout of a `tileas.convert_layout` where their operands are loads, scalars
/// and elementwise operations: threads then exchange nothing and do not wait for each other.
///
/// ```
/// %s = tileaa.load_view %slots[%i] -> #l           %s = tileaa.load_view %slots[%i] -> #l
/// %o = arith.muli %s, %stride : #l           -->   %r = tileaa.load_view %slots[%i] -> #m
/// %p = tileas.convert_layout %o : #l to #m         %p = arith.muli %r, %stride' : #m
/// ```
void rematerializeSmallTiles(mlir::func::FuncOp function);

} // namespace tilewright::tileas

#endif
