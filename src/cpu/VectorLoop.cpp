// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linalg.generic on buffers becomes scalar loops around one loop over vectors.
//
// One dimension runs along the lanes: the one along which most buffers are contiguous. A value of the body is then
// *uniform* (the same in all lanes; it stays a scalar), *linear* (an integer that grows by a constant from lane to
// lane: it stays a scalar until a lane needs it, and an address like that is a contiguous access), or *varying* (a
// vector).
#include "cpu/MicroTiles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

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

namespace {

// A buffer the loop reads or writes, with where its element is for given loop indices.
struct Access {
  Value buffer;
  AffineMap map;

  MemRefType type() const { return cast<MemRefType>(buffer.getType()); }

  bool dependsOn(int64_t dim) const { return map.isFunctionOfDim(dim); }

  // By how much an index grows per step of a loop dimension; nothing if not by a constant.
  static std::optional<int64_t> coefficient(AffineExpr index, int64_t dim) {
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

  // Stride in elements per step of a loop dimension; zero if it does not depend on it.
  int64_t strideAlong(int64_t dim) const {
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

  SmallVector<Value> indices(OpBuilder &builder, Location loc, ArrayRef<Value> loopIndices) const {
    SmallVector<Value> values;
    for (AffineExpr result : map.getResults())
      values.push_back(expand(builder, loc, result, loopIndices));
    return values;
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
};

constexpr int64_t none = -1;

class VectorLoop {
public:
  VectorLoop(linalg::GenericOp op, const Plan &plan) : op(op), plan(plan), body(op.getBody()), loc(op.getLoc()) {}

  LogicalResult emit() {
    OpBuilder builder(op);
    sizes = op.getStaticLoopRanges();
    for (OpOperand &operand : op->getOpOperands()) {
      Access access{operand.get(), op.getMatchingIndexingMap(&operand)};
      for (AffineExpr result : access.map.getResults())
        for (unsigned dim = 0; dim < access.map.getNumDims(); ++dim)
          if (!Access::coefficient(result, dim))
            return op.emitOpError("has an indexing map that is not lowered for cpu yet");
      if (isa<MemRefType>(operand.get().getType())) {
        SmallVector<int64_t> order;
        access.buffer = withUnitStrideLast(builder, access.buffer, order);
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
    findCombiner();
    chooseLanes();
    if (needsBlocks())
      return emitBlocks(builder);

    indices.assign(sizes.size(), Value());
    SmallVector<int64_t> outer;
    for (int64_t dim = 0; dim < (int64_t)sizes.size(); ++dim)
      if (dim != laneDim && dim != reductionDim)
        outer.push_back(dim);
    nest(builder, outer, [&](OpBuilder &inner) { emitInner(inner); });
    op.erase();
    return success();
  }

private:
  //===-- decisions -------------------------------------------------------===//

  int64_t elementBits() const {
    int64_t bits = 8;
    auto consider = [&](Type type) {
      if (type.isIntOrFloat() && !type.isInteger(1))
        bits = std::max<int64_t>(bits, type.getIntOrFloatBitWidth());
    };
    for (const Access &access : accesses)
      if (auto type = dyn_cast<MemRefType>(access.buffer.getType()))
        consider(type.getElementType());
    for (Operation &inner : *body)
      for (Value result : inner.getResults())
        if (isa<FloatType>(result.getType()))
          consider(result.getType());
    return bits;
  }

  void chooseLanes() {
    bool hasBits = llvm::any_of(op->getOperands(), [](Value operand) {
      auto type = dyn_cast<MemRefType>(operand.getType());
      return type && type.getElementType().isInteger(1);
    });
    hasBits &= !op->hasAttr("cpu.effect_only") || llvm::any_of(op.getDpsInputs(), [](Value input) {
      auto type = dyn_cast<MemRefType>(input.getType());
      return type && type.getElementType().isInteger(1);
    });
    // Bits are read and written one by one: they take a byte in memory but not in a vector.
    int64_t most = hasBits ? plan.lanes(32) : plan.lanes(elementBits()) * plan.loopVectors;
    int64_t bestCost = std::numeric_limits<int64_t>::max();
    for (int64_t dim = 0; dim < (int64_t)sizes.size(); ++dim) {
      if (sizes[dim] == 1 || (dim == reductionDim && !hasCombiner))
        continue;
      int64_t cost = 0;
      for (const Access &access : accesses) {
        if (!isa<MemRefType>(access.buffer.getType()) || !access.dependsOn(dim))
          continue;
        cost += access.strideAlong(dim) == 1 ? 0 : 16;
      }
      // Few lanes are a waste.
      cost += sizes[dim] < plan.lanes(32) ? 8 : 0;
      if (cost <= bestCost) {
        bestCost = cost;
        laneDim = dim;
      }
    }
    if (laneDim != none)
      lanes = std::min<int64_t>(most, sizes[laneDim]);
  }

  // A reduction's body is a part that computes an element per result and a part that combines it with the
  // accumulator; the latter also combines lanes.
  void findCombiner() {
    if (reductionDim == none)
      return;
    auto yield = cast<linalg::YieldOp>(body->getTerminator());
    SmallVector<Value> accumulators;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      Value argument = body->getArgument(op.getNumDpsInputs() + i);
      if (!outAccess(i).dependsOn(reductionDim)) {
        reduced.push_back(i);
        accumulators.push_back(argument);
      }
    }
    llvm::SetVector<Value> dependent(accumulators.begin(), accumulators.end());
    for (Operation &inner : body->without_terminator())
      if (llvm::any_of(inner.getOperands(), [&](Value operand) { return dependent.contains(operand); })) {
        combiner.push_back(&inner);
        for (Value result : inner.getResults())
          dependent.insert(result);
      }
    // What enters the combining part from the other: one element per accumulator.
    llvm::SetVector<Value> entering;
    for (Operation *inner : combiner)
      for (Value operand : inner->getOperands())
        if (!dependent.contains(operand) && operand.getParentBlock() == body && !isConstant(operand))
          entering.insert(operand);
    if (entering.size() != accumulators.size())
      return;
    elements.resize(accumulators.size());
    if (accumulators.size() == 1) {
      elements[0] = entering[0];
    } else {
      for (auto [i, accumulator] : llvm::enumerate(accumulators)) {
        for (Value candidate : entering)
          for (Operation *inner : combiner)
            if (llvm::is_contained(inner->getOperands(), accumulator) &&
                llvm::is_contained(inner->getOperands(), candidate) && candidate.getType() == accumulator.getType() &&
                !llvm::is_contained(elements, candidate))
              elements[i] = candidate;
        if (!elements[i])
          return;
      }
    }
    for (unsigned i : reduced)
      if (elements[llvm::find(reduced, i) - reduced.begin()].getType() != yield.getOperand(i).getType())
        return;
    hasCombiner = true;
  }

  static bool isConstant(Value value) { return value.getDefiningOp<arith::ConstantOp>() != nullptr; }

  Access &outAccess(unsigned i) { return accesses[op.getNumDpsInputs() + i]; }
  bool writesResults() { return !op->hasAttr("cpu.effect_only"); }

  //===-- loops -----------------------------------------------------------===//

  Value index(OpBuilder &builder, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  void nest(OpBuilder &builder, ArrayRef<int64_t> dims, llvm::function_ref<void(OpBuilder &)> inner) {
    if (dims.empty())
      return inner(builder);
    int64_t dim = dims.front();
    if (sizes[dim] == 1) {
      indices[dim] = index(builder, 0);
      return nest(builder, dims.drop_front(), inner);
    }
    auto loop = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, sizes[dim]), index(builder, 1));
    OpBuilder nested(loop.getBody()->getTerminator());
    indices[dim] = loop.getInductionVar();
    nest(nested, dims.drop_front(), inner);
  }

  void emitInner(OpBuilder &builder) {
    if (reductionDim == none)
      return overLanes(builder, [&](OpBuilder &inner) { storeElementwise(inner); });
    if (reductionDim == laneDim)
      return reduceLanes(builder);
    overLanes(builder, [&](OpBuilder &inner) { reduceInOrder(inner); });
  }

  // Runs `inner` for each vector of the lane dimension.
  void overLanes(OpBuilder &builder, llvm::function_ref<void(OpBuilder &)> inner) {
    if (laneDim == none)
      return inner(builder);
    if (lanes == sizes[laneDim]) {
      indices[laneDim] = index(builder, 0);
      return inner(builder);
    }
    if (canStream())
      return overCacheLines(builder, inner);
    auto loop =
        scf::ForOp::create(builder, loc, index(builder, 0), index(builder, sizes[laneDim]), index(builder, lanes));
    OpBuilder nested(loop.getBody()->getTerminator());
    indices[laneDim] = loop.getInductionVar();
    inner(nested);
  }

  // Results are written past the cache if vectors fill cache lines and there are several of them. The loop's first
  // input says where the first cache line begins.
  bool canStream() {
    if (!op->hasAttr("cpu.stream") || reductionDim != none || laneDim == none || op.getNumDpsInits() != 1)
      return false;
    const Access &out = outAccess(0);
    return out.strideAlong(laneDim) == 1 && sizes[laneDim] >= 2 * lanes &&
           lanes * out.type().getElementTypeBitWidth() % 512 == 0;
  }

  // Whole cache lines in the middle; what lies before the first and after the last of them is covered by one ordinary
  // vector at each end, which computes some elements a second time.
  void overCacheLines(OpBuilder &builder, llvm::function_ref<void(OpBuilder &)> inner) {
    Value first = accesses[0].buffer, size = index(builder, sizes[laneDim]), step = index(builder, lanes);
    Value ragged = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, first, index(builder, 0));
    auto ordinary = [&](int64_t at) {
      auto choice = scf::IfOp::create(builder, loc, TypeRange(), ragged, /*withElseRegion=*/false);
      OpBuilder then = choice.getThenBodyBuilder();
      indices[laneDim] = index(then, at);
      inner(then);
    };
    ordinary(0);
    Value full = arith::SubIOp::create(builder, loc, size, index(builder, lanes - 1));
    auto loop = scf::ForOp::create(builder, loc, first, full, step);
    OpBuilder nested(loop.getBody()->getTerminator());
    indices[laneDim] = loop.getInductionVar();
    streaming = true;
    inner(nested);
    streaming = false;
    ordinary(sizes[laneDim] - lanes);
  }

  // The results that are not reduced, at the current indices.
  void storeElementwise(OpBuilder &builder) {
    startBody();
    auto yield = cast<linalg::YieldOp>(body->getTerminator());
    runEffects(builder);
    fetch(builder);
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
      if (!llvm::is_contained(reduced, i) && writesResults())
        store(builder, outAccess(i), asLanes(builder, yield.getOperand(i)));
  }

  SmallVector<Value> loadAccumulators(OpBuilder &builder) {
    SmallVector<Value> values;
    for (unsigned i : reduced)
      values.push_back(load(builder, outAccess(i)));
    return values;
  }

  void storeAccumulators(OpBuilder &builder, ValueRange values) {
    for (auto [i, value] : llvm::zip(reduced, values))
      store(builder, outAccess(i), value);
  }

  // Lanes are results; the reduction is a loop inside.
  void reduceInOrder(OpBuilder &builder) {
    indices[reductionDim] = index(builder, 0);
    SmallVector<Value> initial;
    for (unsigned i : reduced) {
      Value value = load(builder, outAccess(i));
      if (laneDim != none && !isa<VectorType>(value.getType()))
        value = vector::BroadcastOp::create(builder, loc, VectorType::get({lanes}, value.getType()), value);
      initial.push_back(value);
    }
    auto loop = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, sizes[reductionDim]),
                                   index(builder, 1), initial);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    indices[reductionDim] = loop.getInductionVar();
    startBody();
    auto yield = cast<linalg::YieldOp>(body->getTerminator());
    for (auto [i, accumulator] : llvm::zip(reduced, loop.getRegionIterArgs()))
      values[body->getArgument(op.getNumDpsInputs() + i)] = accumulator;
    SmallVector<Value> next;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
      Value value = asLanes(inner, yield.getOperand(i));
      if (llvm::is_contained(reduced, i))
        next.push_back(value);
      else
        store(inner, outAccess(i), value);
    }
    scf::YieldOp::create(inner, loc, next);
    indices[reductionDim] = index(builder, 0);
    storeAccumulators(builder, loop.getResults());
  }

  // Lanes are what is reduced: a vector of partial results that starts, like the result, from the identity; the lanes
  // are combined at the end.
  void reduceLanes(OpBuilder &builder) {
    indices[laneDim] = index(builder, 0);
    SmallVector<Value> partial;
    for (Value initial : loadAccumulators(builder))
      partial.push_back(
          vector::BroadcastOp::create(builder, loc, VectorType::get({lanes}, initial.getType()), initial));
    if (lanes < sizes[laneDim]) {
      auto loop = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, sizes[laneDim]),
                                     index(builder, lanes), partial);
      OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
      indices[laneDim] = loop.getInductionVar();
      SmallVector<Value> next = elementVectors(inner);
      scf::YieldOp::create(inner, loc, combine(inner, loop.getRegionIterArgs(), next));
      partial.assign(loop.getResults().begin(), loop.getResults().end());
    } else {
      SmallVector<Value> next = elementVectors(builder);
      partial = combine(builder, partial, next);
    }
    for (int64_t width = lanes / 2; width >= 1; width /= 2) {
      SmallVector<Value> low, high;
      for (Value value : partial) {
        low.push_back(vector::ExtractStridedSliceOp::create(builder, loc, value, 0, width, 1));
        high.push_back(vector::ExtractStridedSliceOp::create(builder, loc, value, width, width, 1));
      }
      partial = combine(builder, low, high);
    }
    for (Value &value : partial)
      value = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{0});
    indices[laneDim] = index(builder, 0);
    storeAccumulators(builder, partial);
  }

  // The vectors of elements at the current indices; stores the results that are not reduced.
  SmallVector<Value> elementVectors(OpBuilder &builder) {
    storeElementwise(builder);
    SmallVector<Value> vectors;
    for (Value element : elements)
      vectors.push_back(asLanes(builder, element));
    return vectors;
  }

  SmallVector<Value> combine(OpBuilder &builder, ValueRange accumulators, ValueRange next) {
    IRMapping mapping;
    Type like = accumulators.front().getType();
    for (auto [i, accumulator] : llvm::zip(reduced, accumulators))
      mapping.map(body->getArgument(op.getNumDpsInputs() + i), accumulator);
    for (auto [element, value] : llvm::zip(elements, next))
      mapping.map(element, value);
    for (Operation *inner : combiner)
      cloneOp(builder, inner, mapping, like);
    SmallVector<Value> results;
    for (unsigned i : reduced)
      results.push_back(mapping.lookup(body->getTerminator()->getOperand(i)));
    return results;
  }

  // Clones an op of the combining part, on vectors if `like` is one.
  void cloneOp(OpBuilder &builder, Operation *inner, IRMapping &mapping, Type like) {
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

  //===-- memory ----------------------------------------------------------===//

  Value load(OpBuilder &builder, const Access &access) {
    if (!isa<MemRefType>(access.buffer.getType()))
      return access.buffer;
    SmallVector<Value> at = access.indices(builder, loc, indices);
    if (laneDim == none || !access.dependsOn(laneDim))
      return memref::LoadOp::create(builder, loc, access.buffer, at);
    auto type = VectorType::get({lanes}, access.type().getElementType());
    if (access.strideAlong(laneDim) == 1 && !type.getElementType().isInteger(1)) // a bit takes a byte in memory
      return vector::LoadOp::create(builder, loc, type, access.buffer, at);
    SmallVector<Value> scalars;
    for (int64_t lane = 0; lane < lanes; ++lane)
      scalars.push_back(memref::LoadOp::create(builder, loc, access.buffer, laneIndices(builder, access, lane)));
    return vector::FromElementsOp::create(builder, loc, type, scalars);
  }

  // The lines of the inputs that only the next block reads, at the current indices.
  void fetch(OpBuilder &builder) {
    auto count = op->getAttrOfType<IntegerAttr>("cpu.fetch");
    if (!count || laneDim == none)
      return;
    for (int64_t i = op.getNumDpsInputs() - count.getInt(); i < op.getNumDpsInputs(); ++i) {
      const Access &access = accesses[i];
      if (access.strideAlong(laneDim) != 1)
        continue;
      int64_t perLine = std::max<int64_t>(1, 512 / std::max<int64_t>(8, access.type().getElementTypeBitWidth()));
      for (int64_t lane = 0; lane < lanes; lane += perLine)
        memref::PrefetchOp::create(builder, loc, access.buffer, laneIndices(builder, access, lane), /*isWrite=*/false,
                                   /*localityHint=*/2, /*isDataCache=*/true);
    }
  }

  SmallVector<Value> laneIndices(OpBuilder &builder, const Access &access, int64_t lane) {
    SmallVector<Value> shifted(indices);
    shifted[laneDim] = arith::AddIOp::create(builder, loc, indices[laneDim], index(builder, lane));
    return access.indices(builder, loc, shifted);
  }

  void store(OpBuilder &builder, const Access &access, Value value) {
    SmallVector<Value> at = access.indices(builder, loc, indices);
    if (!isa<VectorType>(value.getType())) {
      memref::StoreOp::create(builder, loc, value, access.buffer, at);
      return;
    }
    if (access.strideAlong(laneDim) == 1 && !access.type().getElementType().isInteger(1)) {
      auto store = vector::StoreOp::create(builder, loc, value, access.buffer, at);
      if (streaming) {
        store.setNontemporal(true);
        store.setAlignment(64);
      }
      return;
    }
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value scalar = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{lane});
      memref::StoreOp::create(builder, loc, scalar, access.buffer, laneIndices(builder, access, lane));
    }
  }

  //===-- the body --------------------------------------------------------===//

  void startBody() {
    values.clear();
    scalars.clear();
    slopes.clear();
  }

  // By how much an integer grows from lane to lane; zero for what is the same in all lanes, nothing for the rest.
  std::optional<int64_t> slope(Value value) {
    if (laneDim == none || value.getParentBlock() != body)
      return 0;
    if (auto known = slopes.find(value); known != slopes.end())
      return known->second;
    std::optional<int64_t> result = computeSlope(value);
    slopes[value] = result;
    return result;
  }

  std::optional<int64_t> computeSlope(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (values.contains(value))
        return std::nullopt;
      const Access &access = accesses[argument.getArgNumber()];
      return access.dependsOn(laneDim) && isa<MemRefType>(access.buffer.getType()) ? std::nullopt
                                                                                   : std::optional<int64_t>(0);
    }
    Operation *inner = value.getDefiningOp();
    if (auto position = dyn_cast<linalg::IndexOp>(inner))
      return (int64_t)position.getDim() == laneDim ? 1 : 0;
    SmallVector<int64_t> operandSlopes;
    for (Value operand : inner->getOperands()) {
      std::optional<int64_t> known = slope(operand);
      if (!known)
        return std::nullopt;
      operandSlopes.push_back(*known);
    }
    if (llvm::all_of(operandSlopes, [](int64_t each) { return each == 0; }))
      return 0;
    if (isa<arith::AddIOp>(inner))
      return operandSlopes[0] + operandSlopes[1];
    if (isa<arith::SubIOp>(inner))
      return operandSlopes[0] - operandSlopes[1];
    if (isa<arith::IndexCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>(inner))
      return operandSlopes[0];
    if (isa<arith::MulIOp>(inner))
      for (unsigned i : {0u, 1u}) {
        APInt factor;
        if (matchPattern(inner->getOperand(i), m_ConstantInt(&factor)))
          return operandSlopes[1 - i] * factor.getSExtValue();
      }
    return std::nullopt;
  }

  // The value in the first lane; only of uniform and linear values.
  Value firstLane(OpBuilder &builder, Value value) {
    if (value.getParentBlock() != body)
      return value;
    if (Value known = scalars.lookup(value))
      return known;
    Value result;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      result = values.contains(value) ? values.lookup(value) : load(builder, accesses[argument.getArgNumber()]);
    } else if (auto position = value.getDefiningOp<linalg::IndexOp>()) {
      result = indices[position.getDim()];
    } else {
      Operation *inner = value.getDefiningOp();
      SmallVector<Value> operands;
      for (Value operand : inner->getOperands())
        operands.push_back(firstLane(builder, operand));
      Operation *clone = builder.create(inner->getLoc(), inner->getName().getIdentifier(), operands,
                                        inner->getResultTypes(), inner->getAttrs());
      result = clone->getResult(0);
    }
    scalars[value] = result;
    return result;
  }

  // The value as a scalar, if it is uniform, or a vector.
  Value asLanes(OpBuilder &builder, Value value) {
    if (Value known = values.lookup(value))
      return known;
    std::optional<int64_t> step = slope(value);
    Value result;
    if (laneDim == none || step == 0) {
      result = firstLane(builder, value);
      if (laneDim == none)
        return result;
      result = vector::BroadcastOp::create(builder, loc, VectorType::get({lanes}, result.getType()), result);
    } else if (step) {
      auto type = VectorType::get({lanes}, value.getType());
      SmallVector<Attribute> offsets;
      for (int64_t lane = 0; lane < lanes; ++lane)
        offsets.push_back(builder.getIntegerAttr(value.getType(), lane * *step));
      Value ramp = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, offsets));
      Value first = vector::BroadcastOp::create(builder, loc, type, firstLane(builder, value));
      result = arith::AddIOp::create(builder, loc, first, ramp);
    } else if (auto argument = dyn_cast<BlockArgument>(value)) {
      result = load(builder, accesses[argument.getArgNumber()]);
    } else {
      result = varyingOp(builder, value.getDefiningOp());
    }
    values[value] = result;
    return result;
  }

  Value varyingOp(OpBuilder &builder, Operation *inner) {
    if (auto access = dyn_cast<PtrLoadOp>(inner))
      return loadLanes(builder, access);
    SmallVector<Value> operands;
    for (auto [i, operand] : llvm::enumerate(inner->getOperands())) {
      bool scalarCondition = isa<arith::SelectOp>(inner) && i == 0 && slope(operand) == 0;
      operands.push_back(scalarCondition ? firstLane(builder, operand) : asLanes(builder, operand));
    }
    auto type = VectorType::get({lanes}, inner->getResult(0).getType());
    return builder.create(inner->getLoc(), inner->getName().getIdentifier(), operands, type, inner->getAttrs())
        ->getResult(0);
  }

  // Stores through addresses happen whether or not their result is asked for.
  void runEffects(OpBuilder &builder) {
    for (Operation &inner : *body)
      if (auto access = dyn_cast<PtrStoreOp>(inner))
        storeLanes(builder, access);
  }

  static int64_t bytesOf(Type type) { return std::max<int64_t>(1, type.getIntOrFloatBitWidth() / 8); }

  Value pointer(OpBuilder &builder, Value address) {
    Type type = LLVM::LLVMPointerType::get(builder.getContext());
    if (auto vector = dyn_cast<VectorType>(address.getType()))
      type = VectorType::get(vector.getShape(), type);
    return LLVM::IntToPtrOp::create(builder, loc, type, address);
  }

  static bool isTrue(Value mask) { return matchPattern(mask, m_One()); }

  Value loadLanes(OpBuilder &builder, PtrLoadOp access) {
    Type element = access.getResult().getType();
    auto type = VectorType::get({lanes}, element);
    if (slope(access.getAddress()) == bytesOf(element)) {
      Value first = pointer(builder, firstLane(builder, access.getAddress()));
      if (isTrue(access.getMask()))
        return LLVM::LoadOp::create(builder, loc, type, first, bytesOf(element));
      return LLVM::MaskedLoadOp::create(builder, loc, type, first, asLanes(builder, access.getMask()),
                                        asLanes(builder, access.getOther()), bytesOf(element));
    }
    Value pointers = pointer(builder, asLanes(builder, access.getAddress()));
    return LLVM::masked_gather::create(builder, loc, type, pointers, asLanes(builder, access.getMask()),
                                       asLanes(builder, access.getOther()), bytesOf(element));
  }

  void storeLanes(OpBuilder &builder, PtrStoreOp access) {
    if (laneDim == none) {
      PtrStoreOp::create(builder, loc, firstLane(builder, access.getValue()), firstLane(builder, access.getAddress()),
                         firstLane(builder, access.getMask()));
      return;
    }
    Type element = access.getValue().getType();
    Value value = asLanes(builder, access.getValue());
    if (slope(access.getAddress()) == bytesOf(element)) {
      Value first = pointer(builder, firstLane(builder, access.getAddress()));
      if (isTrue(access.getMask()))
        LLVM::StoreOp::create(builder, loc, value, first, bytesOf(element));
      else
        LLVM::MaskedStoreOp::create(builder, loc, value, first, asLanes(builder, access.getMask()), bytesOf(element));
      return;
    }
    Value pointers = pointer(builder, asLanes(builder, access.getAddress()));
    LLVM::masked_scatter::create(builder, loc, value, pointers, asLanes(builder, access.getMask()), bytesOf(element));
  }

  //===-- square blocks ---------------------------------------------------===//

  // A buffer contiguous along one dimension and another along a second: transposing 16x16 in registers beats any order
  // of single elements.
  bool needsBlocks() {
    if (reductionDim != none || laneDim == none || sizes[laneDim] % blockSize != 0 || op.getNumDpsInits() != 1)
      return false;
    for (const Access &access : accesses)
      if (auto type = dyn_cast<MemRefType>(access.buffer.getType()); type && type.getElementType().isInteger(1))
        return false;
    for (Operation &inner : *body)
      if (isa<PtrLoadOp, PtrStoreOp, linalg::IndexOp>(inner))
        return false;
    laneDim = none;
    for (int64_t dim = 0; dim < (int64_t)sizes.size(); ++dim)
      if (sizes[dim] > 1 && outAccess(0).strideAlong(dim) == 1)
        laneDim = dim;
    int64_t chosen = laneDim;
    for (const Access &access : accesses) {
      if (chosen == none || !isa<MemRefType>(access.buffer.getType()))
        continue;
      int64_t along = access.strideAlong(chosen);
      if (along == 0 || along == 1)
        continue;
      for (int64_t dim = 0; dim < (int64_t)sizes.size(); ++dim)
        if (dim != chosen && sizes[dim] % blockSize == 0 && access.strideAlong(dim) == 1)
          crossDim = dim;
    }
    if (chosen == none || crossDim == none || sizes[chosen] % blockSize != 0) {
      crossDim = none;
      laneDim = none;
      chooseLanes();
      return false;
    }
    return true;
  }

  LogicalResult emitBlocks(OpBuilder &builder) {
    indices.assign(sizes.size(), Value());
    SmallVector<int64_t> outer;
    for (int64_t dim = 0; dim < (int64_t)sizes.size(); ++dim)
      if (dim != laneDim && dim != crossDim)
        outer.push_back(dim);
    nest(builder, outer, [&](OpBuilder &inner) {
      auto overCross =
          scf::ForOp::create(inner, loc, index(inner, 0), index(inner, sizes[crossDim]), index(inner, blockSize));
      OpBuilder cross(overCross.getBody()->getTerminator());
      indices[crossDim] = overCross.getInductionVar();
      auto overLane =
          scf::ForOp::create(cross, loc, index(cross, 0), index(cross, sizes[laneDim]), index(cross, blockSize));
      OpBuilder lane(overLane.getBody()->getTerminator());
      indices[laneDim] = overLane.getInductionVar();
      emitBlock(lane);
    });
    op.erase();
    return success();
  }

  // [cross][lane]
  void emitBlock(OpBuilder &builder) {
    IRMapping mapping;
    for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
      mapping.map(body->getArgument(i), loadBlock(builder, accesses[i]));
    for (Operation &inner : body->without_terminator())
      cloneOp(builder, &inner, mapping, VectorType::get({blockSize, blockSize}, builder.getI1Type()));
    Value yielded = body->getTerminator()->getOperand(0);
    Value value = mapping.lookupOrNull(yielded);
    if (!value)
      value = yielded;
    value = toBlock(builder, value);
    const Access &out = outAccess(0);
    for (int64_t row = 0; row < blockSize; ++row) {
      SmallVector<Value> shifted(indices);
      shifted[crossDim] = arith::AddIOp::create(builder, loc, indices[crossDim], index(builder, row));
      Value line = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{row});
      vector::StoreOp::create(builder, loc, line, out.buffer, out.indices(builder, loc, shifted));
    }
  }

  Value toBlock(OpBuilder &builder, Value value) {
    auto vector = dyn_cast<VectorType>(value.getType());
    Type element = vector ? vector.getElementType() : value.getType();
    auto type = VectorType::get({blockSize, blockSize}, element);
    return value.getType() == type ? value : vector::BroadcastOp::create(builder, loc, type, value).getResult();
  }

  Value loadBlock(OpBuilder &builder, const Access &access) {
    if (!isa<MemRefType>(access.buffer.getType()))
      return toBlock(builder, access.buffer);
    Type element = access.type().getElementType();
    auto line = VectorType::get({blockSize}, element);
    bool alongLane = access.dependsOn(laneDim), alongCross = access.dependsOn(crossDim);
    if (!alongLane && !alongCross)
      return toBlock(builder,
                     memref::LoadOp::create(builder, loc, access.buffer, access.indices(builder, loc, indices)));
    auto loadLine = [&](int64_t contiguous, int64_t other, int64_t row) -> Value {
      SmallVector<Value> shifted(indices);
      if (other != none)
        shifted[other] = arith::AddIOp::create(builder, loc, indices[other], index(builder, row));
      if (access.strideAlong(contiguous) == 1)
        return vector::LoadOp::create(builder, loc, line, access.buffer, access.indices(builder, loc, shifted));
      SmallVector<Value> scalars;
      for (int64_t lane = 0; lane < blockSize; ++lane) {
        SmallVector<Value> at(shifted);
        at[contiguous] = arith::AddIOp::create(builder, loc, shifted[contiguous], index(builder, lane));
        scalars.push_back(memref::LoadOp::create(builder, loc, access.buffer, access.indices(builder, loc, at)));
      }
      return vector::FromElementsOp::create(builder, loc, line, scalars);
    };
    if (!alongCross)
      return toBlock(builder, loadLine(laneDim, none, 0));
    if (!alongLane) {
      Value block = toBlock(builder, loadLine(crossDim, none, 0));
      return vector::TransposeOp::create(builder, loc, block, ArrayRef<int64_t>{1, 0});
    }
    bool transposed = access.strideAlong(laneDim) != 1 && access.strideAlong(crossDim) == 1;
    Value block = ub::PoisonOp::create(builder, loc, VectorType::get({blockSize, blockSize}, element));
    for (int64_t row = 0; row < blockSize; ++row) {
      Value values = transposed ? loadLine(crossDim, laneDim, row) : loadLine(laneDim, crossDim, row);
      block = vector::InsertOp::create(builder, loc, values, block, ArrayRef<int64_t>{row});
    }
    return transposed ? vector::TransposeOp::create(builder, loc, block, ArrayRef<int64_t>{1, 0}).getResult() : block;
  }

  static constexpr int64_t blockSize = 16;

  linalg::GenericOp op;
  const Plan &plan;
  Block *body;
  Location loc;
  SmallVector<int64_t> sizes;
  SmallVector<Access> accesses;
  int64_t laneDim = none, reductionDim = none, crossDim = none;
  int64_t lanes = 1;
  bool streaming = false; // the current store goes past the cache
  bool hasCombiner = false;
  SmallVector<unsigned> reduced; // results that the reduction combines
  SmallVector<Operation *> combiner;
  SmallVector<Value> elements; // per reduced result, what is combined
  SmallVector<Value> indices;  // current index per loop dimension; of the lane dimension that of the first lane
  DenseMap<Value, Value> values, scalars;
  DenseMap<Value, std::optional<int64_t>> slopes;
};

} // namespace

LogicalResult cpu::emitVectorLoop(linalg::GenericOp loop, const Plan &plan) {
  return VectorLoop(loop, plan).emit();
}
