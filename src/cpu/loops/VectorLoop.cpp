// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linalg.generic on buffers becomes scalar loops around one loop over vectors.
//
// One dimension runs along the lanes: the one along which most buffers are contiguous.
#include "cpu/loops/VectorLoop.h"

#include "cpu/place/ArrayAlias.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

class VectorLoop : LaneValues {
public:
  using LaneValues::LaneValues;

  LogicalResult emit() {
    if (failed(findAccesses()))
      return failure();
    findCombiner();
    chooseLanes();
    if (emitSquareBlocks(*this))
      return success();

    OpBuilder builder(op);
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
    for (const LoopAccess &access : accesses)
      if (auto type = dyn_cast<MemRefType>(access.buffer.getType()))
        consider(type.getElementType());
    for (Operation &inner : *body)
      for (Value result : inner.getResults())
        if (isa<FloatType>(result.getType()))
          consider(result.getType());
    return bits;
  }

  void chooseLanes() {
    if (hasOrdering(op))
      return;
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
      for (const LoopAccess &access : accesses) {
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
    SmallVector<Value> accumulators;
    for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
      if (!outAccess(i).dependsOn(reductionDim)) {
        reduced.push_back(i);
        accumulators.push_back(body->getArgument(op.getNumDpsInputs() + i));
      }
    elements.assign(reduced.size(), Value());
    for (ElementOp mark : body->getOps<ElementOp>())
      if (auto found = llvm::find(reduced, mark.getResultNumber()); found != reduced.end())
        elements[found - reduced.begin()] = mark.getResult();
    llvm::SetVector<Value> entering = collectCombiner(accumulators);
    // Without marks, the only value that enters the combining part is the only accumulator's element.
    if (entering.size() == 1 && elements.size() == 1 && !elements[0])
      elements[0] = entering.pop_back_val();
    auto yield = cast<linalg::YieldOp>(body->getTerminator());
    hasCombiner = entering.empty() && llvm::all_of(llvm::zip(reduced, elements), [&](auto pair) {
                    auto [i, element] = pair;
                    return element && element.getType() == yield.getOperand(i).getType();
                  });
  }

  // Operations that depend on accumulators and elements form the combiner; returns the other values they use.
  llvm::SetVector<Value> collectCombiner(ArrayRef<Value> accumulators) {
    llvm::SetVector<Value> combined(accumulators.begin(), accumulators.end()), entering;
    combined.insert_range(llvm::make_filter_range(elements, [](Value element) { return element != nullptr; }));
    for (Operation &inner : body->without_terminator())
      if (llvm::any_of(inner.getOperands(), [&](Value operand) { return combined.contains(operand); })) {
        combiner.push_back(&inner);
        combined.insert_range(inner.getResults());
      }
    for (Operation *inner : combiner)
      for (Value operand : inner->getOperands())
        if (!combined.contains(operand) && operand.getParentBlock() == body && !isConstant(operand))
          entering.insert(operand);
    return entering;
  }

  static bool isConstant(Value value) { return value.getDefiningOp<arith::ConstantOp>() != nullptr; }

  bool writesResults() { return !op->hasAttr("cpu.effect_only"); }

  //===-- loops -----------------------------------------------------------===//

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
    hoist(loop);
  }

  // Values that are equal in all vectors are computed before the loop: the scale of a row, a reciprocal or a root of a
  // sum. LLVM cannot hoist them because it does not know that results and inputs do not alias; within one op
  // bufferization ensures that.
  void hoist(scf::ForOp loop) {
    for (Operation &inner : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
      auto load = dyn_cast<memref::LoadOp>(inner);
      bool isInput =
          load && llvm::none_of(op.getDpsInits(), [&](Value out) { return baseOf(out) == baseOf(load.getMemRef()); });
      if ((isInput || isPure(&inner)) &&
          llvm::all_of(inner.getOperands(), [&](Value value) { return loop.isDefinedOutsideOfLoop(value); }))
        inner.moveBefore(loop);
    }
  }

  // The buffer without views that only look at it in another order.
  static Value baseOf(Value buffer) {
    auto turned = buffer.getDefiningOp<memref::TransposeOp>();
    return turned ? turned.getIn() : buffer;
  }

  // Results are written past the cache if vectors fill cache lines and there are several of them. The loop's first
  // input says where the first cache line begins.
  bool canStream() {
    if (!op->hasAttr("cpu.stream") || reductionDim != none || laneDim == none || op.getNumDpsInits() != 1)
      return false;
    const LoopAccess &out = outAccess(0);
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
    hoist(loop);
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
      setArgument(body->getArgument(op.getNumDpsInputs() + i), accumulator);
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
    evenFirst = reduced.size() == op.getNumDpsInits() && canPutEvenFirst();
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
      hoist(loop);
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

  bool hasCombiner = false;
  SmallVector<unsigned> reduced; // results that the reduction combines
  SmallVector<Operation *> combiner;
  SmallVector<Value> elements; // per reduced result, what is combined
};

} // namespace

LogicalResult cpu::emitVectorLoop(linalg::GenericOp loop, const Plan &plan) {
  return VectorLoop(loop, plan).emit();
}
