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

/// A number, or the bits of one as an integer.
static ParseResult parseE5M3(OpAsmParser &parser, Type element, Attribute &value) {
  SMLoc loc = parser.getCurrentLocation();
  APInt bits;
  if (OptionalParseResult integer = parser.parseOptionalInteger(bits); integer.has_value()) {
    if (failed(*integer) || !bits.isIntN(8)) {
      return parser.emitError(loc, "expected the 8 bits of ") << element;
    }
    bits = bits.zextOrTrunc(8);
  } else {
    APFloat number(APFloat::IEEEdouble());
    if (parser.parseFloat(APFloat::IEEEdouble(), number)) {
      return failure();
    }
    std::optional<uint8_t> encoded = encodeE5M3(number);
    if (!encoded) {
      return parser.emitError(loc, "expected a number of ") << element << ", which has no negative ones";
    }
    bits = APInt(8, *encoded);
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

/// A scalar or nested lists of them, in row-major order; `isSplat` if there was no list.
static ParseResult parseElements(OpAsmParser &parser, Type element, SmallVectorImpl<Attribute> &values, bool &isSplat) {
  if (failed(parser.parseOptionalLSquare())) {
    return parseScalar(parser, element, values.emplace_back());
  }
  isSplat = false;
  return failure(parser.parseCommaSeparatedList([&] { return parseElements(parser, element, values, isSplat); }) ||
                 parser.parseRSquare());
}

ParseResult tilewright::cuda_tile::parseLiteral(OpAsmParser &parser, DenseElementsAttr &value) {
  Type element, type;
  SmallVector<Attribute> values;
  std::string hex;
  bool isSplat = true;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseTy(parser, element) || parser.parseColon()) {
    return failure();
  }
  bool isHex = succeeded(parser.parseOptionalString(&hex));
  if ((!isHex && parseElements(parser, element, values, isSplat)) || parser.parseGreater() || parser.parseColon() ||
      parseTy(parser, type)) {
    return failure();
  }
  auto tile = dyn_cast<TileType>(type);
  if (!tile || tile.getElementType() != element) {
    return parser.emitError(loc, "expected a tile of ") << element << ", got " << type;
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
  if (!isSplat && static_cast<int64_t>(values.size()) != tile.getNumElements()) {
    return parser.emitError(loc, "expected ") << tile.getNumElements() << " elements, got " << values.size();
  }
  value = DenseElementsAttr::get(tile, values);
  return success();
}

static void printElement(OpAsmPrinter &printer, Attribute value) {
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
  } else if (tile.getNumElements() > maxListedElements) {
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
