// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product whose operands threads write to shared memory, as products of parts along K:
//
//   a: 128x256 of f16, b: 256x256, 192 KB     two parts: 128x128 and 128x256, 96 KB, one after the other
//
// A part is taken out of the registers that hold it. An operand that has K in lanes or warps is converted to a layout
// with the parts in registers first.
#ifndef TILEWRIGHT_TILEAS_LEGALIZE_SPLITPRODUCTS_H
#define TILEWRIGHT_TILEAS_LEGALIZE_SPLITPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

/// Splits products until the buffers of each have at most that many bytes, where the atom and the layouts allow it.
/// Each buffer must be an operand of one product; asynchronous products are not split.
void splitProducts(mlir::func::FuncOp function, int64_t mostBytes);

} // namespace tilewright::tileas

#endif
