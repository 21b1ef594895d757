// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_TRANSFORMS_LEGALIZE_FORMATS_H
#define TILEWRIGHT_TILEAA_TRANSFORMS_LEGALIZE_FORMATS_H

#include "tileaa/ir/Numbers.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/legalize/Expr.h"

namespace tilewright::legalize {

using tileaa::describe;
using tileaa::FloatFormat;

/// The number that `stored` holds in a format, as a float that holds all of the format's numbers: f32, or f64 itself.
Expr readFloat(const Expr &stored, mlir::Type format);

/// Rounds an f32 or f64 once, to the bits of a format in its storage.
Expr writeFloat(const Expr &number, mlir::Type format, tileaa::Rounding rounding);

/// The result of a `tileaa.convert`, in arith.
Expr legalizeConvert(mlir::OpBuilder &builder, tileaa::ConvertOp op);

/// The result of a `tileaa.float`, in arith and math.
Expr legalizeFloat(mlir::OpBuilder &builder, tileaa::FloatOp op);

/// Both, for all operations inside of one that the target does not take as they are.
void legalizeElementwise(mlir::Operation *root, llvm::function_ref<bool(mlir::Operation *)> isNative);

} // namespace tilewright::legalize

#endif
