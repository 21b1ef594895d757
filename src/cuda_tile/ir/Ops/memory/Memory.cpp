// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Literal.h"
#include "cuda_tile/ir/Ops/Rules.h"
#include "cuda_tile/ir/Ops/memory/Access.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

//===- Text -----------------------------------------------------------------------------===//

template <typename Op> static void setAttributes(OperationState &result, const Ordering &ordering, const Tail &tail) {
  auto &properties = result.getOrAddProperties<typename Op::Properties>();
  properties.memory_ordering_semantics = ordering.semantics;
  properties.memory_scope = ordering.scope;
  properties.optimization_hints = tail.hints;
}

template <typename Op> static void printPointerAccess(Op op, OpAsmPrinter &printer) {
  printOrdering(printer, {op.getMemoryOrderingSemanticsAttr(), op.getMemoryScopeAttr()});
  OperandRange shown = op->getOperands().drop_back(op.getToken() ? 1 : 0);
  printer << ' ' << shown;
  printTail(printer, op.getToken(), "=", op.getOptimizationHintsAttr());
  printer.printOptionalAttrDict(op->getDiscardableAttrDictionary().getValue());
  printFunctionTypes(printer, shown.getTypes(), op->getResultTypes());
}

ParseResult LoadPtrTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Operands operands;
  Tail tail;
  Types types, results;
  if (parseOrdering(parser, ordering) || parser.parseOperand(operands.emplace_back()) ||
      parseMoreOperands(parser, operands) || parseTail(parser, tail) ||
      parser.parseOptionalAttrDict(result.attributes) || parseFunctionTypes(parser, types, results)) {
    return failure();
  }
  SMLoc loc = operands.front().location;
  if (operands.size() > 3) {
    return parser.emitError(loc, "expected pointers, an optional mask and an optional padding value");
  }
  if (parser.resolveOperands(operands, types, loc, result.operands) || resolveToken(parser, tail, result)) {
    return failure();
  }
  result.addTypes(results);
  // One more operand is the mask if it can be one.
  bool hasMask = operands.size() == 3 || (operands.size() == 2 && isBoolTile(types[1]));
  bool hasPadding = operands.size() - 1 > static_cast<size_t>(hasMask);
  setAttributes<LoadPtrTkoOp>(result, ordering, tail);
  setSegments<LoadPtrTkoOp>(result, {1, hasMask, hasPadding, static_cast<int32_t>(tail.token.size())});
  return success();
}

void LoadPtrTkoOp::print(OpAsmPrinter &printer) {
  printPointerAccess(*this, printer);
}

ParseResult StorePtrTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Operands operands;
  Tail tail;
  Types types, results;
  if (parseOrdering(parser, ordering) || parser.parseOperand(operands.emplace_back()) ||
      parseMoreOperands(parser, operands) || parseTail(parser, tail) ||
      parser.parseOptionalAttrDict(result.attributes) || parseFunctionTypes(parser, types, results)) {
    return failure();
  }
  SMLoc loc = operands.front().location;
  if (operands.size() < 2 || operands.size() > 3) {
    return parser.emitError(loc, "expected pointers, a value and an optional mask");
  }
  if (parser.resolveOperands(operands, types, loc, result.operands) || resolveToken(parser, tail, result)) {
    return failure();
  }
  result.addTypes(results);
  setAttributes<StorePtrTkoOp>(result, ordering, tail);
  setSegments<StorePtrTkoOp>(result, {1, 1, operands.size() == 3, static_cast<int32_t>(tail.token.size())});
  return success();
}

void StorePtrTkoOp::print(OpAsmPrinter &printer) {
  printPointerAccess(*this, printer);
}

ParseResult LoadViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Place place;
  Tail tail;
  Types types, results;
  if (parseOrdering(parser, ordering) || parsePlace(parser, place) || parseTail(parser, tail) ||
      parser.parseOptionalAttrDict(result.attributes) || parseFunctionTypes(parser, types, results) ||
      resolvePlace(parser, place, types, result) || resolveToken(parser, tail, result)) {
    return failure();
  }
  result.addTypes(results);
  setAttributes<LoadViewTkoOp>(result, ordering, tail);
  result.getOrAddProperties<Properties>().inbounds = tail.inbounds;
  setSegments<LoadViewTkoOp>(result,
                             {1, static_cast<int32_t>(place.index.size()), static_cast<int32_t>(tail.token.size())});
  return success();
}

void LoadViewTkoOp::print(OpAsmPrinter &printer) {
  printOrdering(printer, {getMemoryOrderingSemanticsAttr(), getMemoryScopeAttr()});
  printer << ' ';
  printPlace(printer, getView(), getIndex());
  printTail(printer, getToken(), " = ", getOptimizationHintsAttr(), getInbounds());
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  Types types = {getView().getType()};
  llvm::append_range(types, getIndexTypes(getIndex()));
  printFunctionTypes(printer, types, getOperation()->getResultTypes());
}

ParseResult StoreViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Operand tile;
  Place place;
  Tail tail;
  Types types, results;
  if (parseOrdering(parser, ordering) || parser.parseOperand(tile) || parser.parseComma() ||
      parsePlace(parser, place) || parseTail(parser, tail) || parser.parseOptionalAttrDict(result.attributes) ||
      parseFunctionTypes(parser, types, results) || parser.resolveOperand(tile, types.front(), result.operands) ||
      resolvePlace(parser, place, ArrayRef(types).drop_front(), result) || resolveToken(parser, tail, result)) {
    return failure();
  }
  result.addTypes(results);
  setAttributes<StoreViewTkoOp>(result, ordering, tail);
  result.getOrAddProperties<Properties>().inbounds = tail.inbounds;
  setSegments<StoreViewTkoOp>(
      result, {1, 1, static_cast<int32_t>(place.index.size()), static_cast<int32_t>(tail.token.size())});
  return success();
}

void StoreViewTkoOp::print(OpAsmPrinter &printer) {
  printOrdering(printer, {getMemoryOrderingSemanticsAttr(), getMemoryScopeAttr()});
  printer << ' ' << getTile() << ", ";
  printPlace(printer, getView(), getIndex());
  printTail(printer, getToken(), " = ", getOptimizationHintsAttr(), getInbounds());
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  Types types = {getTile().getType(), getView().getType()};
  llvm::append_range(types, getIndexTypes(getIndex()));
  printFunctionTypes(printer, types, getOperation()->getResultTypes());
}

ParseResult GlobalOp::parse(OpAsmParser &parser, OperationState &result) {
  auto &properties = result.getOrAddProperties<Properties>();
  StringRef visibility;
  if (succeeded(parser.parseOptionalKeyword(&visibility, {"public", "private"}))) {
    properties.symbol_visibility =
        SymbolVisibilityAttr::get(parser.getContext(), *symbolizeSymbolVisibility(visibility));
  }
  if (succeeded(parser.parseOptionalKeyword("constant"))) {
    properties.constant = parser.getBuilder().getUnitAttr();
  }
  StringAttr name;
  if (parser.parseSymbolName(name)) {
    return failure();
  }
  properties.sym_name = name;
  if (succeeded(parser.parseOptionalKeyword("alignment"))) {
    if (parser.parseEqual() || parseInteger(parser, properties.alignment)) {
      return failure();
    }
  }
  return failure(parser.parseOptionalAttrDict(result.attributes) || parseLiteral(parser, properties.value));
}

void GlobalOp::print(OpAsmPrinter &printer) {
  if (getSymbolVisibility() == SymbolVisibility::Private) {
    printer << " private";
  }
  // The reference text has a column for the visibility, blank if public.
  printer << ' ' << (getConstant() ? " constant " : " ");
  printer.printSymbolName(getSymName());
  if (getAlignment()) {
    printer << " alignment = " << getAlignment();
  }
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printLiteral(printer, getValue());
}

SymbolTable::Visibility GlobalOp::getVisibility() {
  return getSymbolVisibility() == SymbolVisibility::Private ? SymbolTable::Visibility::Private
                                                            : SymbolTable::Visibility::Public;
}
void GlobalOp::setVisibility(SymbolTable::Visibility visibility) {
  setSymbolVisibility(visibility == SymbolTable::Visibility::Public ? SymbolVisibility::Public
                                                                    : SymbolVisibility::Private);
}

//===- Rules ----------------------------------------------------------------------------===//

using Ordered = MemoryOrderingSemantics;
static constexpr Ordered loadOrderings[] = {Ordered::WEAK, Ordered::RELAXED, Ordered::ACQUIRE};
static constexpr Ordered storeOrderings[] = {Ordered::WEAK, Ordered::RELAXED, Ordered::RELEASE};

LogicalResult LoadPtrTkoOp::verify() {
  if (getPaddingValue() && getPaddingValue().getType() != getResult().getType()) {
    return emitOpError("expected a padding value of the type of the result, got ")
           << getPaddingValue().getType() << " and " << getResult().getType();
  }
  return failure(failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(), loadOrderings)) ||
                 failed(verifyPointers(*this, getSource(), "the result", getResult().getType(), getMask())) ||
                 failed(verifyHints(*this, getOptimizationHintsAttr(), HintSite::Pointer)));
}

LogicalResult StorePtrTkoOp::verify() {
  return failure(failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(), storeOrderings)) ||
                 failed(verifyPointers(*this, getDestination(), "the value", getValue().getType(), getMask())) ||
                 failed(verifyHints(*this, getOptimizationHintsAttr(), HintSite::Pointer)));
}

LogicalResult LoadViewTkoOp::verify() {
  return failure(failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(), loadOrderings)) ||
                 failed(verifyPlace(*this, getView().getType(), getIndex(), getTile().getType(), getInbounds())) ||
                 failed(verifyHints(*this, getOptimizationHintsAttr(), HintSite::View)));
}

LogicalResult StoreViewTkoOp::verify() {
  return failure(failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(), storeOrderings)) ||
                 failed(verifyPlace(*this, getView().getType(), getIndex(), getTile().getType(), getInbounds())) ||
                 failed(verifyHints(*this, getOptimizationHintsAttr(), HintSite::View)));
}

static LogicalResult verifyAlignment(Operation *op, uint64_t alignment) {
  // Negative numbers are no powers of two, the smallest of 64 bits included.
  if (!llvm::isPowerOf2_64(alignment) || static_cast<int64_t>(alignment) < 0) {
    return op->emitOpError("expected the alignment to be a power of two, got ") << static_cast<int64_t>(alignment);
  }
  return success();
}

LogicalResult AllocaOp::verify() {
  if (static_cast<int64_t>(getNumElem()) < 0) {
    return emitOpError("expected a number of elements of 0 or more, got ") << static_cast<int64_t>(getNumElem());
  }
  if (failed(verifyAlignment(*this, getAlignment()))) {
    return failure();
  }
  Type pointee = cast<PtrType>(getType().getElementType()).getPointee();
  uint64_t natural = llvm::divideCeil(getElementBitWidth(pointee), 8);
  if (getAlignment() < natural) {
    return emitOpError("expected an alignment of at least ")
           << natural << ", the size of " << pointee << ", got " << getAlignment();
  }
  return success();
}

LogicalResult GlobalOp::verify() {
  if (!isa<TileType>(getValue().getType()) || getValue().getType().getRank() != 1) {
    return emitOpError("expected a value of rank 1, got ") << getValue().getType();
  }
  // 0 leaves the alignment to the compiler.
  return getAlignment() ? verifyAlignment(*this, getAlignment()) : success();
}

LogicalResult GetGlobalOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto global = symbols.lookupNearestSymbolFrom<GlobalOp>(*this, getNameAttr());
  if (!global) {
    return emitOpError("expected the name of a global, got @") << getName();
  }
  Type element = global.getValue().getType().getElementType();
  Type pointee = cast<PtrType>(getType().getElementType()).getPointee();
  if (pointee != element) {
    return emitOpError("expected a pointer to ") << element << ", got one to " << pointee;
  }
  return success();
}
