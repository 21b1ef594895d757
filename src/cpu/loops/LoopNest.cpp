// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the elements of a loop's buffers are, scalar loops, and vectors of elements.
#include "cpu/loops/LoopNest.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

int64_t cpu::staticStride(MemRefType type, int64_t dim) {
  if (type.getDimSize(dim) == 1)
    return 1;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return ShapedType::kDynamic;
  return strides[dim];
}

Value cpu::withUnitStrideLast(OpBuilder &builder, Value buffer, SmallVectorImpl<int64_t> &order) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t rank = type.getRank();
  order.resize(rank);
  std::iota(order.begin(), order.end(), 0);
  SmallVector<int64_t> strides;
  int64_t offset;
  if (rank < 2 || failed(type.getStridesAndOffset(strides, offset)) || strides.back() == 1)
    return buffer;
  auto unit = llvm::find(strides, 1);
  if (unit == strides.end())
    return buffer;
  int64_t dim = unit - strides.begin();
  order.erase(order.begin() + dim);
  order.push_back(dim);
  SmallVector<unsigned> permutation(order.begin(), order.end());
  AffineMap map = AffineMap::getPermutationMap(permutation, builder.getContext());
  return memref::TransposeOp::create(builder, buffer.getLoc(), buffer, AffineMapAttr::get(map));
}

std::optional<int64_t> LoopAccess::coefficient(AffineExpr index, int64_t dim) {
  if (!index.isFunctionOfDim(dim))
    return 0;
  if (isa<AffineDimExpr>(index))
    return 1;
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return std::nullopt;
  std::optional<int64_t> left = coefficient(binary.getLHS(), dim);
  if (index.getKind() == AffineExprKind::Add) {
    std::optional<int64_t> right = coefficient(binary.getRHS(), dim);
    return left && right ? std::optional<int64_t>(*left + *right) : std::nullopt;
  }
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (index.getKind() == AffineExprKind::Mul && left && factor)
    return *left * factor.getValue();
  return std::nullopt;
}

int64_t LoopAccess::strideAlong(int64_t dim) const {
  int64_t stride = 0;
  for (auto [position, result] : llvm::enumerate(map.getResults()))
    if (result.isFunctionOfDim(dim)) {
      std::optional<int64_t> step = coefficient(result, dim);
      int64_t unit = staticStride(type(), position);
      if (stride != 0 || !step || ShapedType::isDynamic(unit))
        return ShapedType::kDynamic;
      stride = *step * unit;
    }
  return stride;
}

static Value expand(OpBuilder &builder, Location loc, AffineExpr index, ArrayRef<Value> loopIndices) {
  if (auto dim = dyn_cast<AffineDimExpr>(index))
    return loopIndices[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(index))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(index);
  Value left = expand(builder, loc, binary.getLHS(), loopIndices);
  Value right = expand(builder, loc, binary.getRHS(), loopIndices);
  if (index.getKind() == AffineExprKind::Add)
    return arith::AddIOp::create(builder, loc, left, right);
  return arith::MulIOp::create(builder, loc, left, right);
}

SmallVector<Value> LoopAccess::indices(OpBuilder &builder, Location loc, ArrayRef<Value> loopIndices) const {
  SmallVector<Value> values;
  for (AffineExpr result : map.getResults())
    values.push_back(expand(builder, loc, result, loopIndices));
  return values;
}

static EdgeOp edgeOf(Value buffer) {
  while (auto cast = buffer.getDefiningOp<memref::CastOp>())
    buffer = cast.getSource();
  return buffer.getDefiningOp<EdgeOp>();
}

LogicalResult LoopNest::findAccesses() {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    LoopAccess access{operand.get(), op.getMatchingIndexingMap(&operand), edgeOf(operand.get())};
    for (AffineExpr result : access.map.getResults())
      for (unsigned dim = 0; dim < access.map.getNumDims(); ++dim)
        if (!LoopAccess::coefficient(result, dim))
          return op.emitOpError("has an indexing map that is not lowered for cpu yet");
    if (isa<MemRefType>(operand.get().getType())) {
      SmallVector<int64_t> order;
      if (access.edge)
        access.buffer = access.edge.getSource();
      access.buffer = withUnitStrideLast(builder, access.buffer, order);
      if (access.edge && !access.edge.getBefore().empty())
        access.before = llvm::map_to_vector(order, [&](int64_t dim) { return access.edge.getBefore()[dim]; });
      SmallVector<AffineExpr> results;
      for (int64_t dim : order)
        results.push_back(access.map.getResult(dim));
      access.map = AffineMap::get(access.map.getNumDims(), 0, results, op.getContext());
    }
    accesses.push_back(access);
  }
  for (auto [dim, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction)
      reductionDim = dim;
  return success();
}

Value LoopNest::index(OpBuilder &builder, int64_t value) const {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value LoopNest::begin(OpBuilder &builder, int64_t dim) const {
  return op->hasAttr(boundsAttr) ? accesses[2 * dim].buffer : index(builder, 0);
}

bool LoopNest::canMask() const {
  linalg::GenericOp loop = op;
  int64_t inputs = loop.getNumDpsInputs(), read = inputs - countFetched(op);
  auto isOfLanes = [&](auto numbered) {
    auto [number, access] = numbered;
    if (!isa<MemRefType>(access.buffer.getType()) || !access.dependsOn(laneDim) ||
        (int64_t(number) >= read && int64_t(number) < inputs))
      return true;
    unsigned bits = access.type().getElementTypeBitWidth();
    return plan.unit().hasMasks(bits) && access.strideAlong(laneDim) == 1;
  };
  // A lane that is masked out has zeros; a division by them would trap.
  auto isHarmless = [](Operation &inner) {
    return isMemoryEffectFree(&inner) && !isa<PtrLoadOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                                              arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp>(inner);
  };
  return laneDim != none && llvm::all_of(llvm::enumerate(accesses), isOfLanes) &&
         llvm::all_of(body->without_terminator(), isHarmless);
}

void LoopNest::nest(OpBuilder &builder, ArrayRef<int64_t> dims, llvm::function_ref<void(OpBuilder &)> inner) {
  if (dims.empty())
    return inner(builder);
  int64_t dim = dims.front();
  if (sizes[dim] == 1 && !op->hasAttr(boundsAttr)) {
    indices[dim] = index(builder, 0);
    return nest(builder, dims.drop_front(), inner);
  }
  auto loop = scf::ForOp::create(builder, loc, begin(builder, dim), endOf(builder, dim), index(builder, 1));
  OpBuilder nested(loop.getBody()->getTerminator());
  indices[dim] = loop.getInductionVar();
  nest(nested, dims.drop_front(), inner);
}

void LoopNest::cloneOp(OpBuilder &builder, Operation *inner, IRMapping &mapping, Type like) {
  auto vector = dyn_cast<VectorType>(like);
  SmallVector<Value> operands;
  for (Value operand : inner->getOperands()) {
    Value value = mapping.lookupOrNull(operand);
    if (!value) {
      value = operand.getParentBlock() == body ? builder.clone(*operand.getDefiningOp())->getResult(0) : operand;
      if (vector)
        value = vector::BroadcastOp::create(builder, loc, VectorType::get(vector.getShape(), value.getType()), value);
    }
    operands.push_back(value);
  }
  SmallVector<Type> types;
  for (Type type : inner->getResultTypes())
    types.push_back(vector ? VectorType::get(vector.getShape(), type) : type);
  Operation *clone =
      builder.create(inner->getLoc(), inner->getName().getIdentifier(), operands, types, inner->getAttrs());
  for (auto [from, to] : llvm::zip(inner->getResults(), clone->getResults()))
    mapping.map(from, to);
}

//===-- vectors of elements -----------------------------------------------===//

Value LoopNest::load(OpBuilder &builder, const LoopAccess &access) {
  if (!isa<MemRefType>(access.buffer.getType()))
    return access.buffer;
  SmallVector<Value> at = access.indices(builder, loc, indices);
  if (laneDim == none || !access.dependsOn(laneDim))
    return loadElement(builder, access, at);
  auto type = VectorType::get({lanes}, access.type().getElementType());
  if (isContiguous(access) && isGuarded(access)) {
    Value padding = vector::BroadcastOp::create(builder, loc, type, access.edge.getPadding());
    return vector::MaskedLoadOp::create(builder, loc, type, access.buffer, at, maskOf(builder, access), padding);
  }
  if (isContiguous(access) && mask) {
    Value zeros = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    return vector::MaskedLoadOp::create(builder, loc, type, access.buffer, at, mask, zeros);
  }
  if (isContiguous(access))
    return loads.emplace_back(vector::LoadOp::create(builder, loc, type, access.buffer, at));
  SmallVector<Value> scalars;
  for (int64_t lane = 0; lane < lanes; ++lane)
    scalars.push_back(loadElement(builder, access, laneIndices(builder, access, lane)));
  return vector::FromElementsOp::create(builder, loc, type, scalars);
}

void LoopNest::prefetchNext(OpBuilder &builder) {
  FetchAttr fetch = fetchOf(op);
  if (!fetch || laneDim == none || fetchedSteps == 0)
    return;
  // Of a loop that fetches half of the tile, every line takes twice the steps.
  std::optional<int64_t> half = fetch.getHalf();
  Value at = indices[laneDim];
  int64_t span = lanes * fetchedSteps;
  if (half) {
    span /= 2;
    Value halved = arith::ShRUIOp::create(builder, loc, at, index(builder, 1));
    indices[laneDim] = arith::AddIOp::create(builder, loc, halved, index(builder, *half * (sizes[laneDim] / 2)));
  }
  for (int64_t i = op.getNumDpsInputs() - fetch.getCount(); i < op.getNumDpsInputs(); ++i) {
    const LoopAccess &access = accesses[i];
    if (access.strideAlong(laneDim) != 1)
      continue;
    int64_t perLine = std::max<int64_t>(1, 8 * cacheLineBytes / access.type().getElementTypeBitWidth());
    for (int64_t lane = 0; lane < span; lane += perLine)
      fetches.push_back(memref::PrefetchOp::create(builder, loc, access.buffer, laneIndices(builder, access, lane),
                                                   /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true));
  }
  indices[laneDim] = at;
}

Value LoopNest::address(OpBuilder &builder, const LoopAccess &access) const {
  auto parts = memref::ExtractStridedMetadataOp::create(builder, loc, access.buffer);
  Value elements = parts.getOffset();
  for (auto [at, stride] : llvm::zip_equal(access.indices(builder, loc, indices), parts.getStrides()))
    elements =
        arith::AddIOp::create(builder, loc, elements, arith::MulIOp::create(builder, loc, at, stride).getResult());
  Value bytes = index(builder, std::max<int64_t>(1, access.type().getElementTypeBitWidth() / 8));
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, access.buffer);
  return arith::AddIOp::create(builder, loc, start, arith::MulIOp::create(builder, loc, elements, bytes).getResult());
}

SmallVector<Value> LoopNest::laneIndices(OpBuilder &builder, const LoopAccess &access, int64_t lane) const {
  SmallVector<Value> shifted(indices);
  shifted[laneDim] = arith::AddIOp::create(builder, loc, indices[laneDim], index(builder, lane));
  return access.indices(builder, loc, shifted);
}

void LoopNest::store(OpBuilder &builder, const LoopAccess &access, Value value, CachePolicy policy) const {
  SmallVector<Value> at = access.indices(builder, loc, indices);
  if (!isa<VectorType>(value.getType()))
    return storeElement(builder, access, value, at);
  if (isContiguous(access) && isGuarded(access)) {
    vector::MaskedStoreOp::create(builder, loc, access.buffer, at, maskOf(builder, access), value);
    return;
  }
  if (isContiguous(access) && mask) {
    vector::MaskedStoreOp::create(builder, loc, access.buffer, at, mask, value);
    return;
  }
  if (isContiguous(access)) {
    auto store = vector::StoreOp::create(builder, loc, value, access.buffer, at);
    if (policy == CachePolicy::Streaming) {
      store.setNontemporal(true);
      store.setAlignment(cacheLineBytes);
    }
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    Value scalar = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{lane});
    storeElement(builder, access, scalar, laneIndices(builder, access, lane));
  }
}
