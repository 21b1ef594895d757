// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/AsmFormat.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::cuda_tile {

ParseResult parseTy(AsmParser &parser, Type &type) {
  SMLoc loc = parser.getCurrentLocation();
  OptionalParseResult full = parser.parseOptionalType(type);
  if (full.has_value()) {
    return *full;
  }
  StringRef mnemonic;
  if (parser.parseKeyword(&mnemonic)) {
    return failure();
  }
  auto parse =
      llvm::StringSwitch<Type (*)(AsmParser &)>(mnemonic)
          .Case(TileType::getMnemonic(), TileType::parse)
          .Case(PtrType::getMnemonic(), PtrType::parse)
          .Case(TensorViewType::getMnemonic(), TensorViewType::parse)
          .Case(PartitionViewType::getMnemonic(), PartitionViewType::parse)
          .Case(StridedViewType::getMnemonic(), StridedViewType::parse)
          .Case(GatherScatterViewType::getMnemonic(), GatherScatterViewType::parse)
          .Case(TokenType::getMnemonic(), [](AsmParser &p) -> Type { return TokenType::get(p.getContext()); })
          .Case(F8E5M3FNUType::getMnemonic(), [](AsmParser &p) -> Type { return F8E5M3FNUType::get(p.getContext()); })
          .Default(nullptr);
  if (!parse) {
    return parser.emitError(loc, "expected a type, got '") << mnemonic << "'";
  }
  type = parse(parser);
  return success(static_cast<bool>(type));
}

void printTy(AsmPrinter &printer, Type type) {
  llvm::TypeSwitch<Type>(type)
      .Case<TileType, PtrType, TensorViewType, PartitionViewType, StridedViewType, GatherScatterViewType>(
          [&](auto own) {
            printer << own.getMnemonic();
            own.print(printer);
          })
      .Case<TokenType, F8E5M3FNUType>([&](auto own) { printer << own.getMnemonic(); })
      .Default([&](Type other) { printer << other; });
}

ParseResult parseTys(AsmParser &parser, SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList([&] { return parseTy(parser, types.emplace_back()); });
}

void printTys(AsmPrinter &printer, TypeRange types) {
  llvm::interleaveComma(types, printer, [&](Type type) { printTy(printer, type); });
}

ParseResult parseSameTy(OpAsmParser &parser, Type &x, Type &y, Type &z) {
  if (parseTy(parser, x)) {
    return failure();
  }
  y = z = x;
  return success();
}

void printSameTy(OpAsmPrinter &printer, Operation *, Type x, Type, Type) {
  printTy(printer, x);
}

ParseResult parseOneTy(OpAsmParser &parser, SmallVectorImpl<Type> &types, Type view) {
  if (succeeded(parser.parseOptionalLParen())) {
    return parser.parseRParen();
  }
  if (parseTys(parser, types)) {
    return failure();
  }
  int64_t rank = 0;
  if (auto tensor = dyn_cast<TensorViewType>(view)) {
    rank = tensor.getRank();
  } else if (auto tiles = dyn_cast<TileView>(view)) {
    rank = tiles.getIndexRank();
  }
  if (types.size() == 1) {
    types.assign(rank, types.front());
  }
  return success();
}

void printOneTy(OpAsmPrinter &printer, Operation *, TypeRange types, Type) {
  if (types.empty()) {
    printer << "()";
  } else {
    printTys(printer, llvm::all_equal(types) ? types.take_front() : types);
  }
}

ParseResult parseSignature(OpAsmParser &parser, SmallVectorImpl<Type> &operands, SmallVectorImpl<Type> &results) {
  auto parseList = [&](SmallVectorImpl<Type> &types) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                          [&] { return parseTy(parser, types.emplace_back()); });
  };
  return failure(parseList(operands) || parser.parseArrow() || parseList(results));
}

void printSignature(OpAsmPrinter &printer, Operation *, TypeRange operands, TypeRange results) {
  printer << '(';
  printTys(printer, operands);
  printer << ") -> (";
  printTys(printer, results);
  printer << ')';
}

ParseResult parseRounding(OpAsmParser &parser, RoundingModeAttr &mode, RoundingMode usual) {
  mode = RoundingModeAttr::get(parser.getContext(), usual);
  if (failed(parser.parseOptionalKeyword("rounding"))) {
    return success();
  }
  return failure(parser.parseLess() || parseWord(parser, mode) || parser.parseGreater());
}

void printRounding(OpAsmPrinter &printer, Operation *, RoundingModeAttr mode, RoundingMode usual) {
  if (mode && mode.getValue() != usual) {
    printer << "rounding<" << mode.getValue() << '>';
  }
}

ParseResult parsePredicate(OpAsmParser &parser, Attribute &predicate) {
  OptionalParseResult full = parser.parseOptionalAttribute(predicate);
  if (full.has_value()) {
    return *full;
  }
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  if (parser.parseKeyword(&mnemonic)) {
    return failure();
  }
  auto parse = llvm::StringSwitch<Attribute (*)(AsmParser &, Type)>(mnemonic)
                   .Case(DivByAttr::getMnemonic(), DivByAttr::parse)
                   .Case(BoundedAttr::getMnemonic(), BoundedAttr::parse)
                   .Case(SameElementsAttr::getMnemonic(), SameElementsAttr::parse)
                   .Default(nullptr);
  if (!parse) {
    return parser.emitError(loc, "expected div_by, bounded or same_elements, got '") << mnemonic << "'";
  }
  predicate = parse(parser, {});
  return success(static_cast<bool>(predicate));
}

void printPredicate(OpAsmPrinter &printer, Operation *, Attribute predicate) {
  llvm::TypeSwitch<Attribute>(predicate).Case<DivByAttr, BoundedAttr, SameElementsAttr>([&](auto own) {
    printer << own.getMnemonic();
    own.print(printer);
  });
}

ParseResult parseInteger(OpAsmParser &parser, IntegerAttr &value) {
  int64_t number;
  if (parser.parseInteger(number)) {
    return failure();
  }
  value = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

void printInteger(OpAsmPrinter &printer, Operation *, IntegerAttr value) {
  printer << value.getInt();
}

} // namespace tilewright::cuda_tile
