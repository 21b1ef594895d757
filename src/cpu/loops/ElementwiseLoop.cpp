// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop over the lane dimension, and the loop that reduces nothing.
#include "cpu/loops/VectorLoop.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

//===-- the lane dimension ------------------------------------------------===//

static void overVectors(LoopNest &nest, OpBuilder &builder, Value first, Value end,
                        llvm::function_ref<void(OpBuilder &)> inner) {
  auto loop = scf::ForOp::create(builder, nest.loc, first, end, nest.index(builder, nest.lanes));
  OpBuilder nested(loop.getBody()->getTerminator());
  nest.indices[nest.laneDim] = loop.getInductionVar();
  inner(nested);
  hoistUniform(nest, loop);
}

void cpu::overLanes(LoopNest &nest, OpBuilder &builder, llvm::function_ref<void(OpBuilder &)> inner) {
  if (nest.laneDim == LoopNest::none)
    return inner(builder);
  Value zero = nest.index(builder, 0), all = nest.index(builder, nest.sizes[nest.laneDim]);
  nest.indices[nest.laneDim] = zero;
  auto overAll = [&](OpBuilder &at) -> SmallVector<Value> {
    nest.lanes == nest.sizes[nest.laneDim] ? inner(at) : overVectors(nest, at, zero, all, inner);
    return {};
  };
  if (!nest.hasEdges()) {
    overAll(builder);
    return;
  }
  overPartAndEdge(nest, builder, TypeRange(), /*steps=*/1, overAll,
                  [&](OpBuilder &at, Value inside) -> SmallVector<Value> {
                    Value whole = roundDown(nest, at, zero, inside, nest.lanes);
                    overVectors(nest, at, zero, whole, inner);
                    nest.mayBeOutside = true;
                    llvm::SaveAndRestore<int64_t> narrow(nest.lanes, nest.vectorLanes);
                    overVectors(nest, at, whole, nest.endOfLanes(at), inner);
                    return {};
                  });
}

SmallVector<Value> cpu::overPartAndEdge(LoopNest &nest, OpBuilder &builder, TypeRange types, int64_t steps,
                                        llvm::function_ref<SmallVector<Value>(OpBuilder &)> overAll,
                                        llvm::function_ref<SmallVector<Value>(OpBuilder &, Value)> overPart) {
  constexpr int64_t fewSteps = 4;
  llvm::SaveAndRestore<bool> inside(nest.mayBeOutside, false);
  Value lanesInside = nest.lanesInside(builder), all = nest.index(builder, nest.sizes[nest.laneDim]);
  if (nest.sizes[nest.laneDim] > fewSteps * steps * nest.lanes)
    return overPart(builder, lanesInside);
  Value isWhole = arith::CmpIOp::create(builder, nest.loc, arith::CmpIPredicate::eq, lanesInside, all);
  auto choice = scf::IfOp::create(builder, nest.loc, types, isWhole, /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder then = OpBuilder::atBlockBegin(choice.thenBlock()), otherwise = OpBuilder::atBlockBegin(choice.elseBlock());
  scf::YieldOp::create(then, nest.loc, overAll(then));
  scf::YieldOp::create(otherwise, nest.loc, overPart(otherwise, lanesInside));
  return choice.getResults();
}

Value cpu::roundDown(LoopNest &nest, OpBuilder &builder, Value first, Value end, int64_t lanes) {
  Value length = arith::SubIOp::create(builder, nest.loc, end, first);
  if (nest.hasEdges())
    length = arith::MaxSIOp::create(builder, nest.loc, length, nest.index(builder, 0));
  Value whole = arith::AndIOp::create(builder, nest.loc, length, nest.index(builder, -lanes));
  return arith::AddIOp::create(builder, nest.loc, first, whole);
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
    bool isInput = load && llvm::none_of(llvm::seq(op.getNumDpsInits()), [&](int64_t out) {
                     return baseOf(nest.outAccess(out).buffer) == baseOf(load.getMemRef());
                   });
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
    if (nest.op->hasAttr(boundsAttr) && nest.laneDim != LoopNest::none)
      return overBox(builder);
    overLanes(nest, builder, [&](OpBuilder &inner) { storeVector(inner); });
  }

private:
  void storeVector(OpBuilder &builder, CachePolicy policy = CachePolicy::Default) {
    LaneValues values(nest);
    storeElementwise(nest, none, values, builder, policy);
  }

  // As many vectors as fill the box, then the rest of it: a vector under a mask, or element by element.
  void overBox(OpBuilder &builder) {
    Value end = nest.endOf(builder, nest.laneDim);
    Value rest = overVectors(builder, nest.begin(builder, nest.laneDim), end, nest.lanes, CachePolicy::Default);
    if (!nest.canMask())
      return void(overVectors(builder, rest, end, 1, CachePolicy::Default));
    int64_t bits = nest.outAccess(0).type().getElementTypeBitWidth();
    llvm::SaveAndRestore<int64_t> width(nest.lanes, std::min(nest.lanes, nest.plan.lanes(bits)));
    auto loop = scf::ForOp::create(builder, nest.loc, rest, end, nest.index(builder, nest.lanes));
    OpBuilder nested(loop.getBody()->getTerminator());
    nest.indices[nest.laneDim] = loop.getInductionVar();
    Value left = arith::SubIOp::create(nested, nest.loc, end, loop.getInductionVar());
    auto type = VectorType::get({nest.lanes}, nested.getI1Type());
    llvm::SaveAndRestore<Value> part(nest.mask, vector::CreateMaskOp::create(nested, nest.loc, type, left).getResult());
    storeVector(nested);
    hoistUniform(nest, loop);
  }

  // Results are written past the cache if vectors fill cache lines and there are several of them.
  bool canStream() {
    if (!nest.op->hasAttr(streamAttr) || nest.laneDim == LoopNest::none || nest.op.getNumDpsInits() != 1)
      return false;
    const LoopAccess &out = nest.outAccess(0);
    return out.strideAlong(nest.laneDim) == 1 && nest.sizes[nest.laneDim] >= 2 * nest.lanes &&
           nest.lanes * out.type().getElementTypeBitWidth() % (8 * cacheLineBytes) == 0;
  }

  // Whole cache lines go past the cache, and nothing else touches them: a processor that finds one of them in an
  // ordinary store, even in lanes of it that a mask leaves out, first writes the line as far as it is. The parts
  // of lines at both ends that the loop owns are stored in small pieces, which do not reach beyond.
  void overCacheLines(OpBuilder &builder) {
    Location loc = nest.loc;
    int64_t line = 8 * cacheLineBytes / nest.outAccess(0).type().getElementTypeBitWidth();
    Value begin = nest.begin(builder, nest.laneDim);
    nest.indices[nest.laneDim] = begin;
    Value all =
        nest.op->hasAttr(boundsAttr) ? nest.endOf(builder, nest.laneDim) : nest.lanesInside(builder, nest.outAccess(0));
    Value whole = all;
    if (nest.hasEdges())
      whole = arith::MinSIOp::create(builder, loc, all, nest.lanesInside(builder));
    Value first = arith::AddIOp::create(builder, loc, begin, elementsBeforeLine(builder));
    first = arith::MinSIOp::create(builder, loc, first, all);
    Value end = roundDown(nest, builder, first, whole, line);
    fetchEnd(builder, begin, first, all);
    storeEnds(builder, {begin, first}, {end, all}, line / 4);
    llvm::SaveAndRestore<bool> inside(nest.mayBeOutside, false);
    Value rest = overVectors(builder, first, whole, nest.lanes, CachePolicy::Streaming);
    if (line < nest.lanes)
      overVectors(builder, rest, whole, line, CachePolicy::Streaming);
  }

  // From the current indices to the next cache line of the result.
  Value elementsBeforeLine(OpBuilder &builder) {
    Location loc = nest.loc;
    const LoopAccess &out = nest.outAccess(0);
    Value start = nest.address(builder, out);
    Value bytes = arith::SubIOp::create(builder, loc, nest.index(builder, 0), start);
    bytes = arith::AndIOp::create(builder, loc, bytes, nest.index(builder, 63));
    return arith::DivUIOp::create(builder, loc, bytes, nest.index(builder, out.type().getElementTypeBitWidth() / 8));
  }

  // As many vectors of so many lanes as there are between the two places; returns where the last one ends.
  Value overVectors(OpBuilder &builder, Value first, Value end, int64_t lanes, CachePolicy policy) {
    llvm::SaveAndRestore<int64_t> width(nest.lanes, lanes);
    Value last = roundDown(nest, builder, first, end, lanes);
    auto loop = scf::ForOp::create(builder, nest.loc, first, last, nest.index(builder, lanes));
    OpBuilder nested(loop.getBody()->getTerminator());
    nest.indices[nest.laneDim] = loop.getInductionVar();
    storeVector(nested, policy);
    hoistUniform(nest, loop);
    return last;
  }

  // A line that is stored in part is read first, and all stores behind wait for it. It is asked for as long ahead as
  // memory takes: the line at the end of this row or, where rows are short and follow each other, of a later one. Those
  // lie below if that is where the array goes on, else behind.
  void fetchEnd(OpBuilder &builder, Value begin, Value first, Value all) {
    constexpr int64_t bytesAhead = 8192;
    const LoopAccess &out = nest.outAccess(0);
    int64_t extent = nest.sizes[nest.laneDim], rowBytes = extent * out.type().getElementTypeBitWidth() / 8;
    Value step = nest.index(builder, extent);
    if (int64_t rank = out.type().getRank(); rank > 1) {
      auto parts = memref::ExtractStridedMetadataOp::create(builder, nest.loc, out.buffer);
      Value pitch = parts.getStrides()[rank - 2];
      Value isBelow =
          arith::CmpIOp::create(builder, nest.loc, arith::CmpIPredicate::ult, pitch, nest.index(builder, 2 * extent));
      step = arith::SelectOp::create(builder, nest.loc, isBelow, pitch, step);
    }
    Value any = arith::CmpIOp::create(builder, nest.loc, arith::CmpIPredicate::ne, first, begin);
    auto choice = scf::IfOp::create(builder, nest.loc, TypeRange(), any, /*withElseRegion=*/false);
    OpBuilder then = choice.getThenBodyBuilder();
    Value ahead = arith::MulIOp::create(then, nest.loc, step, nest.index(then, bytesAhead / rowBytes));
    Value last = then.createOrFold<arith::SubIOp>(nest.loc, all, nest.index(then, 1));
    nest.indices[nest.laneDim] = arith::AddIOp::create(then, nest.loc, ahead, last);
    memref::PrefetchOp::create(then, nest.loc, out.buffer, out.indices(then, nest.loc, nest.indices),
                               /*isWrite=*/true, /*localityHint=*/3, /*isDataCache=*/true);
  }

  // Before the first whole line, then behind the last, in one loop: its body is long.
  void storeEnds(OpBuilder &builder, std::pair<Value, Value> front, std::pair<Value, Value> back, int64_t piece) {
    Location loc = nest.loc;
    llvm::SaveAndRestore<int64_t> nothing(nest.fetchedSteps, 0);
    Value zero = nest.index(builder, 0), one = nest.index(builder, 1);
    auto ends = scf::ForOp::create(builder, loc, zero, nest.index(builder, 2), one);
    OpBuilder nested(ends.getBody()->getTerminator());
    Value isLast = arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::eq, ends.getInductionVar(), one);
    Value from = arith::SelectOp::create(nested, loc, isLast, back.first, front.first);
    Value to = arith::SelectOp::create(nested, loc, isLast, back.second, front.second);
    Value rest = overVectors(nested, from, to, piece, CachePolicy::Default);
    overVectors(nested, rest, to, 1, CachePolicy::Default);
  }

  LoopNest &nest;
  const Reduction &none;
};

} // namespace

void cpu::emitElementwise(LoopNest &nest, const Reduction &none, OpBuilder &builder) {
  ElementwiseLoop(nest, none).emit(builder);
}
