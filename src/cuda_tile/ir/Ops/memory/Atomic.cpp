// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/Rules.h"
#include "cuda_tile/ir/Ops/memory/Access.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

//===- Text -----------------------------------------------------------------------------===//

template <typename Op>
static ParseResult requireScope(OpAsmParser &parser, const Ordering &ordering, OperationState &result) {
  if (!ordering.scope) {
    return parser.emitError(parser.getCurrentLocation(), "expected a scope after the ordering: tl_blk, device or sys");
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
    return parser.emitError(operands.front().location, "expected pointers, two values and an optional mask");
  }
  if (parser.resolveOperands(operands, types, operands.front().location, result.operands) ||
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
      parseFunctionTypes(parser, types, results)) {
    return failure();
  }
  if (operands.size() < 2 || operands.size() > 3) {
    return parser.emitError(operands.front().location, "expected pointers, a value and an optional mask");
  }
  if (parser.resolveOperands(operands, types, operands.front().location, result.operands) ||
      resolveToken(parser, tail, result)) {
    return failure();
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

// The three multicast operations are written alike: `weak %view[%i] token = %t inbounds = [true]
// attributes {reduction = ...} : types`, with the tile of a writing one behind the view. Unlike in other operations,
// the token has its type among the others.
template <typename Op> static constexpr bool hasTile = !std::is_same_v<Op, MultimemLoadReduceViewTkoOp>;
template <typename Op> static constexpr bool hasReduction = !std::is_same_v<Op, MultimemStoreViewTkoOp>;

/// `attributes {reduction = ...}`; a sum goes without.
template <typename Op> static ParseResult parseReduction(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes)) {
    return failure();
  }
  if constexpr (hasReduction<Op>) {
    Attribute found = result.attributes.erase("reduction");
    auto reduction = dyn_cast_or_null<MultimemReductionKindAttr>(found);
    if (found && !reduction) {
      return parser.emitError(loc, "expected 'reduction' to be a multimem_reduction_kind, got ") << found;
    }
    result.getOrAddProperties<typename Op::Properties>().reduction = reduction;
  }
  return success();
}

template <typename Op> static ParseResult parseMultimem(OpAsmParser &parser, OperationState &result) {
  Ordering ordering;
  Place place;
  Operand tile;
  Tail tail;
  Types types, results;
  if (parseOrdering(parser, ordering)) {
    return failure();
  }
  if constexpr (std::is_same_v<Op, MultimemReduceViewTkoOp>) {
    if (requireScope<Op>(parser, ordering, result)) {
      return failure();
    }
  }
  if (parser.parseOperand(place.view) || (hasTile<Op> && (parser.parseComma() || parser.parseOperand(tile))) ||
      parser.parseOperandList(place.index, OpAsmParser::Delimiter::Square) || parseTail(parser, tail) ||
      parseReduction<Op>(parser, result) || parseFunctionTypes(parser, types, results)) {
    return failure();
  }
  if (hasTile<Op> && types.size() < 2) {
    return parser.emitError(place.view.location, "expected the types of view, tile and indices");
  }
  if (!tail.token.empty() && isa<TokenType>(types.back())) {
    types.pop_back();
  }
  Types index(ArrayRef(types).drop_front(1 + hasTile<Op>));
  if (index.size() == 1) {
    index.assign(place.index.size(), index.front());
  }
  if (parser.resolveOperand(place.view, types[0], result.operands) ||
      (hasTile<Op> && parser.resolveOperand(tile, types[1], result.operands)) ||
      parser.resolveOperands(place.index, index, place.view.location, result.operands) ||
      resolveToken(parser, tail, result)) {
    return failure();
  }
  auto &properties = result.getOrAddProperties<typename Op::Properties>();
  properties.memory_ordering_semantics = ordering.semantics;
  properties.memory_scope = ordering.scope;
  properties.inbounds = tail.inbounds;
  result.addTypes(results);
  auto numIndices = static_cast<int32_t>(place.index.size()), numTokens = static_cast<int32_t>(tail.token.size());
  if constexpr (hasTile<Op>) {
    setSegments<Op>(result, {1, 1, numIndices, numTokens});
  } else {
    setSegments<Op>(result, {1, numIndices, numTokens});
  }
  return success();
}

template <typename Op> static void printMultimem(Op op, OpAsmPrinter &printer) {
  printOrdering(printer, {op.getMemoryOrderingSemanticsAttr(), op.getMemoryScopeAttr()});
  printer << ' ' << op.getView();
  Types types = {op.getView().getType()};
  if constexpr (hasTile<Op>) {
    printer << ", " << op.getTile();
    types.push_back(op.getTile().getType());
  }
  printer << '[' << op.getIndex() << ']';
  printTail(printer, op.getToken(), " = ", {}, op.getInbounds());
  if (!llvm::is_contained(op.getInbounds(), true)) {
    printer << ' ';
  }
  SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
  if constexpr (hasReduction<Op>) {
    if (op.getReduction() != MultimemReductionKind::ADD) {
      attributes.emplace_back(op.getReductionAttrName(), op.getReductionAttr());
    }
  }
  printer.printOptionalAttrDictWithKeyword(attributes);
  llvm::append_range(types, getIndexTypes(op.getIndex()));
  if (op.getToken()) {
    types.push_back(op.getToken().getType());
  }
  printFunctionTypes(printer, types, op->getResultTypes());
}

ParseResult MultimemLoadReduceViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseMultimem<MultimemLoadReduceViewTkoOp>(parser, result);
}
void MultimemLoadReduceViewTkoOp::print(OpAsmPrinter &printer) {
  printMultimem(*this, printer);
}
ParseResult MultimemReduceViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseMultimem<MultimemReduceViewTkoOp>(parser, result);
}
void MultimemReduceViewTkoOp::print(OpAsmPrinter &printer) {
  printMultimem(*this, printer);
}
ParseResult MultimemStoreViewTkoOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseMultimem<MultimemStoreViewTkoOp>(parser, result);
}
void MultimemStoreViewTkoOp::print(OpAsmPrinter &printer) {
  printMultimem(*this, printer);
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
  if (isa<GatherScatterViewType>(getView().getType())) {
    return emitOpError("expected a partition or strided view, got ")
           << getView().getType() << "; use atomic_rmw_tko on pointers";
  }
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

/// The rules of all multicast operations for their view.
static LogicalResult verifyMulticast(Operation *op, TileView view) {
  if (!isa<PartitionViewType>(view)) {
    return op->emitOpError("expected a partition view, got ") << view;
  }
  PointerKindAttr kind = cast<PartitionViewType>(view).getTensorView().getKind();
  if (!kind || kind.getValue() != PointerKind::Multicast) {
    return op->emitOpError("expected a view of multicast memory, got ") << view;
  }
  Type element = view.getTileType().getElementType();
  if (!element.isInteger(32) && !element.isInteger(64) &&
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element)) {
    return op->emitOpError("expected elements of i32, i64, f16, bf16, f32 or f64, got ") << element;
  }
  return success();
}

/// Integers reduce by every function, floats by `inFloats` only; a minimum or maximum of floats is of f16 or bf16.
static LogicalResult verifyReduction(Operation *op, MultimemReductionKind kind, Type element,
                                     ArrayRef<MultimemReductionKind> inFloats) {
  bool isExtremum = kind == MultimemReductionKind::MIN || kind == MultimemReductionKind::MAX;
  bool fits = isa<IntegerType>(element) ||
              (llvm::is_contained(inFloats, kind) && (!isExtremum || isa<Float16Type, BFloat16Type>(element)));
  if (!fits) {
    return op->emitOpError("cannot reduce elements of ") << element << " by " << stringifyMultimemReductionKind(kind);
  }
  return success();
}

LogicalResult MultimemLoadReduceViewTkoOp::verify() {
  using Kind = MultimemReductionKind;
  TileView view = getView().getType();
  return failure(failed(verifyMulticast(*this, view)) ||
                 failed(verifyReduction(*this, getReduction(), view.getTileType().getElementType(),
                                        {Kind::ADD, Kind::MIN, Kind::MAX})) ||
                 failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(),
                                       {Ordered::WEAK, Ordered::RELAXED, Ordered::ACQUIRE})) ||
                 failed(verifyPlace(*this, view, getIndex(), getReducedValues().getType(), getInbounds())));
}
LogicalResult MultimemReduceViewTkoOp::verify() {
  TileView view = getView().getType();
  return failure(failed(verifyMulticast(*this, view)) ||
                 failed(verifyReduction(*this, getReduction(), view.getTileType().getElementType(),
                                        {MultimemReductionKind::ADD})) ||
                 failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(),
                                       {Ordered::RELAXED, Ordered::RELEASE})) ||
                 failed(verifyPlace(*this, view, getIndex(), getTile().getType(), getInbounds())));
}
LogicalResult MultimemStoreViewTkoOp::verify() {
  TileView view = getView().getType();
  return failure(failed(verifyMulticast(*this, view)) ||
                 failed(verifyOrdering(*this, getMemoryOrderingSemantics(), getMemoryScope(),
                                       {Ordered::WEAK, Ordered::RELAXED, Ordered::RELEASE})) ||
                 failed(verifyPlace(*this, view, getIndex(), getTile().getType(), getInbounds())));
}
