// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/Types.h"
#include "cuda_tile/ir/AsmFormat.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

#include "cuda_tile/ir/CudaTileTypeInterfaces.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "cuda_tile/ir/CudaTileTypes.cpp.inc"

void CudaTileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "cuda_tile/ir/CudaTileTypes.cpp.inc"
      >();
}

//===- Elements -------------------------------------------------------------------------===//

static bool isInt(Type type) {
  return type.isSignlessInteger() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth());
}
static bool isFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}
static bool isAnyFloat(Type type) {
  return isFloat(type) ||
         isa<FloatTF32Type, Float8E4M3FNType, Float8E5M2Type, Float8E8M0FNUType, Float4E2M1FNType, F8E5M3FNUType>(type);
}

bool tilewright::cuda_tile::isNumberType(Type type) {
  return isMemoryType(type) || type.isSignlessInteger(4);
}
bool tilewright::cuda_tile::isMemoryType(Type type) {
  return isInt(type) || isAnyFloat(type);
}

unsigned tilewright::cuda_tile::getElementBitWidth(Type type) {
  if (isa<PtrType>(type)) {
    return 64;
  }
  if (isa<FloatTF32Type>(type)) {
    return 32;
  }
  return isa<F8E5M3FNUType>(type) ? 8 : type.getIntOrFloatBitWidth();
}

const llvm::fltSemantics &F8E5M3FNUType::getFloatSemantics() const {
  return llvm::APFloat::Float8E8M0FNU();
}

static bool isTileOf(Type type, function_ref<bool(Type)> element) {
  auto tile = dyn_cast<TileType>(type);
  return tile && element(tile.getElementType());
}
static bool isScalarOf(Type type, function_ref<bool(Type)> element) {
  return isTileOf(type, element) && cast<TileType>(type).getShape().empty();
}

namespace tilewright::cuda_tile {
bool isCudaTileType(Type type) {
  return isa<CudaTileDialect>(type.getDialect());
}
bool isTile(Type type) {
  return isa<TileType>(type);
}
bool isIntTile(Type type) {
  return isTileOf(type, isInt);
}
bool isAnyIntTile(Type type) {
  return isTileOf(type, [](Type element) { return isInt(element) || element.isSignlessInteger(4); });
}
bool isBoolTile(Type type) {
  return isTileOf(type, [](Type element) { return element.isSignlessInteger(1); });
}
bool isByteTile(Type type) {
  return isTileOf(type, [](Type element) { return element.isSignlessInteger(8); });
}
bool isI64Tile(Type type) {
  return isTileOf(type, [](Type element) { return element.isSignlessInteger(64); });
}
bool isFloatTile(Type type) {
  return isTileOf(type, isFloat);
}
bool isAnyFloatTile(Type type) {
  return isTileOf(type, isAnyFloat);
}
bool isNumberTile(Type type) {
  return isTileOf(type, isNumberType);
}
bool isMemoryTile(Type type) {
  return isTileOf(type, isMemoryType);
}
bool isPtrTile(Type type) {
  return isTileOf(type, [](Type element) { return isa<PtrType>(element); });
}
bool isScalarI32(Type type) {
  return isScalarOf(type, [](Type element) { return element.isSignlessInteger(32); });
}
bool isScalarBool(Type type) {
  return isScalarOf(type, [](Type element) { return element.isSignlessInteger(1); });
}
bool isScalarInt(Type type) {
  return isScalarOf(type, isInt);
}
bool isScalarPtr(Type type) {
  return isScalarOf(type, [](Type element) { return isa<PtrType>(element); });
}
bool isIndexTile(Type type) {
  return isIntTile(type) && cast<TileType>(type).getShape().size() <= 1;
}
} // namespace tilewright::cuda_tile

//===- ptr and tile ---------------------------------------------------------------------===//

Type PtrType::parse(AsmParser &parser) {
  Type pointee;
  PointerKindAttr kind;
  if (parser.parseLess() || parseTy(parser, pointee)) {
    return {};
  }
  if (succeeded(parser.parseOptionalComma())) {
    kind = dyn_cast_or_null<PointerKindAttr>(PointerKindAttr::parse(parser, {}));
    if (!kind) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<PtrType>(parser.getContext(), pointee, kind);
}

void PtrType::print(AsmPrinter &printer) const {
  printer << '<';
  printTy(printer, getPointee());
  if (getKind()) {
    printer << ", ";
    getKind().print(printer);
  }
  printer << '>';
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee, PointerKindAttr) {
  if (!isMemoryType(pointee)) {
    return emitError() << "expected a pointer to a number other than i4, got " << pointee;
  }
  return success();
}

Type TileType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type elementType;
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) || parseTy(parser, elementType) ||
      parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<TileType>(parser.getContext(), ArrayRef(shape), elementType);
}

void TileType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape()) {
    printer << extent << 'x';
  }
  printTy(printer, getElementType());
  printer << '>';
}

ShapedType TileType::cloneWith(std::optional<ArrayRef<int64_t>> shape, Type elementType) const {
  return TileType::get(shape.value_or(getShape()), elementType);
}

LogicalResult TileType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                               Type elementType) {
  if (!isNumberType(elementType) && !isa<PtrType>(elementType)) {
    return emitError() << "expected tile elements to be integers, floats or pointers, got " << elementType;
  }
  int64_t numElements = 1;
  for (int64_t extent : shape) {
    if (extent < 1 || !llvm::isPowerOf2_64(extent)) {
      return emitError() << "expected tile extents to be powers of two, got " << extent;
    }
    // Dividing cannot overflow; multiplying first could, and wrap to a small number.
    if (extent > maxNumElements / numElements) {
      return emitError() << "expected a tile of at most " << maxNumElements << " elements, got more";
    }
    numElements *= extent;
  }
  if (isa<Float4E2M1FNType>(elementType) && numElements % 2) {
    return emitError() << "expected an even number of f4E2M1FN elements, got " << numElements;
  }
  // Two elements share a byte, so most of them have no address of their own.
  auto pointer = dyn_cast<PtrType>(elementType);
  if (pointer && isa<Float4E2M1FNType>(pointer.getPointee()) && !shape.empty()) {
    return emitError() << "expected pointers to f4E2M1FN in tiles of rank 0, got rank " << shape.size()
                       << "; use a view of the tensor";
  }
  return success();
}

//===- tensor_view ----------------------------------------------------------------------===//

static void printExtent(AsmPrinter &printer, int64_t extent) {
  if (ShapedType::isDynamic(extent)) {
    printer << '?';
  } else {
    printer << extent;
  }
}

Type TensorViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type elementType;
  PointerKindAttr kind;
  if (parser.parseLess() || parser.parseDimensionList(shape) || parseTy(parser, elementType)) {
    return {};
  }
  auto parseStride = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      strides.push_back(ShapedType::kDynamic);
      return success();
    }
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseInteger(strides.emplace_back())) {
      return failure();
    }
    // A number that means "dynamic" in memory does not in text.
    return ShapedType::isDynamic(strides.back())
               ? parser.emitError(loc, "expected a stride to be positive or '?', got ") << strides.back()
               : success();
  };
  bool hasMore = succeeded(parser.parseOptionalComma());
  if (hasMore && succeeded(parser.parseOptionalKeyword("strides"))) {
    if (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseStride)) {
      return {};
    }
    hasMore = succeeded(parser.parseOptionalComma());
  }
  if ((hasMore && parser.parseAttribute(kind)) || parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<TensorViewType>(parser.getContext(), elementType, ArrayRef(shape), ArrayRef(strides), kind);
}

void TensorViewType::print(AsmPrinter &printer) const {
  printer << '<';
  for (int64_t extent : getShape()) {
    printExtent(printer, extent);
    printer << 'x';
  }
  printTy(printer, getElementType());
  if (!getStrides().empty()) {
    printer << ", strides=[";
    llvm::interleave(getStrides(), [&](int64_t stride) { printExtent(printer, stride); }, [&] { printer << ','; });
    printer << ']';
  }
  if (getKind()) {
    printer << ", " << getKind();
  }
  printer << '>';
}

LogicalResult TensorViewType::verify(function_ref<InFlightDiagnostic()> emitError, Type elementType,
                                     ArrayRef<int64_t> shape, ArrayRef<int64_t> strides, PointerKindAttr) {
  if (!isMemoryType(elementType)) {
    return emitError() << "expected tensor elements to be numbers other than i4, got " << elementType;
  }
  if (shape.size() != strides.size()) {
    return emitError() << "expected one stride per dimension, got " << strides.size() << " strides for rank "
                       << shape.size();
  }
  for (auto [kind, values] : {std::pair("extents", shape), std::pair("strides", strides)}) {
    for (int64_t value : values) {
      if (!ShapedType::isDynamic(value) && value < 1) {
        return emitError() << "expected tensor " << kind << " to be positive or '?', got " << value;
      }
    }
  }
  return success();
}

int64_t TensorViewType::getNumDynamicDims() const {
  return llvm::count_if(getShape(), ShapedType::isDynamic);
}
int64_t TensorViewType::getNumDynamicStrides() const {
  return llvm::count_if(getStrides(), ShapedType::isDynamic);
}
