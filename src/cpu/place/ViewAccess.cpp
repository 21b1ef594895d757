// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/place/ViewAccess.h"
#include "cpu/ir/Cpu.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

template <typename Op> static FailureOr<ViewAccess> accessOf(Op op, Type tileType) {
  auto view = op.getView().template getDefiningOp<tileaa::MakeViewOp>();
  if (!view)
    return op.emitOpError("has a view chosen by control flow, which is not lowered for cpu yet"), failure();
  ArrayRef<int64_t> shape;
  if (auto tensor = dyn_cast<RankedTensorType>(tileType))
    shape = tensor.getShape();
  std::optional<ArrayRef<bool>> inbounds = op.getInbounds();
  return ViewAccess(view, op.getOffsets(), op.getDimMap(), inbounds, shape);
}

FailureOr<ViewAccess> ViewAccess::of(tileaa::LoadViewOp load) {
  return accessOf(load, load.getTile().getType());
}
FailureOr<ViewAccess> ViewAccess::of(tileaa::StoreViewOp store) {
  return accessOf(store, store.getTile().getType());
}

static int64_t dynamicPosition(ArrayRef<int64_t> values, int64_t index) {
  return llvm::count(values.take_front(index), ShapedType::kDynamic);
}

Value ViewAccess::extent(OpBuilder &builder, Location loc, int64_t viewDim) const {
  ArrayRef<int64_t> shape = view.getResult().getType().getShape();
  if (!ShapedType::isDynamic(shape[viewDim]))
    return arith::ConstantIndexOp::create(builder, loc, shape[viewDim]);
  return view.getDynamicShape()[dynamicPosition(shape, viewDim)];
}

Value ViewAccess::stride(OpBuilder &builder, Location loc, int64_t viewDim) const {
  ArrayRef<int64_t> strides = view.getResult().getType().getStrides();
  if (!ShapedType::isDynamic(strides[viewDim]))
    return arith::ConstantIndexOp::create(builder, loc, strides[viewDim]);
  return view.getDynamicStrides()[dynamicPosition(strides, viewDim)];
}

int64_t ViewAccess::elementBytes() const {
  return std::max<int64_t>(1, view.getResult().getType().getElementType().getIntOrFloatBitWidth() / 8);
}

Value ViewAccess::address(OpBuilder &builder, Location loc) const {
  Value elements;
  for (auto [dim, offset] : llvm::enumerate(offsets)) {
    Value term = offset;
    if (view.getResult().getType().getStrides()[dim] != 1)
      term = arith::MulIOp::create(builder, loc, offset, stride(builder, loc, dim));
    elements = elements ? arith::AddIOp::create(builder, loc, elements, term).getResult() : term;
  }
  Value base = view.getBase();
  if (!elements)
    return base;
  Value size = arith::ConstantIndexOp::create(builder, loc, elementBytes());
  Value bytes = arith::MulIOp::create(builder, loc, elements, size);
  return arith::AddIOp::create(builder, loc, base, arith::IndexCastOp::create(builder, loc, base.getType(), bytes));
}

// Strides a buffer type can state: one unit stride of the array; all others are run-time values, so that an edge tile
// in scratch has the same type. (An array of one column has two unit strides, scratch for its tile has not.)
static SmallVector<int64_t> typeStrides(tileaa::ViewType view, ArrayRef<int64_t> dimMap, ArrayRef<int64_t> tileShape) {
  SmallVector<int64_t> strides(dimMap.size(), ShapedType::kDynamic);
  int64_t unit = -1;
  for (auto [tileDim, viewDim] : llvm::enumerate(dimMap))
    if (view.getStrides()[viewDim] == 1 && (unit < 0 || tileShape[tileDim] != 1))
      unit = tileDim;
  if (unit >= 0)
    strides[unit] = 1;
  return strides;
}

MemRefType ViewAccess::wholeType() const {
  tileaa::ViewType type = view.getResult().getType();
  return MemRefType::get(tileShape, type.getElementType(),
                         StridedLayoutAttr::get(view.getContext(), 0, typeStrides(type, dimMap, tileShape)));
}

static Value buildArray(OpBuilder &builder, Location loc, MemRefType type, Value address, ValueRange sizes,
                        ValueRange allStrides) {
  SmallVector<Value> strides;
  for (auto [stride, value] : llvm::zip(cast<StridedLayoutAttr>(type.getLayout()).getStrides(), allStrides))
    if (ShapedType::isDynamic(stride))
      strides.push_back(value);
  return ArrayOp::create(builder, loc, type, address, sizes, strides);
}

Value ViewAccess::whole(OpBuilder &builder, Location loc) const {
  return wholeAt(builder, loc, address(builder, loc));
}

Value ViewAccess::wholeAt(OpBuilder &builder, Location loc, Value address) const {
  SmallVector<Value> strides = llvm::map_to_vector(dimMap, [&](int64_t dim) { return stride(builder, loc, dim); });
  return buildArray(builder, loc, wholeType(), address, {}, strides);
}

Value ViewAccess::inside(OpBuilder &builder, Location loc) const {
  SmallVector<int64_t> shape;
  SmallVector<Value> sizes, strides;
  for (auto [tileDim, viewDim] : llvm::enumerate(dimMap)) {
    strides.push_back(stride(builder, loc, viewDim));
    shape.push_back(mayLeave(tileDim) ? ShapedType::kDynamic : tileShape[tileDim]);
    if (mayLeave(tileDim))
      sizes.push_back(extentInside(builder, loc, tileDim));
  }
  MemRefType whole = wholeType();
  auto type = MemRefType::get(shape, whole.getElementType(), whole.getLayout());
  return buildArray(builder, loc, type, address(builder, loc), sizes, strides);
}

Value ViewAccess::withEdge(OpBuilder &builder, Location loc, Value padding) const {
  return EdgeOp::create(builder, loc, wholeType(), inside(builder, loc), elementsBefore(builder, loc), padding);
}

std::optional<int64_t> ViewAccess::contiguousDim() const {
  SmallVector<int64_t> strides = typeStrides(view.getResult().getType(), dimMap, tileShape);
  auto unit = llvm::find(strides, 1);
  return unit == strides.end() ? std::nullopt : std::optional<int64_t>(unit - strides.begin());
}

bool ViewAccess::isChecked(int64_t viewDim) const {
  return !inbounds || !(*inbounds)[viewDim];
}

// Dimensions of the view that no dimension of the tile runs along count for the first one: where the box is outside of
// them, nothing of it is inside.
bool ViewAccess::mayLeave(int64_t tileDim) const {
  if (isChecked(dimMap[tileDim]))
    return true;
  return tileDim == 0 && llvm::any_of(llvm::seq<int64_t>(0, offsets.size()),
                                      [&](int64_t dim) { return isChecked(dim) && !llvm::is_contained(dimMap, dim); });
}

// An index outside of the view's index space is undefined, but reads and writes nothing else: negative ones are outside
// too.
Value ViewAccess::holds(OpBuilder &builder, Location loc, int64_t viewDim, Value from, Value to) const {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value begin = builder.createOrFold<arith::AddIOp>(loc, offsets[viewDim], from);
  Value end = builder.createOrFold<arith::AddIOp>(loc, offsets[viewDim], to);
  Value fits = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sle, end, extent(builder, loc, viewDim));
  Value begins = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, begin, zero);
  return builder.createOrFold<arith::AndIOp>(loc, begins, fits);
}

Value ViewAccess::holds(OpBuilder &builder, Location loc, int64_t viewDim, int64_t extentOfTile) const {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return holds(builder, loc, viewDim, zero, arith::ConstantIndexOp::create(builder, loc, extentOfTile));
}

// The same for the dimensions that no dimension of the tile runs along; null where that is promised.
Value ViewAccess::holdsOthers(OpBuilder &builder, Location loc) const {
  Value result;
  for (int64_t viewDim = 0; viewDim < (int64_t)offsets.size(); ++viewDim) {
    if (!isChecked(viewDim) || llvm::is_contained(dimMap, viewDim))
      continue;
    Value inside = holds(builder, loc, viewDim, 1);
    result = result ? builder.createOrFold<arith::AndIOp>(loc, result, inside) : inside;
  }
  return result;
}

Value ViewAccess::extentInside(OpBuilder &builder, Location loc, int64_t tileDim) const {
  Value all = arith::ConstantIndexOp::create(builder, loc, tileShape[tileDim]);
  if (!mayLeave(tileDim))
    return all;
  int64_t viewDim = dimMap[tileDim];
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value left = all;
  if (isChecked(viewDim)) {
    left = arith::SubIOp::create(builder, loc, extent(builder, loc, viewDim), offsets[viewDim]);
    left = arith::MaxSIOp::create(builder, loc, left, zero);
    left = arith::MinSIOp::create(builder, loc, left, all);
  }
  Value others = tileDim == 0 ? holdsOthers(builder, loc) : Value();
  return others ? builder.createOrFold<arith::SelectOp>(loc, others, left, zero) : left;
}

SmallVector<Value> ViewAccess::elementsBefore(OpBuilder &builder, Location loc) const {
  SmallVector<Value> before;
  bool mayBegin = false;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  for (auto [extentOfTile, viewDim] : llvm::zip_equal(tileShape, dimMap)) {
    APInt offset;
    if (!isChecked(viewDim) || (matchPattern(offsets[viewDim], m_ConstantInt(&offset)) && !offset.isNegative())) {
      before.push_back(zero);
      continue;
    }
    mayBegin = true;
    Value all = arith::ConstantIndexOp::create(builder, loc, extentOfTile);
    Value missing = arith::SubIOp::create(builder, loc, zero, offsets[viewDim]);
    missing = arith::MaxSIOp::create(builder, loc, missing, zero);
    before.push_back(arith::MinSIOp::create(builder, loc, missing, all));
  }
  return mayBegin ? before : SmallVector<Value>();
}

Value ViewAccess::isWhole(OpBuilder &builder, Location loc) const {
  return hasPart(builder, loc, SmallVector<std::pair<Value, Value>>(tileShape.size()));
}

Value ViewAccess::hasPart(OpBuilder &builder, Location loc, ArrayRef<std::pair<Value, Value>> parts) const {
  Value result = holdsOthers(builder, loc);
  for (auto [extentOfTile, viewDim, part] : llvm::zip_equal(tileShape, dimMap, parts)) {
    if (!isChecked(viewDim))
      continue;
    Value inside =
        part.first ? holds(builder, loc, viewDim, part.first, part.second) : holds(builder, loc, viewDim, extentOfTile);
    result = result ? builder.createOrFold<arith::AndIOp>(loc, result, inside) : inside;
  }
  return result && matchPattern(result, m_One()) ? Value() : result;
}

Value ViewAccess::scratchLike(OpBuilder &atEntry, OpBuilder &builder, Location loc) const {
  MemRefType type = wholeType();
  // The dimension with unit stride goes last.
  SmallVector<int64_t> order(tileShape.size());
  std::iota(order.begin(), order.end(), 0);
  ArrayRef<int64_t> strides = cast<StridedLayoutAttr>(type.getLayout()).getStrides();
  auto unit = llvm::find(strides, 1);
  if (unit != strides.end()) {
    int64_t dim = unit - strides.begin();
    order.erase(order.begin() + dim);
    order.push_back(dim);
  }
  SmallVector<int64_t> shape;
  SmallVector<unsigned> inverse(order.size());
  for (auto [position, dim] : llvm::enumerate(order)) {
    shape.push_back(tileShape[dim]);
    inverse[dim] = position;
  }
  Value buffer = memref::AllocOp::create(atEntry, loc, MemRefType::get(shape, type.getElementType()));
  if (!llvm::is_sorted(order)) {
    AffineMap permutation = AffineMap::getPermutationMap(inverse, builder.getContext());
    buffer = memref::TransposeOp::create(builder, loc, buffer, AffineMapAttr::get(permutation));
  }
  return memref::CastOp::create(builder, loc, type, buffer);
}

SmallVector<Value> ViewAccess::inputs() const {
  SmallVector<Value> values(offsets);
  values.append(view->operand_begin(), view->operand_end());
  return values;
}

// `value` as it will be when what the mapping holds has moved on; null if that is not plain arithmetic in the region.
static Value whenMoved(OpBuilder &builder, Value value, Region &region, IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (!region.isAncestor(value.getParentRegion()))
    return value;
  Operation *op = value.getDefiningOp();
  // Parameters of the kernel do not move.
  if (!op && isa<func::FuncOp>(region.getParentOp()) && value.getParentRegion() == &region)
    return value;
  if (!op || !isPure(op) || op->getNumRegions() != 0)
    return {};
  bool changes = false;
  for (Value operand : op->getOperands()) {
    Value next = whenMoved(builder, operand, region, mapping);
    if (!next)
      return {};
    changes |= next != operand;
    mapping.map(operand, next);
  }
  return changes ? builder.clone(*op, mapping)->getResult(cast<OpResult>(value).getResultNumber()) : value;
}

std::optional<ViewAccess> ViewAccess::moved(OpBuilder &builder, Region &region, IRMapping &mapping) const {
  ViewAccess access(*this);
  bool moves = false;
  for (Value &offset : access.offsets) {
    Value then = whenMoved(builder, offset, region, mapping);
    if (!then)
      return std::nullopt;
    moves |= then != offset;
    offset = then;
  }
  return moves ? std::optional<ViewAccess>(access) : std::nullopt;
}

std::optional<ViewAccess> ViewAccess::later(OpBuilder &builder, scf::ForOp loop, int64_t iterations) const {
  Value next = loop.getInductionVar();
  for (int64_t i = 0; i < iterations; ++i)
    next = arith::AddIOp::create(builder, loop.getLoc(), next, loop.getStep());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), next);
  if (loop.getRegion().isAncestor(view->getParentRegion()))
    return std::nullopt;
  return moved(builder, loop.getRegion(), mapping);
}

std::optional<ViewAccess> ViewAccess::laterIteration(OpBuilder &builder, scf::ForOp loop) const {
  Value next = loop.getInductionVar();
  IRMapping mapping;
  mapping.map(next, arith::AddIOp::create(builder, loop.getLoc(), next, loop.getStep()).getResult());
  return moved(builder, loop.getRegion(), mapping);
}

std::optional<ViewAccess> ViewAccess::laterBlock(OpBuilder &builder, func::FuncOp function, int64_t blocks) const {
  IRMapping mapping;
  blocks *= countJoined(function);
  for (auto loop = builder.getBlock()->getParentOp(); loop != function; loop = loop->getParentOp())
    if (auto counted = dyn_cast<scf::ForOp>(loop))
      mapping.map(counted.getInductionVar(), counted.getInductionVar());
  function.walk([&](tileaa::BlockIdOp block) {
    Value step = arith::ConstantIntOp::create(builder, block.getLoc(), blocks, 32);
    mapping.map(block.getX(), arith::AddIOp::create(builder, block.getLoc(), block.getX(), step).getResult());
  });
  return moved(builder, function.getBody(), mapping);
}

// Bytes: parts of cache lines at the ends of shorter ones take as long as the others save.
static constexpr int64_t longLine = 2048;

Value ViewAccess::isLarge(OpBuilder &builder, Location loc, int64_t bytes) const {
  tileaa::ViewType type = view.getResult().getType();
  int64_t size = elementBytes();
  auto constant = [&](int64_t value) -> Value { return arith::ConstantIndexOp::create(builder, loc, value); };
  std::optional<int64_t> along = contiguousDim();
  if (!along)
    return {};
  bool anyPitch = tileShape[*along] * size >= longLine;
  // An address between elements shows in its low bits, a stride that is no multiple of 64 in those of the disjunction.
  Value start = arith::IndexCastOp::create(builder, loc, builder.getIndexType(), address(builder, loc));
  Value bits = arith::AndIOp::create(builder, loc, start, constant(size - 1));
  Value total = constant(size);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    total = arith::MulIOp::create(builder, loc, total, extent(builder, loc, dim));
    if (anyPitch || type.getStrides()[dim] == 1)
      continue;
    Value step = arith::MulIOp::create(builder, loc, stride(builder, loc, dim), constant(size));
    bits = arith::OrIOp::create(builder, loc, bits, step);
  }
  Value rest = arith::AndIOp::create(builder, loc, bits, constant(63));
  Value suits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, constant(0));
  Value large = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, total, constant(bytes));
  return arith::AndIOp::create(builder, loc, suits, large);
}
