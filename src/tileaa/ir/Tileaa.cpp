// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileaa/ir/MmaShapes.h"

#include "mlir/Dialect/CommonFolders.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tileaa;

#include "tileaa/ir/TileaaDialect.cpp.inc"
#include "tileaa/ir/TileaaEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tileaa/ir/TileaaAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tileaa/ir/TileaaTypes.cpp.inc"

// The printer that tablegen makes for enumerations reads those with a default as if they might be absent.
static ParseResult parseCachePolicy(OpAsmParser &parser, CachePolicyAttr &cache) {
  StringRef word;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<CachePolicy> policy = symbolizeCachePolicy(word);
  if (!policy)
    return parser.emitError(place) << "a cache policy '" << word << "', expected default or streaming";
  cache = CachePolicyAttr::get(parser.getContext(), *policy);
  return success();
}
static void printCachePolicy(OpAsmPrinter &printer, Operation *, CachePolicyAttr cache) {
  printer << stringifyCachePolicy(cache.getValue());
}

#define GET_OP_CLASSES
#include "tileaa/ir/TileaaOps.cpp.inc"

void TileaaDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tileaa/ir/TileaaTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tileaa/ir/TileaaAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tileaa/ir/TileaaOps.cpp.inc"
      >();
}

//===-- ViewType ----------------------------------------------------------===//

static int64_t countDynamic(ArrayRef<int64_t> values) {
  return llvm::count(values, ShapedType::kDynamic);
}

int64_t ViewType::getNumDynamicDims() const {
  return countDynamic(getShape());
}
int64_t ViewType::getNumDynamicStrides() const {
  return countDynamic(getStrides());
}

static void printExtents(AsmPrinter &printer, ArrayRef<int64_t> extents) {
  llvm::interleaveComma(extents, printer, [&](int64_t extent) {
    if (ShapedType::isDynamic(extent))
      printer << "?";
    else
      printer << extent;
  });
}

static ParseResult parseExtents(AsmParser &parser, SmallVectorImpl<int64_t> &extents) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      extents.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(extents.emplace_back());
  });
}

// `<[?, 128], f32, strides = [?, 1]>`
void ViewType::print(AsmPrinter &printer) const {
  printer << "<[";
  printExtents(printer, getShape());
  printer << "], " << getElementType() << ", strides = [";
  printExtents(printer, getStrides());
  printer << "]>";
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type elementType;
  if (parser.parseLess() || parseExtents(parser, shape) || parser.parseComma() || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseKeyword("strides") || parser.parseEqual() || parseExtents(parser, strides) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<ViewType>(parser.getContext(), shape, elementType, strides);
}

LogicalResult ViewType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                               Type elementType, ArrayRef<int64_t> strides) {
  if (shape.size() != strides.size())
    return emitError() << "view has " << shape.size() << " extents but " << strides.size() << " strides";
  return success();
}

//===-- HintsAttr ---------------------------------------------------------===//

// Names and values are up to the program: a hint that nothing knows is answered so.
LogicalResult HintsAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, DictionaryAttr targets) {
  for (NamedAttribute target : targets)
    if (!isa<DictionaryAttr>(target.getValue()))
      return emitError() << "has hints " << target.getValue() << " for '" << target.getName().getValue()
                         << "', expected a dictionary";
  return success();
}

//===-- verifiers ---------------------------------------------------------===//

LogicalResult MakeViewOp::verify() {
  ViewType type = getResult().getType();
  if ((int64_t)getDynamicShape().size() != type.getNumDynamicDims())
    return emitOpError() << "has " << getDynamicShape().size() << " dynamic extents, its type "
                         << type.getNumDynamicDims();
  if ((int64_t)getDynamicStrides().size() != type.getNumDynamicStrides())
    return emitOpError() << "has " << getDynamicStrides().size() << " dynamic strides, its type "
                         << type.getNumDynamicStrides();
  return success();
}

static LogicalResult verifyAccess(Operation *op, Type tile, ViewType view, size_t numOffsets,
                                  ArrayRef<int64_t> dimMap) {
  auto shaped = dyn_cast<RankedTensorType>(tile);
  int64_t rank = shaped ? shaped.getRank() : 0;
  Type element = shaped ? shaped.getElementType() : tile;
  if ((int64_t)numOffsets != view.getRank())
    return op->emitOpError() << "has " << numOffsets << " offsets for a view of rank " << view.getRank();
  if (rank > view.getRank() || (int64_t)dimMap.size() != rank)
    return op->emitOpError() << "accesses a tile of rank " << rank << " with " << dimMap.size()
                             << " mapped dimensions in a view of rank " << view.getRank();
  llvm::SmallBitVector seen(view.getRank());
  for (int64_t dim : dimMap) {
    if (dim < 0 || dim >= view.getRank() || seen[dim])
      return op->emitOpError() << "maps its dimensions to [" << dimMap << "], expected distinct dimensions of the view";
    seen.set(dim);
  }
  if (element != view.getElementType())
    return op->emitOpError() << "accesses elements of type " << element << " in a view of " << view.getElementType();
  return success();
}

LogicalResult LoadViewOp::verify() {
  return verifyAccess(*this, getTile().getType(), getView().getType(), getOffsets().size(), getDimMap());
}

LogicalResult StoreViewOp::verify() {
  return verifyAccess(*this, getTile().getType(), getView().getType(), getOffsets().size(), getDimMap());
}

//===-- accesses through addresses ----------------------------------------===//

// PTX ISA 9.7.9.8: the instructions with an ordering have no cache operators.
template <typename Access> static LogicalResult verifyCache(Access access) {
  if (access.getOrdering() && access.getCache() != CachePolicy::Default)
    return access.emitOpError() << "has ordering '" << stringifyOrdering(*access.getOrdering()) << "' and cache '"
                                << stringifyCachePolicy(access.getCache()) << "', expected one of them";
  return success();
}

LogicalResult LoadPtrOp::verify() {
  if (getOrdering() && releases(*getOrdering()))
    return emitOpError() << "has ordering '" << stringifyOrdering(*getOrdering()) << "', expected relaxed or acquire";
  return verifyCache(*this);
}
LogicalResult StorePtrOp::verify() {
  if (getOrdering() && acquires(*getOrdering()))
    return emitOpError() << "has ordering '" << stringifyOrdering(*getOrdering()) << "', expected relaxed or release";
  return verifyCache(*this);
}

std::optional<Ordering> tilewright::tileaa::orderingOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Ordering>>(op)
      .Case<LoadPtrOp, StorePtrOp, AtomicRmwOp, AtomicCasOp>([](auto access) { return access.getOrdering(); })
      .Default(std::nullopt);
}

CachePolicy tilewright::tileaa::cachePolicyOf(Operation *access) {
  return llvm::TypeSwitch<Operation *, CachePolicy>(access).Case<LoadViewOp, StoreViewOp, LoadPtrOp, StorePtrOp>(
      [](auto op) { return op.getCache(); });
}
void tilewright::tileaa::setCachePolicy(Operation *access, CachePolicy policy) {
  llvm::TypeSwitch<Operation *>(access).Case<LoadViewOp, StoreViewOp, LoadPtrOp, StorePtrOp>(
      [&](auto op) { op.setCache(policy); });
}

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addReadAndWrite(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void LoadPtrOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (getOrdering())
    effects.emplace_back(MemoryEffects::Write::get());
}
void StorePtrOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}
void AtomicRmwOp::getEffects(Effects &effects) {
  addReadAndWrite(effects);
}
void AtomicCasOp::getEffects(Effects &effects) {
  addReadAndWrite(effects);
}

//===-- memory of the kernel's own ----------------------------------------===//

LogicalResult GetGlobalOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!symbols.lookupNearestSymbolFrom<GlobalOp>(*this, getNameAttr()))
    return emitOpError() << "expected the name of a global, got @" << getName();
  return success();
}

//===-- shapes ------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  auto source = dyn_cast<RankedTensorType>(getSource().getType());
  if (getElementTypeOrSelf(getSource().getType()) != result.getElementType())
    return emitOpError() << "changes the element type from " << getElementTypeOrSelf(getSource().getType()) << " to "
                         << result.getElementType();
  if (!source)
    return success();
  if (source.getRank() != result.getRank())
    return emitOpError() << "broadcasts rank " << source.getRank() << " to rank " << result.getRank()
                         << "; reshape first";
  for (auto [from, to] : llvm::zip(source.getShape(), result.getShape()))
    if (from != to && from != 1)
      return emitOpError() << "repeats a dimension of extent " << from << " to " << to << "; only extent 1 repeats";
  return success();
}

static int64_t countElements(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.getNumElements() : 1;
}

LogicalResult ReshapeOp::verify() {
  if (countElements(getSource().getType()) != countElements(getResult().getType()))
    return emitOpError() << "turns " << countElements(getSource().getType()) << " elements into "
                         << countElements(getResult().getType());
  return success();
}

LogicalResult PermuteOp::verify() {
  ArrayRef<int64_t> source = cast<RankedTensorType>(getSource().getType()).getShape();
  ArrayRef<int64_t> result = cast<RankedTensorType>(getResult().getType()).getShape();
  if (getPermutation().size() != source.size() || !isPermutationVector(getPermutation()))
    return emitOpError() << "permutes rank " << source.size() << " by [" << getPermutation() << "]";
  for (auto [extent, dim] : llvm::zip(result, getPermutation()))
    if (extent != source[dim])
      return emitOpError() << "has a result extent " << extent << " where the source has " << source[dim];
  return success();
}

LogicalResult tilewright::tileaa::verifyMmaShapes(Operation *mma, ArrayRef<int64_t> lhs, ArrayRef<int64_t> rhs,
                                                  ArrayRef<int64_t> acc) {
  size_t rank = acc.size();
  if ((rank != 2 && rank != 3) || lhs.size() != rank || rhs.size() != rank)
    return mma->emitOpError() << "multiplies ranks " << lhs.size() << " and " << rhs.size() << " into rank " << rank
                              << ", expected all 2 or all 3";
  if (lhs[rank - 1] != rhs[rank - 2] || acc[rank - 2] != lhs[rank - 2] || acc[rank - 1] != rhs[rank - 1] ||
      (rank == 3 && (lhs[0] != rhs[0] || lhs[0] != acc[0])))
    return mma->emitOpError() << "multiplies [" << lhs << "] by [" << rhs << "] into [" << acc << "]";
  return success();
}

LogicalResult MmaOp::verify() {
  return verifyMmaShapes(*this, cast<ShapedType>(getLhs().getType()).getShape(),
                         cast<ShapedType>(getRhs().getType()).getShape(),
                         cast<ShapedType>(getAcc().getType()).getShape());
}

template <typename FoldOp> static LogicalResult verifyFold(FoldOp op) {
  size_t count = op.getSources().size();
  if (count == 0 || op.getIdentities().size() != count || op->getNumResults() != count)
    return op.emitOpError() << "has " << count << " sources, " << op.getIdentities().size() << " identities and "
                            << op->getNumResults() << " results";
  Block &body = op.getBody().front();
  if (body.getNumArguments() != 2 * count)
    return op.emitOpError() << "has a body of " << body.getNumArguments() << " arguments, expected " << 2 * count;
  for (BlockArgument argument : body.getArguments()) {
    unsigned source = argument.getArgNumber() / 2;
    Type element = getElementTypeOrSelf(op.getSources()[source].getType());
    if (argument.getType() != element)
      return op.emitOpError() << "has a body whose argument " << argument.getArgNumber() << " is " << argument.getType()
                              << ", expected " << element << " as source " << source << " has";
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  return verifyFold(*this);
}
LogicalResult ScanOp::verify() {
  if (failed(verifyFold(*this)))
    return failure();
  // Each thread scans what it has: with layouts, of all sources and results alike.
  auto tile = cast<RankedTensorType>(getSources()[0].getType());
  if (getKind() != ScanKind::Inclusive && !tile.getEncoding())
    return emitOpError() << "is " << stringifyScanKind(getKind()) << ": expected tiles with layouts, got " << tile;
  for (Type type : llvm::concat<const Type>(getSources().getTypes(), getResultTypes())) {
    auto other = cast<RankedTensorType>(type);
    if (other.getShape() != tile.getShape() || other.getEncoding() != tile.getEncoding())
      return emitOpError() << "has tiles of " << tile << " and " << other << ", expected one shape and layout";
  }
  return success();
}

//===-- folders -----------------------------------------------------------===//

/// One of the dynamic operands of `make_view`, or the constant in the type of the view.
static OpFoldResult foldExtent(Operation *op, ArrayRef<int64_t> known, uint64_t dim, ValueRange dynamic) {
  if (ShapedType::isDynamic(known[dim]))
    return dynamic.empty() ? OpFoldResult() : dynamic[countDynamic(known.take_front(dim))];
  return IntegerAttr::get(IndexType::get(op->getContext()), known[dim]);
}

OpFoldResult ViewDimOp::fold(FoldAdaptor) {
  auto made = getView().getDefiningOp<MakeViewOp>();
  return foldExtent(*this, getView().getType().getShape(), getDim(), made ? made.getDynamicShape() : ValueRange());
}
OpFoldResult ViewStrideOp::fold(FoldAdaptor) {
  auto made = getView().getDefiningOp<MakeViewOp>();
  return foldExtent(*this, getView().getType().getStrides(), getDim(), made ? made.getDynamicStrides() : ValueRange());
}
OpFoldResult ViewBaseOp::fold(FoldAdaptor) {
  auto made = getView().getDefiningOp<MakeViewOp>();
  return made ? made.getBase() : Value();
}

/// The larger or smaller of two numbers. APFloat's own functions treat a signaling NaN otherwise: the larger of it and
/// a number is NaN, and the result is a signaling NaN itself.
static APFloat choose(FloatKind kind, const APFloat &lhs, const APFloat &rhs) {
  bool propagates = kind == FloatKind::Maximum || kind == FloatKind::Minimum;
  bool larger = kind == FloatKind::Max || kind == FloatKind::Maximum;
  if (lhs.isNaN() || rhs.isNaN()) {
    if (propagates || (lhs.isNaN() && rhs.isNaN()))
      return APFloat::getQNaN(lhs.getSemantics());
    return lhs.isNaN() ? rhs : lhs;
  }
  return larger ? llvm::maximum(lhs, rhs) : llvm::minimum(lhs, rhs);
}

OpFoldResult FloatOp::fold(FoldAdaptor adaptor) {
  if (!llvm::is_contained({FloatKind::Max, FloatKind::Min, FloatKind::Maximum, FloatKind::Minimum}, getKind()) ||
      getFlush())
    return {};
  return constFoldBinaryOp<FloatAttr, APFloat, void>(
      adaptor.getOperands(), [&](const APFloat &lhs, const APFloat &rhs) { return choose(getKind(), lhs, rhs); });
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  auto type = cast<RankedTensorType>(getResult().getType());
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.resizeSplat(type);
  if (auto scalar = dyn_cast_or_null<TypedAttr>(adaptor.getSource()); isa_and_nonnull<IntegerAttr, FloatAttr>(scalar))
    return DenseElementsAttr::get(type, scalar);
  return {};
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getResult().getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(adaptor.getSource()))
    if (auto type = dyn_cast<RankedTensorType>(getResult().getType()))
      return dense.reshape(type);
  return {};
}

Operation *TileaaDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}
