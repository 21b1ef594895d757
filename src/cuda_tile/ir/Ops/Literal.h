// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_LITERAL_H
#define TILEWRIGHT_CUDA_TILE_IR_OPS_LITERAL_H

#include "cuda_tile/ir/AsmFormat.h"

namespace tilewright::cuda_tile {

/// `<f32: [1.0, 2.0]> : tile<2xf32>`
mlir::ParseResult parseLiteral(mlir::OpAsmParser &parser, mlir::DenseElementsAttr &value);
void printLiteral(mlir::OpAsmPrinter &printer, mlir::DenseElementsAttr value);

/// A number without its type.
void printElement(mlir::OpAsmPrinter &printer, mlir::Attribute value);

} // namespace tilewright::cuda_tile

#endif
