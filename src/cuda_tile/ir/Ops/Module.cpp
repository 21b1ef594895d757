// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/AsmFormat.h"
#include "cuda_tile/ir/CudaTile.h"
#include "cuda_tile/ir/Ops/Rules.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

void tilewright::cuda_tile::ModuleOp::build(OpBuilder &builder, OperationState &state, StringRef name) {
  state.getOrAddProperties<Properties>().sym_name = builder.getStringAttr(name);
  state.addRegion()->emplaceBlock();
}

LogicalResult tilewright::cuda_tile::ModuleOp::verifyRegions() {
  for (Operation &op : getBody().front()) {
    if (!isa<EntryOp, GlobalOp>(op)) {
      return op.emitOpError("expected only entries and globals in a module");
    }
  }
  return success();
}

void EntryOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type) {
  auto &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  Block &block = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs()) {
    block.addArgument(input, state.location);
  }
}

ParseResult EntryOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> types;
  auto parseParameter = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    NamedAttrList attributes;
    if (parser.parseArgument(argument) || parser.parseColon() || parseTy(parser, argument.type) ||
        parser.parseOptionalAttrDict(attributes)) {
      return failure();
    }
    argument.attrs = attributes.getDictionary(parser.getContext());
    types.push_back(argument.type);
    return success();
  };
  StringAttr name;
  if (parser.parseSymbolName(name) || parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseParameter)) {
    return failure();
  }
  properties.sym_name = name;
  properties.function_type = TypeAttr::get(FunctionType::get(parser.getContext(), types, {}));
  if (succeeded(parser.parseOptionalKeyword("optimization_hints"))) {
    if (parser.parseEqual()) {
      return failure();
    }
    properties.optimization_hints = dyn_cast_or_null<OptimizationHintsAttr>(OptimizationHintsAttr::parse(parser, {}));
    if (!properties.optimization_hints) {
      return failure();
    }
  }
  if (llvm::any_of(arguments, [](const auto &argument) { return argument.attrs && !argument.attrs.empty(); })) {
    SmallVector<Attribute> dictionaries =
        llvm::map_to_vector(arguments, [](const auto &argument) -> Attribute { return argument.attrs; });
    properties.arg_attrs = ArrayAttr::get(parser.getContext(), dictionaries);
  }
  Region *body = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) || parser.parseRegion(*body, arguments)) {
    return failure();
  }
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void EntryOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getBody().getArguments(), printer, [&](BlockArgument argument) {
    printer.printOperand(argument);
    printer << ": ";
    printTy(printer, argument.getType());
    if (ArrayAttr attributes = getArgAttrsAttr()) {
      printer.printOptionalAttrDict(cast<DictionaryAttr>(attributes[argument.getArgNumber()]).getValue());
    }
  });
  printer << ')';
  if (OptimizationHintsAttr hints = getOptimizationHintsAttr()) {
    printer << " optimization_hints=";
    hints.print(printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult EntryOp::verify() {
  if (!isa_and_nonnull<tilewright::cuda_tile::ModuleOp>((*this)->getParentOp())) {
    return emitOpError("expected to be in a cuda_tile.module");
  }
  if (!getResultTypes().empty()) {
    return emitOpError("expected no results, got ") << getResultTypes().size();
  }
  for (auto [number, type] : llvm::enumerate(getArgumentTypes())) {
    auto tile = dyn_cast<TileType>(type);
    if (!tile || tile.getRank() != 0) {
      return emitOpError("expected parameter ") << number << " to be a rank-0 tile, got " << type;
    }
  }
  return verifyHints(*this, getOptimizationHintsAttr(), HintSite::Entry);
}
