// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Ops/memory/Access.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

//===- make_tensor_view -----------------------------------------------------------------===//

/// `[%n, 4, %m]`: static entries are checked against the type once that is known.
static ParseResult parseExtents(OpAsmParser &parser, StringRef keyword, Operands &dynamic,
                                SmallVectorImpl<int64_t> &values) {
  auto parseOne = [&]() -> ParseResult {
    OptionalParseResult operand = parser.parseOptionalOperand(dynamic.emplace_back());
    if (operand.has_value()) {
      values.push_back(ShapedType::kDynamic);
      return *operand;
    }
    dynamic.pop_back();
    return parser.parseInteger(values.emplace_back());
  };
  return failure(parser.parseComma() || parser.parseKeyword(keyword) || parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne));
}

ParseResult MakeTensorViewOp::parse(OpAsmParser &parser, OperationState &result) {
  Operand base;
  Operands shape, strides;
  SmallVector<int64_t> extents, steps;
  Types types;
  if (parser.parseOperand(base) || parseExtents(parser, "shape", shape, extents) ||
      parseExtents(parser, "strides", strides, steps) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColon()) {
    return failure();
  }
  SMLoc loc = parser.getCurrentLocation();
  if (parseTys(parser, types)) {
    return failure();
  }
  // Before the arrow: the type of a base with an unusual kind, then that of the dynamic values.
  Type resultType = types.back();
  if (succeeded(parser.parseOptionalArrow())) {
    loc = parser.getCurrentLocation();
    if (parseTy(parser, resultType)) {
      return failure();
    }
  } else {
    types.pop_back();
  }
  auto view = dyn_cast<TensorViewType>(resultType);
  if (!view) {
    return parser.emitError(loc, "expected the result to be a tensor_view, got ") << resultType;
  }
  if (view.getShape() != ArrayRef(extents) || view.getStrides() != ArrayRef(steps)) {
    return parser.emitError(loc, "expected shape and strides to be those of ") << view;
  }
  Type pointer = TileType::get({}, PtrType::get(view.getElementType()));
  if (!types.empty() && isPtrTile(types.front())) {
    pointer = types.front();
    types.erase(types.begin());
  }
  Type operandType = types.empty() ? Type() : types.front();
  if (!operandType && !(shape.empty() && strides.empty())) {
    return parser.emitError(loc, "expected the type of the dynamic extents and strides");
  }
  if (parser.resolveOperand(base, pointer, result.operands) ||
      parser.resolveOperands(shape, operandType, result.operands) ||
      parser.resolveOperands(strides, operandType, result.operands)) {
    return failure();
  }
  result.addTypes(view);
  setSegments<MakeTensorViewOp>(result, {1, static_cast<int32_t>(shape.size()), static_cast<int32_t>(strides.size())});
  return success();
}

static void printExtents(OpAsmPrinter &printer, StringRef keyword, ArrayRef<int64_t> values, OperandRange dynamic) {
  printer << ", " << keyword << " = [";
  auto next = dynamic.begin();
  llvm::interleaveComma(values, printer, [&](int64_t value) {
    if (ShapedType::isDynamic(value)) {
      printer << *next++;
    } else {
      printer << value;
    }
  });
  printer << ']';
}

void MakeTensorViewOp::print(OpAsmPrinter &printer) {
  TensorViewType view = getType();
  printer << ' ' << getBase();
  printExtents(printer, "shape", view.getShape(), getDynamicShape());
  printExtents(printer, "strides", view.getStrides(), getDynamicStrides());
  printer.printOptionalAttrDict((*this)->getDiscardableAttrDictionary().getValue());
  Types types;
  if (getBase().getType().getElementType() != PtrType::get(view.getElementType())) {
    types.push_back(getBase().getType());
  }
  if (getNumOperands() > 1) {
    types.push_back(getOperand(1).getType());
  }
  printer << " : ";
  printTys(printer, types);
  printer << (types.empty() ? "" : " -> ");
  printTy(printer, view);
}

LogicalResult MakeTensorViewOp::verify() {
  TensorViewType view = getType();
  auto pointer = cast<PtrType>(getBase().getType().getElementType());
  if (pointer.getPointee() != view.getElementType()) {
    return emitOpError("expected a base that points to ") << view.getElementType() << ", got " << pointer.getPointee();
  }
  if (pointer.getKind() != view.getKind()) {
    return emitOpError("expected base and view of one kind of pointer, got ") << pointer << " and " << view;
  }
  int64_t numExtents = getDynamicShape().size(), numStrides = getDynamicStrides().size();
  if (numExtents != view.getNumDynamicDims() || numStrides != view.getNumDynamicStrides()) {
    return emitOpError("expected ") << view.getNumDynamicDims() << " dynamic extents and "
                                    << view.getNumDynamicStrides() << " dynamic strides, got " << numExtents << " and "
                                    << numStrides;
  }
  if (getNumOperands() > 1 && !llvm::all_equal(getOperands().drop_front().getTypes())) {
    return emitOpError("expected dynamic extents and strides of one integer type");
  }
  return success();
}

//===- Shape queries --------------------------------------------------------------------===//

static LogicalResult verifyQuery(Operation *op, int64_t rank) {
  if (op->getNumResults() != rank) {
    return op->emitOpError("expected a result per dimension, ") << rank << ", got " << op->getNumResults();
  }
  return success();
}

LogicalResult GetTensorShapeOp::verify() {
  return verifyQuery(*this, getSrc().getType().getRank());
}
LogicalResult GetIndexSpaceShapeOp::verify() {
  return verifyQuery(*this, getSrc().getType().getIndexRank());
}
