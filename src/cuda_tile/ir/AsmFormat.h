// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of text that many operations share: the custom<...> directives of the op formats.
#ifndef TILEWRIGHT_CUDA_TILE_IR_ASMFORMAT_H
#define TILEWRIGHT_CUDA_TILE_IR_ASMFORMAT_H

#include "cuda_tile/ir/Types.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace tilewright::cuda_tile {

/// A type without the `!cuda_tile.` in front. Parsing takes both spellings.
mlir::ParseResult parseTy(mlir::AsmParser &parser, mlir::Type &type);
void printTy(mlir::AsmPrinter &printer, mlir::Type type);
inline void printTy(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::Type type) {
  printTy(printer, type);
}

/// Types separated by commas.
mlir::ParseResult parseTys(mlir::AsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types);
void printTys(mlir::AsmPrinter &printer, mlir::TypeRange types);
inline void printTys(mlir::OpAsmPrinter &printer, mlir::Operation *, mlir::TypeRange types) {
  printTys(printer, types);
}

/// One type that three results share.
mlir::ParseResult parseSameTy(mlir::OpAsmParser &parser, mlir::Type &x, mlir::Type &y, mlir::Type &z);
void printSameTy(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Type x, mlir::Type y, mlir::Type z);

/// One type for as many results as the view has dimensions, or all of them if they differ; `()` for none.
mlir::ParseResult parseOneTy(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &types, mlir::Type view);
void printOneTy(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange types, mlir::Type view);

/// `(t0, t1) -> (t2)`
mlir::ParseResult parseSignature(mlir::OpAsmParser &parser, llvm::SmallVectorImpl<mlir::Type> &operands,
                                 llvm::SmallVectorImpl<mlir::Type> &results);
void printSignature(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::TypeRange operands,
                    mlir::TypeRange results);

/// `rounding<zero>`, or nothing where the mode is the usual one of the operation.
mlir::ParseResult parseRounding(mlir::OpAsmParser &parser, RoundingModeAttr &mode, RoundingMode usual);
void printRounding(mlir::OpAsmPrinter &printer, mlir::Operation *op, RoundingModeAttr mode, RoundingMode usual);

/// An assume predicate without the `#cuda_tile.` in front.
mlir::ParseResult parsePredicate(mlir::OpAsmParser &parser, mlir::Attribute &predicate);
void printPredicate(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::Attribute predicate);

/// An integer attribute without its type.
mlir::ParseResult parseInteger(mlir::OpAsmParser &parser, mlir::IntegerAttr &value);
void printInteger(mlir::OpAsmPrinter &printer, mlir::Operation *op, mlir::IntegerAttr value);

/// An enumerator as a bare word.
template <typename EnumAttrT> mlir::ParseResult parseWord(mlir::OpAsmParser &parser, EnumAttrT &attr) {
  using Enum = decltype(attr.getValue());
  mlir::FailureOr<Enum> value = mlir::FieldParser<Enum>::parse(parser);
  if (failed(value)) {
    return mlir::failure();
  }
  attr = EnumAttrT::get(parser.getContext(), *value);
  return mlir::success();
}
template <typename EnumAttrT> void printWord(mlir::OpAsmPrinter &printer, mlir::Operation *, EnumAttrT attr) {
  printer << attr.getValue();
}

} // namespace tilewright::cuda_tile

#endif
