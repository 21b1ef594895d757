// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linalg.generic on buffers becomes scalar loops around one loop over vectors.
//
// One dimension runs along the lanes: the one along which most buffers are contiguous.
#include "cpu/loops/VectorLoop.h"

#include "cpu/place/ArrayAlias.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

// The widest element that is in a buffer, other than an input that is the same in all lanes, or computed as a float; of
// a loop over bytes, which masks are, the widest that it compares.
static int64_t elementBits(LoopNest &nest) {
  int64_t bits = 8;
  auto consider = [&](Type type) {
    if (type.isIntOrFloat())
      bits = std::max<int64_t>(bits, type.getIntOrFloatBitWidth());
  };
  for (auto [number, access] : llvm::enumerate(nest.accesses))
    if (auto type = dyn_cast<MemRefType>(access.buffer.getType());
        type && (access.dependsOn(nest.laneDim) || (int64_t)number >= nest.op.getNumDpsInputs()))
      consider(type.getElementType());
  for (Operation &inner : *nest.body)
    for (Value result : inner.getResults())
      if (isa<FloatType>(result.getType()))
        consider(result.getType());
  if (bits == 8)
    for (auto comparison : nest.body->getOps<arith::CmpIOp>())
      consider(comparison.getLhs().getType());
  return bits;
}

// The vectors of one step: sums that are carried take no more than half of the registers, so that none is spilled.
static int64_t vectorsOfStep(const LoopNest &nest, const Reduction &reduction) {
  int64_t vectors = nest.plan.loopVectors, carried = reduction.results().size();
  while (vectors > 1 && carried * vectors > nest.plan.unit().registers / 2)
    vectors /= 2;
  return vectors;
}

// How bad a dimension is for lanes: buffers that are not contiguous along it, and few lanes, which are a waste.
static int64_t costOfLanes(LoopNest &nest, int64_t dim) {
  int64_t cost = 0;
  for (const LoopAccess &access : nest.accesses)
    if (isa<MemRefType>(access.buffer.getType()) && access.dependsOn(dim))
      cost += access.strideAlong(dim) == 1 ? 0 : 16;
  return cost + (nest.sizes[dim] < nest.plan.lanes(32) ? 8 : 0);
}

static void chooseLanes(LoopNest &nest, const Reduction &reduction) {
  if (hasOrdering(nest.op))
    return;
  int64_t bestCost = std::numeric_limits<int64_t>::max();
  for (int64_t dim = 0; dim < (int64_t)nest.sizes.size(); ++dim) {
    if (nest.sizes[dim] == 1 || (dim == nest.reductionDim && !reduction.combinesLanes()))
      continue;
    int64_t cost = costOfLanes(nest, dim);
    if (cost <= bestCost) {
      bestCost = cost;
      nest.laneDim = dim;
    }
  }
  if (nest.laneDim == LoopNest::none)
    return;
  int64_t all = nest.sizes[nest.laneDim], ofVector = nest.plan.lanes(elementBits(nest));
  nest.vectorLanes = std::min(ofVector, all);
  nest.lanes = std::min(ofVector * vectorsOfStep(nest, reduction), all);
}

static void emitInner(LoopNest &nest, const Reduction &reduction, OpBuilder &builder) {
  if (nest.reductionDim == LoopNest::none)
    return emitElementwise(nest, reduction, builder);
  if (nest.reductionDim == nest.laneDim)
    return emitLaneReduction(nest, reduction, builder);
  overLanes(nest, builder, [&](OpBuilder &inner) { emitInOrderReduction(nest, reduction, inner); });
}

LogicalResult cpu::emitVectorLoop(linalg::GenericOp loop, const Plan &plan) {
  LoopNest nest(loop, plan);
  if (failed(nest.findAccesses()))
    return failure();
  Reduction reduction(nest);
  chooseLanes(nest, reduction);
  if (emitSquareBlocks(nest))
    return success();

  OpBuilder builder(loop);
  nest.indices.assign(nest.sizes.size(), Value());
  SmallVector<int64_t> outer;
  for (int64_t dim = 0; dim < (int64_t)nest.sizes.size(); ++dim)
    if (dim != nest.laneDim && dim != nest.reductionDim)
      outer.push_back(dim);
  nest.nest(builder, outer, [&](OpBuilder &inner) { emitInner(nest, reduction, inner); });
  shareLoads(nest.loads, plan);
  spreadFetches(nest.fetches, plan);
  loop.erase();
  return success();
}
