// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over the lane dimension, and the loop that reduces nothing.
#include "cpu/loops/VectorLoop.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

//===-- the lane dimension ------------------------------------------------===//

void cpu::overLanes(LoopNest &nest, OpBuilder &builder, llvm::function_ref<void(OpBuilder &)> inner) {
  int64_t dim = nest.laneDim;
  if (dim == LoopNest::none)
    return inner(builder);
  if (nest.lanes == nest.sizes[dim]) {
    nest.indices[dim] = nest.index(builder, 0);
    return inner(builder);
  }
  auto loop = scf::ForOp::create(builder, nest.loc, nest.index(builder, 0), nest.index(builder, nest.sizes[dim]),
                                 nest.index(builder, nest.lanes));
  OpBuilder nested(loop.getBody()->getTerminator());
  nest.indices[dim] = loop.getInductionVar();
  inner(nested);
  hoistUniform(nest, loop);
}

// The buffer without views that only look at it in another order.
static Value baseOf(Value buffer) {
  auto turned = buffer.getDefiningOp<memref::TransposeOp>();
  return turned ? turned.getIn() : buffer;
}

void cpu::hoistUniform(LoopNest &nest, scf::ForOp loop) {
  linalg::GenericOp op = nest.op;
  for (Operation &inner : llvm::make_early_inc_range(loop.getBody()->without_terminator())) {
    auto load = dyn_cast<memref::LoadOp>(inner);
    bool isInput =
        load && llvm::none_of(op.getDpsInits(), [&](Value out) { return baseOf(out) == baseOf(load.getMemRef()); });
    if ((isInput || isPure(&inner)) &&
        llvm::all_of(inner.getOperands(), [&](Value value) { return loop.isDefinedOutsideOfLoop(value); }))
      inner.moveBefore(loop);
  }
}

//===-- results of single elements ----------------------------------------===//

void cpu::storeElementwise(LoopNest &nest, const Reduction &reduction, LaneValues &lanes, OpBuilder &builder,
                           CachePolicy policy) {
  lanes.runEffects(builder);
  nest.prefetchNext(builder);
  if (nest.op->hasAttr(effectOnlyAttr))
    return;
  Operation *yield = nest.body->getTerminator();
  for (unsigned i = 0; i < nest.op.getNumDpsInits(); ++i)
    if (!llvm::is_contained(reduction.results(), i))
      nest.store(builder, nest.outAccess(i), lanes.asLanes(builder, yield->getOperand(i)), policy);
}

namespace {

class ElementwiseLoop {
public:
  ElementwiseLoop(LoopNest &nest, const Reduction &none) : nest(nest), none(none) {}

  void emit(OpBuilder &builder) {
    if (canStream())
      return overCacheLines(builder);
    overLanes(nest, builder, [&](OpBuilder &inner) { storeVector(inner); });
  }

private:
  void storeVector(OpBuilder &builder, CachePolicy policy = CachePolicy::Default) {
    LaneValues values(nest);
    storeElementwise(nest, none, values, builder, policy);
  }

  // Results are written past the cache if vectors fill cache lines and there are several of them. The loop's first
  // input says where the first cache line begins.
  bool canStream() {
    if (!nest.op->hasAttr(streamAttr) || nest.laneDim == LoopNest::none || nest.op.getNumDpsInits() != 1)
      return false;
    const LoopAccess &out = nest.outAccess(0);
    return out.strideAlong(nest.laneDim) == 1 && nest.sizes[nest.laneDim] >= 2 * nest.lanes &&
           nest.lanes * out.type().getElementTypeBitWidth() % 512 == 0;
  }

  // Whole cache lines in the middle; what lies before the first and after the last of them is covered by one ordinary
  // vector at each end, which computes some elements a second time.
  void overCacheLines(OpBuilder &builder) {
    Location loc = nest.loc;
    int64_t extent = nest.sizes[nest.laneDim], lanes = nest.lanes;
    Value first = nest.accesses[0].buffer, size = nest.index(builder, extent), step = nest.index(builder, lanes);
    Value ragged = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, first, nest.index(builder, 0));
    auto ordinary = [&](int64_t at) {
      auto choice = scf::IfOp::create(builder, loc, TypeRange(), ragged, /*withElseRegion=*/false);
      OpBuilder then = choice.getThenBodyBuilder();
      nest.indices[nest.laneDim] = nest.index(then, at);
      storeVector(then);
    };
    ordinary(0);
    Value full = arith::SubIOp::create(builder, loc, size, nest.index(builder, lanes - 1));
    auto loop = scf::ForOp::create(builder, loc, first, full, step);
    OpBuilder nested(loop.getBody()->getTerminator());
    nest.indices[nest.laneDim] = loop.getInductionVar();
    storeVector(nested, CachePolicy::Streaming);
    hoistUniform(nest, loop);
    ordinary(extent - lanes);
  }

  LoopNest &nest;
  const Reduction &none;
};

} // namespace

void cpu::emitElementwise(LoopNest &nest, const Reduction &none, OpBuilder &builder) {
  ElementwiseLoop(nest, none).emit(builder);
}
