// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_COMPUTEAGAIN_H
#define TILEWRIGHT_TILEAS_ASYNC_COMPUTEAGAIN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

/// Small tiles that get another layout are loaded and computed in that one too, where they come from loads, numbers and
/// what each thread makes of them: threads exchange nothing, and do not wait for each other.
///
/// ```
/// %s = tileaa.load_view %slots[%i] -> #l           %s = tileaa.load_view %slots[%i] -> #l
/// %o = arith.muli %s, %stride : #l           -->   %r = tileaa.load_view %slots[%i] -> #m
/// %p = tileas.convert_layout %o : #l to #m         %p = arith.muli %r, %stride' : #m
/// ```
void computeSmallTilesAgain(mlir::func::FuncOp function);

} // namespace tilewright::tileas

#endif
