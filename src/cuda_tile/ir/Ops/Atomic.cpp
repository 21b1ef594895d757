// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Access.h"
#include "cuda_tile/ir/Ops/Rules.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

//===- Text -----------------------------------------------------------------------------===//

template <typename Op>
static ParseResult requireScope(OpAsmParser &parser, const Ordering &ordering, OperationState &result) {
  if (!ordering.scope) {
    return parser.emitError(parser.getNameLoc(), "expected a scope after the ordering: tl_blk, device or sys");
  }
  auto &properties = result.getOrAddProperties<typename Op::Properties>();
  properties.memory_ordering_semantics = ordering.semantics;
  properties.memory_scope = ordering.scope;
  return success();
}

// Types are those of the pointers, one value and the mask; both values of a compare and
// swap share one.
ParseResult AtomicCASTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Operands operands;
  Tail tail;
  Types types, results;
  if (parseOrdering(parser, ordering) || requireScope<AtomicCASTkoOp>(parser, ordering, result) ||
      parser.parseOperand(operands.emplace_back()) || parseMoreOperands(parser, operands) || parseTail(parser, tail) ||
      parser.parseOptionalAttrDict(result.attributes) || parseFunctionTypes(parser, types, results)) {
    return failure();
  }
  if (types.size() > 1) {
    types.insert(types.begin() + 2, types[1]);
  }
  if (operands.size() < 3 || operands.size() > 4) {
    return parser.emitError(parser.getNameLoc(), "expected pointers, two values and an optional mask");
  }
  if (parser.resolveOperands(operands, types, parser.getNameLoc(), result.operands) ||
      resolveToken(parser, tail, result)) {
    return failure();
  }
  result.addTypes(results);
  setSegments<AtomicCASTkoOp>(result, {1, 1, 1, operands.size() == 4, static_cast<int32_t>(tail.token.size())});
  return success();
}

void AtomicCASTkoOp::print(OpAsmPrinter &printer) {
  printOrdering(printer, {getMemoryOrderingSemanticsAttr(), getMemoryScopeAttr()});
  printer << ' ' << getOperands().drop_back(getToken() ? 1 : 0);
  printTail(printer, getToken(), "=");
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  Types types = {getPointers().getType(), getCmp().getType()};
  if (getMask()) {
    types.push_back(getMask().getType());
  }
  printFunctionTypes(printer, types, getOperation()->getResultTypes());
}

ParseResult AtomicRMWTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Operands operands;
  Tail tail;
  Types types, results;
  if (parseOrdering(parser, ordering) || requireScope<AtomicRMWTkoOp>(parser, ordering, result) ||
      parser.parseOperand(operands.emplace_back()) || parser.parseComma() ||
      parseWord(parser, result.getOrAddProperties<Properties>().mode) || parseMoreOperands(parser, operands) ||
      parseTail(parser, tail) || parser.parseOptionalAttrDict(result.attributes) ||
      parseFunctionTypes(parser, types, results) ||
      parser.resolveOperands(operands, types, parser.getNameLoc(), result.operands) ||
      resolveToken(parser, tail, result)) {
    return failure();
  }
  if (operands.size() < 2 || operands.size() > 3) {
    return parser.emitError(parser.getNameLoc(), "expected pointers, a value and an optional mask");
  }
  result.addTypes(results);
  setSegments<AtomicRMWTkoOp>(result, {1, 1, operands.size() == 3, static_cast<int32_t>(tail.token.size())});
  return success();
}

void AtomicRMWTkoOp::print(OpAsmPrinter &printer) {
  printOrdering(printer, {getMemoryOrderingSemanticsAttr(), getMemoryScopeAttr()});
  auto rest = getOperands().drop_front().drop_back(getToken() ? 1 : 0);
  printer << ' ' << getPointers() << ", " << getMode() << ", " << rest;
  printTail(printer, getToken(), "=");
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  Types types = {getPointers().getType()};
  llvm::append_range(types, rest.getTypes());
  printFunctionTypes(printer, types, getOperation()->getResultTypes());
}

ParseResult AtomicRedViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Place place;
  Operand value;
  Tail tail;
  Types types, results;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parseOrdering(parser, ordering) || requireScope<AtomicRedViewTkoOp>(parser, ordering, result) ||
      parsePlace(parser, place) || parser.parseComma() || parseWord(parser, properties.mode) || parser.parseComma() ||
      parser.parseOperand(value) || parseTail(parser, tail) || parser.parseOptionalAttrDict(result.attributes) ||
      parseFunctionTypes(parser, types, results) || resolvePlace(parser, place, ArrayRef(types).drop_front(), result) ||
      parser.resolveOperand(value, types.front(), result.operands) || resolveToken(parser, tail, result)) {
    return failure();
  }
  result.addTypes(results);
  properties.inbounds = tail.inbounds;
  setSegments<AtomicRedViewTkoOp>(
      result, {1, static_cast<int32_t>(place.index.size()), 1, static_cast<int32_t>(tail.token.size())});
  return success();
}

void AtomicRedViewTkoOp::print(OpAsmPrinter &printer) {
  printOrdering(printer, {getMemoryOrderingSemanticsAttr(), getMemoryScopeAttr()});
  printer << ' ';
  printPlace(printer, getView(), getIndex());
  printer << ", " << getMode() << ", " << getValue();
  printTail(printer, getToken(), " = ", {}, getInbounds());
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  Types types = {getValue().getType(), getView().getType()};
  llvm::append_range(types, getIndexTypes(getIndex()));
  printFunctionTypes(printer, types, getOperation()->getResultTypes());
}

// No released tool prints the multicast operations; the text follows atomic_red_view_tko.
ParseResult MultimemLoadReduceViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Place place;
  Tail tail;
  Types types, results;
  auto &properties = result.getOrAddProperties<Properties>();
  if (parseOrdering(parser, ordering) || parsePlace(parser, place) || parser.parseComma() ||
      parseWord(parser, properties.reduction) || parseTail(parser, tail) ||
      parser.parseOptionalAttrDict(result.attributes) || parseFunctionTypes(parser, types, results) ||
      resolvePlace(parser, place, types, result) || resolveToken(parser, tail, result)) {
    return failure();
  }
  properties.memory_ordering_semantics = ordering.semantics;
  properties.memory_scope = ordering.scope;
  properties.inbounds = tail.inbounds;
  result.addTypes(results);
  setSegments<MultimemLoadReduceViewTkoOp>(
      result, {1, static_cast<int32_t>(place.index.size()), static_cast<int32_t>(tail.token.size())});
  return success();
}

void MultimemLoadReduceViewTkoOp::print(OpAsmPrinter &printer) {
  printOrdering(printer, {getMemoryOrderingSemanticsAttr(), getMemoryScopeAttr()});
  printer << ' ';
  printPlace(printer, getView(), getIndex());
  printer << ", " << getReduction();
  printTail(printer, getToken(), " = ", {}, getInbounds());
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  Types types = {getView().getType()};
  llvm::append_range(types, getIndexTypes(getIndex()));
  printFunctionTypes(printer, types, getOperation()->getResultTypes());
}

/// The two multicast operations that write: `ordering %view[...], [kind,] %tile tail`.
template <typename Op> static ParseResult parseMultimemWrite(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Place place;
  Operand tile;
  Tail tail;
  Types types, results;
  auto &properties = result.getOrAddProperties<typename Op::Properties>();
  if (parseOrdering(parser, ordering) || parsePlace(parser, place) || parser.parseComma()) {
    return failure();
  }
  if constexpr (std::is_same_v<Op, MultimemReduceViewTkoOp>) {
    if (requireScope<Op>(parser, ordering, result) || parseWord(parser, properties.reduction) || parser.parseComma()) {
      return failure();
    }
  }
  if (parser.parseOperand(tile) || parseTail(parser, tail) || parser.parseOptionalAttrDict(result.attributes) ||
      parseFunctionTypes(parser, types, results)) {
    return failure();
  }
  if (types.size() < 2) {
    return parser.emitError(parser.getNameLoc(), "expected the types of tile, view and indices");
  }
  if (parser.resolveOperand(place.view, types[1], result.operands) ||
      parser.resolveOperand(tile, types[0], result.operands)) {
    return failure();
  }
  Types index(ArrayRef(types).drop_front(2));
  if (index.size() == 1) {
    index.assign(place.index.size(), index.front());
  }
  if (parser.resolveOperands(place.index, index, parser.getNameLoc(), result.operands) ||
      resolveToken(parser, tail, result)) {
    return failure();
  }
  properties.memory_ordering_semantics = ordering.semantics;
  properties.memory_scope = ordering.scope;
  properties.inbounds = tail.inbounds;
  result.addTypes(results);
  setSegments<Op>(result, {1, 1, static_cast<int32_t>(place.index.size()), static_cast<int32_t>(tail.token.size())});
  return success();
}

template <typename Op> static void printMultimemWrite(Op op, OpAsmPrinter &printer) {
  printOrdering(printer, {op.getMemoryOrderingSemanticsAttr(), op.getMemoryScopeAttr()});
  printer << ' ';
  printPlace(printer, op.getView(), op.getIndex());
  if constexpr (std::is_same_v<Op, MultimemReduceViewTkoOp>) {
    printer << ", " << op.getReduction();
  }
  printer << ", " << op.getTile();
  printTail(printer, op.getToken(), " = ", {}, op.getInbounds());
  printer.printOptionalAttrDict(op->getDiscardableAttrDictionary().getValue());
  Types types = {op.getTile().getType(), op.getView().getType()};
  llvm::append_range(types, getIndexTypes(op.getIndex()));
  printFunctionTypes(printer, types, op->getResultTypes());
}

ParseResult MultimemReduceViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseMultimemWrite<MultimemReduceViewTkoOp>(parser, result);
}
void MultimemReduceViewTkoOp::print(OpAsmPrinter &printer) {
  printMultimemWrite(*this, printer);
}
ParseResult MultimemStoreViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseMultimemWrite<MultimemStoreViewTkoOp>(parser, result);
}
void MultimemStoreViewTkoOp::print(OpAsmPrinter &printer) {
  printMultimemWrite(*this, printer);
}

//===- Rules ----------------------------------------------------------------------------===//

using Ordered = MemoryOrderingSemantics;
static constexpr Ordered atomicOrderings[] = {Ordered::RELAXED, Ordered::ACQUIRE, Ordered::RELEASE, Ordered::ACQ_REL};

LogicalResult AtomicCASTkoOp::verify() {
  Type element = getVal().getType().getElementType();
  if (getCmp().getType() != getVal().getType() || getResult().getType() != getVal().getType()) {
    return emitOpError("expected cmp, val and result of one type, got ")
           << getCmp().getType() << ", " << getVal().getType() << " and " << getResult().getType();
  }
  if (!element.isInteger(32) && !element.isInteger(64) && !element.isF32() && !element.isF64()) {
    return emitOpError("expected elements of i32, i64, f32 or f64, got ") << element;
  }
  return failure(failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(), atomicOrderings)) ||
                 failed(verifyPointers(*this, getPointers(), "the value", getVal().getType(), getMask())));
}

/// Element types a function works on: `addf` on floats, `xchg` on 32 and 64 bits, the others on integers.
static LogicalResult verifyMode(Operation *op, AtomicRMWMode mode, Type element) {
  bool isWord = element.isInteger(32) || element.isInteger(64);
  bool fits = isWord;
  if (mode == AtomicRMWMode::ADDF) {
    fits = isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element);
  } else if (mode == AtomicRMWMode::XCHG) {
    fits = isWord || element.isF32() || element.isF64();
  }
  if (!fits) {
    return op->emitOpError("cannot apply ") << stringifyAtomicRMWMode(mode) << " to elements of " << element;
  }
  return success();
}

LogicalResult AtomicRMWTkoOp::verify() {
  if (getResult().getType() != getArg().getType()) {
    return emitOpError("expected argument and result of one type, got ")
           << getArg().getType() << " and " << getResult().getType();
  }
  return failure(failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(), atomicOrderings)) ||
                 failed(verifyPointers(*this, getPointers(), "the argument", getArg().getType(), getMask())) ||
                 failed(verifyMode(*this, getMode(), getArg().getType().getElementType())));
}

LogicalResult AtomicRedViewTkoOp::verify() {
  if (getMemoryScope() == MemoryScope::SYS) {
    return emitOpError("expected scope tl_blk or device, got sys");
  }
  if (getMode() == AtomicRMWMode::XCHG) {
    return emitOpError("cannot reduce by xchg");
  }
  return failure(failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(), {Ordered::RELAXED})) ||
                 failed(verifyPlace(*this, getView().getType(), getIndex(), getValue().getType(), getInbounds())) ||
                 failed(verifyMode(*this, getMode(), getValue().getType().getElementType())));
}

LogicalResult MultimemLoadReduceViewTkoOp::verify() {
  return failure(
      failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(),
                            {Ordered::WEAK, Ordered::RELAXED, Ordered::ACQUIRE})) ||
      failed(verifyPlace(*this, getView().getType(), getIndex(), getReducedValues().getType(), getInbounds())));
}
LogicalResult MultimemReduceViewTkoOp::verify() {
  return failure(failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(),
                                       {Ordered::RELAXED, Ordered::RELEASE})) ||
                 failed(verifyPlace(*this, getView().getType(), getIndex(), getTile().getType(), getInbounds())));
}
LogicalResult MultimemStoreViewTkoOp::verify() {
  return failure(failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(),
                                       {Ordered::WEAK, Ordered::RELAXED, Ordered::RELEASE})) ||
                 failed(verifyPlace(*this, getView().getType(), getIndex(), getTile().getType(), getInbounds())));
}
