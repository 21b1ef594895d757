// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `constant <i32: [1, 2]> : tile<2xi32>`, `<i32: "0x01...">`, and the same literal in `global`.
#include "cuda_tile/ir/CudaTile.h"
#include "cuda_tile/ir/E5M3.h"
#include "cuda_tile/ir/Ops/Literal.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

/// Longer lists are printed as one string of hex digits.
static constexpr int64_t maxListedElements = 100;

/// Deeper ones too, and they are read as nothing else.
static constexpr size_t maxListDepth = 256;

/// A number, or the bits of one as an integer.
static ParseResult parseE5M3(OpAsmParser &parser, Type element, Attribute &value) {
  SMLoc loc = parser.getCurrentLocation();
  APInt bits;
  if (OptionalParseResult integer = parser.parseOptionalInteger(bits); integer.has_value()) {
    if (failed(*integer)) {
      return failure();
    }
    if (!bits.isIntN(8)) {
      return parser.emitError(loc, "expected the 8 bits of ") << element;
    }
    bits = bits.zextOrTrunc(8);
  } else {
    APFloat number(APFloat::IEEEdouble());
    if (parser.parseFloat(APFloat::IEEEdouble(), number)) {
      return failure();
    }
    // A minus sign is refused above, so that the number has an encoding.
    bits = APInt(8, *encodeE5M3(number));
  }
  value = FloatAttr::get(element, APFloat(cast<FloatType>(element).getFloatSemantics(), bits));
  return success();
}

static ParseResult parseScalar(OpAsmParser &parser, Type element, Attribute &value) {
  if (isa<F8E5M3FNUType>(element)) {
    return parseE5M3(parser, element, value);
  }
  if (auto integer = dyn_cast<IntegerType>(element)) {
    APInt number;
    SMLoc loc = parser.getCurrentLocation();
    if (integer.getWidth() == 1 && succeeded(parser.parseOptionalKeyword("true"))) {
      number = APInt(1, 1);
    } else if (integer.getWidth() == 1 && succeeded(parser.parseOptionalKeyword("false"))) {
      number = APInt(1, 0);
    } else if (parser.parseInteger(number)) {
      return failure();
    }
    if (number.getSignificantBits() > integer.getWidth() && number.getActiveBits() > integer.getWidth()) {
      return parser.emitError(loc, "expected an integer of ") << integer.getWidth() << " bits";
    }
    value = IntegerAttr::get(element, number.sextOrTrunc(integer.getWidth()));
    return success();
  }
  auto type = dyn_cast<FloatType>(element);
  if (!type) {
    return parser.emitError(parser.getCurrentLocation(), "expected elements of a builtin type, got ") << element;
  }
  APFloat number(type.getFloatSemantics());
  if (parser.parseFloat(type.getFloatSemantics(), number)) {
    return failure();
  }
  value = FloatAttr::get(element, number);
  return success();
}

namespace {
/// A scalar, or lists nested as deep as the tile has dimensions, read in row-major order.
struct Elements {
  OpAsmParser &parser;
  Type element;
  SmallVector<Attribute> values;
  // Length of the lists at each depth, and the depth of the scalars.
  SmallVector<int64_t> shape;
  std::optional<size_t> rank;

  ParseResult parse(size_t depth = 0);
  ParseResult parseList(size_t depth);
};
} // namespace

ParseResult Elements::parse(size_t depth) {
  SMLoc loc = parser.getCurrentLocation();
  bool isList = succeeded(parser.parseOptionalLSquare());
  if (rank && isList != (depth < *rank)) {
    return parser.emitError(loc, isList ? "expected a number, got a list" : "expected a list, got a number");
  }
  if (isList) {
    return parseList(depth);
  }
  rank = depth;
  return parseScalar(parser, element, values.emplace_back());
}

ParseResult Elements::parseList(size_t depth) {
  SMLoc loc = parser.getCurrentLocation();
  // A list costs a stack frame. Elements of a tile of higher rank can be given in hex.
  if (depth == maxListDepth) {
    return parser.emitError(loc, "expected lists nested at most ") << maxListDepth << " deep";
  }
  bool isFirst = shape.size() == depth;
  if (isFirst) {
    shape.push_back(0);
  }
  int64_t length = 0;
  auto parseOne = [&] {
    ++length;
    return parse(depth + 1);
  };
  if (parser.parseCommaSeparatedList(parseOne) || parser.parseRSquare()) {
    return failure();
  }
  if (!isFirst && length != shape[depth]) {
    return parser.emitError(loc, "expected a list of ") << shape[depth] << " as the ones before, got " << length;
  }
  shape[depth] = length;
  return success();
}

ParseResult tilewright::cuda_tile::parseLiteral(OpAsmParser &parser, DenseElementsAttr &value) {
  Type element, type;
  std::string hex;
  if (parser.parseLess() || parseTy(parser, element) || parser.parseColon()) {
    return failure();
  }
  SMLoc loc = parser.getCurrentLocation();
  bool isHex = succeeded(parser.parseOptionalString(&hex));
  Elements elements{parser, element, {}, {}, {}};
  if ((!isHex && elements.parse()) || parser.parseGreater() || parser.parseColon()) {
    return failure();
  }
  SMLoc typeLoc = parser.getCurrentLocation();
  if (parseTy(parser, type)) {
    return failure();
  }
  auto tile = dyn_cast<TileType>(type);
  if (!tile || tile.getElementType() != element) {
    return parser.emitError(typeLoc, "expected a tile of ") << element << ", got " << type;
  }
  if (isHex) {
    std::string bytes;
    StringRef digits = hex;
    bool isSplatBuffer = false;
    if (!digits.consume_front("0x") || !llvm::tryGetFromHex(digits, bytes) ||
        !DenseElementsAttr::isValidRawBuffer(tile, ArrayRef(bytes.data(), bytes.size()), isSplatBuffer)) {
      return parser.emitError(loc, "expected the bytes of ") << tile << " in hex after 0x";
    }
    value = DenseElementsAttr::getFromRawBuffer(tile, ArrayRef(bytes.data(), bytes.size()));
    return success();
  }
  if (elements.rank != 0 && ArrayRef(elements.shape) != tile.getShape()) {
    return parser.emitError(loc, "expected elements in lists of shape [")
           << tile.getShape() << "], got [" << elements.shape << "]";
  }
  value = DenseElementsAttr::get(tile, elements.values);
  return success();
}

void tilewright::cuda_tile::printElement(OpAsmPrinter &printer, Attribute value) {
  auto number = dyn_cast<FloatAttr>(value);
  if (!number || !isa<F8E5M3FNUType>(number.getType())) {
    printer.printAttributeWithoutType(value);
    return;
  }
  APInt bits = number.getValue().bitcastToAPInt();
  APFloat decoded = decodeE5M3(bits.getZExtValue());
  if (decoded.isNaN()) {
    printer << "0xFF";
    return;
  }
  printer.printFloat(decoded);
}

static void printElements(OpAsmPrinter &printer, DenseElementsAttr value, ArrayRef<int64_t> shape, int64_t &next) {
  if (shape.empty()) {
    printElement(printer, value.getValues<Attribute>()[next++]);
    return;
  }
  printer << '[';
  for (int64_t i = 0; i < shape.front(); ++i) {
    printer << (i ? ", " : "");
    printElements(printer, value, shape.drop_front(), next);
  }
  printer << ']';
}

void tilewright::cuda_tile::printLiteral(OpAsmPrinter &printer, DenseElementsAttr value) {
  auto tile = cast<TileType>(value.getType());
  printer << '<';
  printTy(printer, tile.getElementType());
  printer << ": ";
  if (value.isSplat()) {
    printElement(printer, value.getSplatValue<Attribute>());
  } else if (tile.getNumElements() > maxListedElements || tile.getRank() > static_cast<int64_t>(maxListDepth)) {
    ArrayRef<char> bytes = value.getRawData();
    printer << "\"0x" << llvm::toHex(StringRef(bytes.data(), bytes.size())) << '"';
  } else {
    int64_t next = 0;
    printElements(printer, value, tile.getShape(), next);
  }
  printer << "> : ";
  printTy(printer, tile);
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  DenseElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) || parseLiteral(parser, value)) {
    return failure();
  }
  result.getOrAddProperties<Properties>().value = value;
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {getValueAttrName()});
  printer << ' ';
  printLiteral(printer, getValue());
}

LogicalResult ConstantOp::verify() {
  if (getValue().getType() != getType()) {
    return emitOpError("expected a value of the type of the result, got ")
           << getValue().getType() << " and " << getType();
  }
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) {
  return getValue();
}
