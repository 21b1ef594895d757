// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: along the lanes, or in order inside of them.
#include "cpu/loops/VectorLoop.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

// Along the lanes: every vector is combined with one vector of partial results.
class LaneReduction {
public:
  LaneReduction(LoopNest &nest, const Reduction &reduction) : nest(nest), reduction(reduction) {
    if (reduction.results().size() == nest.op.getNumDpsInits())
      order = bestLaneOrder(nest);
  }

  void emit(OpBuilder &builder) {
    nest.indices[nest.laneDim] = nest.index(builder, 0);
    SmallVector<Value> partial;
    for (Value initial : reduction.loadAccumulators(builder))
      partial.push_back(inAllLanes(nest, builder, initial));
    partial = nest.lanes < nest.sizes[nest.laneDim] ? overVectors(builder, partial)
                                                    : reduction.combine(builder, partial, elementVectors(builder));
    SmallVector<Value> results = combineLanes(builder, partial);
    nest.indices[nest.laneDim] = nest.index(builder, 0);
    reduction.storeAccumulators(builder, results);
  }

private:
  SmallVector<Value> overVectors(OpBuilder &builder, ValueRange partial) {
    auto loop =
        scf::ForOp::create(builder, nest.loc, nest.index(builder, 0), nest.index(builder, nest.sizes[nest.laneDim]),
                           nest.index(builder, nest.lanes), partial);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    nest.indices[nest.laneDim] = loop.getInductionVar();
    SmallVector<Value> next = elementVectors(inner);
    scf::YieldOp::create(inner, nest.loc, reduction.combine(inner, loop.getRegionIterArgs(), next));
    hoistUniform(nest, loop);
    return loop.getResults();
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

  // The lower half of the lanes with the upper one, until one lane is left.
  SmallVector<Value> combineLanes(OpBuilder &builder, SmallVector<Value> partial) {
    for (int64_t width = nest.lanes / 2; width >= 1; width /= 2) {
      SmallVector<Value> low, high;
      for (Value value : partial) {
        low.push_back(vector::ExtractStridedSliceOp::create(builder, nest.loc, value, 0, width, 1));
        high.push_back(vector::ExtractStridedSliceOp::create(builder, nest.loc, value, width, width, 1));
      }
      partial = reduction.combine(builder, low, high);
    }
    for (Value &value : partial)
      value = vector::ExtractOp::create(builder, nest.loc, value, ArrayRef<int64_t>{0});
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
    auto loop = scf::ForOp::create(builder, nest.loc, nest.index(builder, 0), nest.index(builder, nest.sizes[dim]),
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
