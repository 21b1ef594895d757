// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Views that are read and written tile by tile. Their text is
// `tile=(4x8), traversal_strides=[4,8], padding_value = zero, tensor_view<...>, dim_map=[1, 0]`
// with the parts a view has.
#include "cuda_tile/ir/AsmFormat.h"
#include "cuda_tile/ir/Types.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

//===- Text -----------------------------------------------------------------------------===//

static ParseResult parseIntegers(AsmParser &parser, StringRef keyword, SmallVectorImpl<int32_t> &values) {
  return failure(parser.parseKeyword(keyword) || parser.parseEqual() ||
                 parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                                [&] { return parser.parseInteger(values.emplace_back()); }));
}

static ParseResult parseTileShape(AsmParser &parser, SmallVectorImpl<int32_t> &shape) {
  SmallVector<int64_t> extents;
  if (parser.parseKeyword("tile") || parser.parseEqual() || parser.parseLParen()) {
    return failure();
  }
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(extents, /*allowDynamic=*/false, /*withTrailingX=*/false) || parser.parseRParen()) {
    return failure();
  }
  // Views keep 32 bits of an extent, and no tile needs more.
  for (int64_t extent : extents) {
    if (extent > TileType::maxNumElements) {
      return parser.emitError(loc, "expected tile extents of at most ")
             << TileType::maxNumElements << ", got " << extent;
    }
  }
  shape.assign(extents.begin(), extents.end());
  return success();
}

static void printTileShape(AsmPrinter &printer, ArrayRef<int32_t> shape) {
  printer << "tile=(";
  llvm::interleave(shape, printer, "x");
  printer << ')';
}

/// The optional padding and the tensor view that follow; all views have them.
static ParseResult parseSource(AsmParser &parser, PaddingValueAttr &padding, TensorViewType &tensor) {
  if (succeeded(parser.parseOptionalKeyword("padding_value"))) {
    FailureOr<PaddingValue> value = failure();
    if (parser.parseEqual() || failed(value = FieldParser<PaddingValue>::parse(parser)) || parser.parseComma()) {
      return failure();
    }
    padding = PaddingValueAttr::get(parser.getContext(), *value);
  }
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parseTy(parser, type)) {
    return failure();
  }
  tensor = dyn_cast<TensorViewType>(type);
  return tensor ? success() : parser.emitError(loc, "expected a tensor_view, got ") << type;
}

static void printSource(AsmPrinter &printer, PaddingValueAttr padding, TensorViewType tensor) {
  if (padding) {
    printer << ", padding_value = " << padding.getValue();
  }
  printer << ", ";
  printTy(printer, tensor);
}

static ParseResult parseDimMap(AsmParser &parser, size_t rank, SmallVectorImpl<int32_t> &dimMap) {
  if (succeeded(parser.parseOptionalComma())) {
    return parseIntegers(parser, "dim_map", dimMap);
  }
  llvm::append_range(dimMap, llvm::seq<int32_t>(0, rank));
  return success();
}

static void printDimMap(AsmPrinter &printer, ArrayRef<int32_t> dimMap) {
  if (!llvm::equal(dimMap, llvm::seq<int32_t>(0, dimMap.size()))) {
    printer << ", dim_map=[";
    llvm::interleaveComma(dimMap, printer);
    printer << ']';
  }
}

//===- Rules ----------------------------------------------------------------------------===//

static LogicalResult verifyView(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> tileShape,
                                TensorViewType tensor, PaddingValueAttr padding) {
  if (tileShape.empty()) {
    return emitError() << "expected a tile of rank 1 or more";
  }
  if (tileShape.size() != static_cast<size_t>(tensor.getRank())) {
    return emitError() << "expected the tile to have the rank of the tensor view, got " << tileShape.size() << " and "
                       << tensor.getRank();
  }
  SmallVector<int64_t> shape(tileShape.begin(), tileShape.end());
  if (failed(TileType::verify(emitError, shape, tensor.getElementType()))) {
    return failure();
  }
  bool isFloat = !isa<IntegerType>(tensor.getElementType());
  if (padding && padding.getValue() != PaddingValue::zero && !isFloat) {
    return emitError() << "expected padding_value = zero for integer elements, got "
                       << stringifyPaddingValue(padding.getValue());
  }
  return success();
}

static LogicalResult verifyDimMap(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> dimMap,
                                  int64_t rank) {
  SmallVector<int32_t> sorted(dimMap);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, rank))) {
    return emitError() << "expected dim_map to be a permutation of 0 to " << rank - 1 << ", got [" << dimMap << "]";
  }
  return success();
}

TileType TileView::getTileType() const {
  ArrayRef<int32_t> shape = getTileShape();
  return TileType::get(SmallVector<int64_t>(shape.begin(), shape.end()), getTensorView().getElementType());
}

TensorViewType TileView::getTensorView() const {
  return cast<TensorViewType>(getSource());
}

//===- partition_view -------------------------------------------------------------------===//

Type PartitionViewType::parse(AsmParser &parser) {
  SmallVector<int32_t> tile, dimMap;
  PaddingValueAttr padding;
  TensorViewType tensor;
  if (parser.parseLess() || parseTileShape(parser, tile) || parser.parseComma() ||
      parseSource(parser, padding, tensor) || parseDimMap(parser, tile.size(), dimMap) || parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<PartitionViewType>(parser.getContext(), ArrayRef(tile), tensor, ArrayRef(dimMap), padding);
}

void PartitionViewType::print(AsmPrinter &printer) const {
  printer << '<';
  printTileShape(printer, getTileShape());
  printSource(printer, getPaddingValue(), getTensorView());
  printDimMap(printer, getDimMap());
  printer << '>';
}

LogicalResult PartitionViewType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> tileShape,
                                        TensorViewType tensor, ArrayRef<int32_t> dimMap, PaddingValueAttr padding) {
  return failure(failed(verifyView(emitError, tileShape, tensor, padding)) ||
                 failed(verifyDimMap(emitError, dimMap, tensor.getRank())));
}

//===- strided_view ---------------------------------------------------------------------===//

Type StridedViewType::parse(AsmParser &parser) {
  SmallVector<int32_t> tile, strides, dimMap;
  PaddingValueAttr padding;
  TensorViewType tensor;
  if (parser.parseLess() || parseTileShape(parser, tile) || parser.parseComma() ||
      parseIntegers(parser, "traversal_strides", strides) || parser.parseComma() ||
      parseSource(parser, padding, tensor) || parseDimMap(parser, tile.size(), dimMap) || parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<StridedViewType>(parser.getContext(), ArrayRef(tile), ArrayRef(strides), tensor,
                                            ArrayRef(dimMap), padding);
}

void StridedViewType::print(AsmPrinter &printer) const {
  printer << '<';
  printTileShape(printer, getTileShape());
  printer << ", traversal_strides=[";
  llvm::interleave(getTraversalStrides(), printer, ",");
  printer << ']';
  printSource(printer, getPaddingValue(), getTensorView());
  printDimMap(printer, getDimMap());
  printer << '>';
}

LogicalResult StridedViewType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> tileShape,
                                      ArrayRef<int32_t> strides, TensorViewType tensor, ArrayRef<int32_t> dimMap,
                                      PaddingValueAttr padding) {
  if (failed(verifyView(emitError, tileShape, tensor, padding)) ||
      failed(verifyDimMap(emitError, dimMap, tensor.getRank()))) {
    return failure();
  }
  if (strides.size() != tileShape.size()) {
    return emitError() << "expected one traversal stride per tile dimension, got " << strides.size() << " for rank "
                       << tileShape.size();
  }
  for (int32_t stride : strides) {
    if (stride < 1) {
      return emitError() << "expected traversal strides to be positive, got " << stride;
    }
  }
  return success();
}

//===- gather_scatter_view --------------------------------------------------------------===//

Type GatherScatterViewType::parse(AsmParser &parser) {
  SmallVector<int32_t> tile;
  PaddingValueAttr padding;
  TensorViewType tensor;
  int32_t sparseDim;
  if (parser.parseLess() || parseTileShape(parser, tile) || parser.parseComma() ||
      parseSource(parser, padding, tensor) || parser.parseComma() || parser.parseKeyword("sparse_dim") ||
      parser.parseEqual() || parser.parseInteger(sparseDim) || parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<GatherScatterViewType>(parser.getContext(), ArrayRef(tile), tensor, sparseDim, padding);
}

void GatherScatterViewType::print(AsmPrinter &printer) const {
  printer << '<';
  printTileShape(printer, getTileShape());
  printSource(printer, getPaddingValue(), getTensorView());
  printer << ", sparse_dim=" << getSparseDim() << '>';
}

LogicalResult GatherScatterViewType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int32_t> tileShape,
                                            TensorViewType tensor, int32_t sparseDim, PaddingValueAttr padding) {
  if (failed(verifyView(emitError, tileShape, tensor, padding))) {
    return failure();
  }
  if (sparseDim < 0 || sparseDim >= tensor.getRank()) {
    return emitError() << "expected sparse_dim to be a dimension of rank " << tensor.getRank() << ", got " << sparseDim;
  }
  return success();
}
