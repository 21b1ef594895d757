// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: along the lanes, or in order inside of them.
#include "cpu/loops/VectorLoop.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// A value in all lanes; as it is where there are none.
Value inAllLanes(LoopNest &nest, OpBuilder &builder, Value value) {
  if (nest.laneDim == LoopNest::none || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(builder, nest.loc, VectorType::get({nest.lanes}, value.getType()), value);
}

// Along the lanes: every vector is combined with a vector of partial results, of which an iteration has several.
class LaneReduction {
public:
  LaneReduction(LoopNest &nest, const Reduction &reduction) : nest(nest), reduction(reduction) {
    if (reduction.results().size() == nest.op.getNumDpsInits())
      order = bestLaneOrder(nest);
  }

  void emit(OpBuilder &builder) {
    Value zero = nest.index(builder, 0);
    nest.indices[nest.laneDim] = zero;
    SmallVector<Value> partial;
    for (Value initial : reduction.loadAccumulators(builder))
      partial.push_back(inAllLanes(nest, builder, initial));
    llvm::SaveAndRestore<int64_t> width(nest.lanes);
    if (nest.hasEdges()) {
      partial = overPartAndEdge(
          nest, builder, vectorTypes(partial), independentSteps(),
          [&](OpBuilder &at) { return combineLanes(at, overAll(at, partial), nest.vectorLanes); },
          [&](OpBuilder &at, Value inside) { return overPart(at, partial, inside); });
      nest.lanes = nest.vectorLanes;
    } else {
      partial = overAll(builder, partial);
    }
    nest.indices[nest.laneDim] = zero;
    reduction.storeAccumulators(builder, ofAllLanes(builder, partial));
  }

private:
  // A step of little work waits for the partial results of the one before, unless there are others meanwhile.
  int64_t independentSteps() const {
    constexpr int64_t most = 4, littleWork = 8;
    int64_t steps = 1, all = nest.sizes[nest.laneDim] / nest.lanes, carried = 0;
    if ((int64_t)nest.body->getOperations().size() > littleWork || hasFunctions())
      return steps;
    for (unsigned i : reduction.results()) {
      int64_t bits = nest.lanes * nest.outAccess(i).type().getElementTypeBitWidth();
      carried += std::max<int64_t>(1, bits / nest.plan.vectorBits);
    }
    while (steps < most && all % (2 * steps) == 0 && 2 * steps * carried <= nest.plan.unit().registers / 2)
      steps *= 2;
    return steps;
  }

  bool hasFunctions() const {
    return llvm::any_of(*nest.body, [](Operation &op) { return isa<math::MathDialect>(op.getDialect()); });
  }

  // Of partial results in one vector.
  SmallVector<Type> vectorTypes(ValueRange partial) const {
    return llvm::map_to_vector(partial, [&](Value value) -> Type {
      return VectorType::get({nest.vectorLanes}, getElementTypeOrSelf(value.getType()));
    });
  }

  SmallVector<Value> overAll(OpBuilder &builder, ValueRange partial) {
    if (nest.lanes == nest.sizes[nest.laneDim])
      return reduction.combine(builder, partial, elementVectors(builder));
    return overVectors(builder, partial, nest.index(builder, 0), nest.index(builder, nest.sizes[nest.laneDim]),
                       independentSteps());
  }

  // Whole steps while all that they read and write is inside of its array, then vector by vector.
  SmallVector<Value> overPart(OpBuilder &builder, SmallVector<Value> partial, Value inside) {
    Value first = nest.index(builder, 0), end = nest.endOfLanes(builder);
    int64_t most = independentSteps();
    for (int64_t steps : {most, int64_t(1)}) {
      Value whole = roundDown(nest, builder, first, inside, nest.lanes * steps);
      partial = overVectors(builder, partial, first, whole, steps);
      first = whole;
      if (most == 1)
        break;
    }
    nest.mayBeOutside = true;
    partial = combineLanes(builder, partial, nest.vectorLanes);
    llvm::SaveAndRestore<int64_t> narrow(nest.lanes, nest.vectorLanes);
    return overVectors(builder, partial, first, end, 1);
  }

  SmallVector<Value> overVectors(OpBuilder &builder, ValueRange initial, Value first, Value end, int64_t steps) {
    SmallVector<Value> partial;
    for (int64_t step = 0; step < steps; ++step)
      llvm::append_range(partial, initial);
    auto loop = scf::ForOp::create(builder, nest.loc, first, end, nest.index(builder, nest.lanes * steps), partial);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    SmallVector<Value> next;
    for (int64_t step = 0; step < steps; ++step) {
      nest.indices[nest.laneDim] = stepIndex(inner, loop.getInductionVar(), step);
      nest.fetchedSteps = step == 0 ? steps : 0;
      ValueRange before = loop.getRegionIterArgs().slice(step * initial.size(), initial.size());
      llvm::append_range(next, reduction.combine(inner, before, elementVectors(inner)));
    }
    scf::YieldOp::create(inner, nest.loc, next);
    nest.fetchedSteps = 1;
    hoistUniform(nest, loop);
    return combineSteps(builder, loop.getResults(), initial.size());
  }

  Value stepIndex(OpBuilder &builder, Value first, int64_t step) const {
    if (step == 0)
      return first;
    return arith::AddIOp::create(builder, nest.loc, first, nest.index(builder, step * nest.lanes));
  }

  // The first half of the steps with the second one, until the partial results of one are left.
  SmallVector<Value> combineSteps(OpBuilder &builder, SmallVector<Value> partial, size_t results) const {
    while (partial.size() > results) {
      size_t half = partial.size() / 2;
      SmallVector<Value> combined;
      for (size_t at = 0; at < half; at += results)
        llvm::append_range(combined, reduction.combine(builder, ValueRange(partial).slice(at, results),
                                                       ValueRange(partial).slice(half + at, results)));
      partial = combined;
    }
    return partial;
  }

  // The vectors of elements at the current indices; stores the results that are not reduced.
  SmallVector<Value> elementVectors(OpBuilder &builder) {
    LaneValues values(nest, order);
    storeElementwise(nest, reduction, values, builder);
    SmallVector<Value> vectors;
    for (Value element : reduction.elements())
      vectors.push_back(values.asLanes(builder, element));
    return vectors;
  }

  SmallVector<Value> ofAllLanes(OpBuilder &builder, ValueRange partial) {
    if (auto kind = reduction.extremum())
      return {vector::ReductionOp::create(builder, nest.loc, *kind, partial.front())};
    SmallVector<Value> results = combineLanes(builder, partial, 1);
    for (Value &value : results)
      value = vector::ExtractOp::create(builder, nest.loc, value, ArrayRef<int64_t>{0});
    return results;
  }

  // The lower half of the lanes with the upper one, until so many are left.
  SmallVector<Value> combineLanes(OpBuilder &builder, SmallVector<Value> partial, int64_t lanes) {
    for (int64_t width = nest.lanes / 2; width >= lanes; width /= 2) {
      SmallVector<Value> low, high;
      for (Value value : partial) {
        low.push_back(vector::ExtractStridedSliceOp::create(builder, nest.loc, value, 0, width, 1));
        high.push_back(vector::ExtractStridedSliceOp::create(builder, nest.loc, value, width, width, 1));
      }
      partial = reduction.combine(builder, low, high);
    }
    return partial;
  }

  LoopNest &nest;
  const Reduction &reduction;
  LaneOrder order = LaneOrder::Ascending;
};

// Lanes are results: a loop carries their accumulators.
class InOrderReduction {
public:
  InOrderReduction(LoopNest &nest, const Reduction &reduction) : nest(nest), reduction(reduction) {}

  void emit(OpBuilder &builder) {
    int64_t dim = nest.reductionDim;
    nest.indices[dim] = nest.index(builder, 0);
    SmallVector<Value> initial;
    for (unsigned i : reduction.results())
      initial.push_back(inAllLanes(nest, builder, nest.load(builder, nest.outAccess(i))));
    auto loop = scf::ForOp::create(builder, nest.loc, nest.index(builder, 0), nest.endOf(builder, dim),
                                   nest.index(builder, 1), initial);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    nest.indices[dim] = loop.getInductionVar();
    scf::YieldOp::create(inner, nest.loc, emitBody(inner, loop.getRegionIterArgs()));
    nest.indices[dim] = nest.index(builder, 0);
    reduction.storeAccumulators(builder, loop.getResults());
  }

private:
  // The next accumulators; stores the results that are not reduced.
  SmallVector<Value> emitBody(OpBuilder &builder, ValueRange accumulators) {
    LaneValues values(nest);
    nest.prefetchNext(builder);
    for (auto [i, accumulator] : llvm::zip(reduction.results(), accumulators))
      values.setArgument(nest.body->getArgument(nest.op.getNumDpsInputs() + i), accumulator);
    SmallVector<Value> next;
    for (unsigned i = 0; i < nest.op.getNumDpsInits(); ++i) {
      Value value = values.asLanes(builder, nest.body->getTerminator()->getOperand(i));
      if (llvm::is_contained(reduction.results(), i))
        next.push_back(value);
      else
        nest.store(builder, nest.outAccess(i), value);
    }
    return next;
  }

  LoopNest &nest;
  const Reduction &reduction;
};

} // namespace

void cpu::emitLaneReduction(LoopNest &nest, const Reduction &reduction, OpBuilder &builder) {
  LaneReduction(nest, reduction).emit(builder);
}

void cpu::emitInOrderReduction(LoopNest &nest, const Reduction &reduction, OpBuilder &builder) {
  InOrderReduction(nest, reduction).emit(builder);
}
