// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/LoopLoads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tileaa/ir/Hints.h"
#include "tileaa/ir/Numbers.h"
#include "tileas/ir/Decisions.h"
#include "tileas/memory/ValueFlow.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

bool isInside(scf::ForOp loop, Value value) {
  return loop.getRegion().isAncestor(value.getParentRegion());
}

constexpr const char *padsWithOthers = "copies pad with zeros only";
constexpr const char *isComputed = "its address is computed from tiles that threads exchange, or read from memory";

} // namespace

bool tileas::feedsProduct(Value tile, scf::ForOp loop, bool inside) {
  llvm::SetVector<Value> made;
  made.insert(tile);
  for (unsigned next = 0; next != made.size(); ++next)
    for (Operation *user : made[next].getUsers()) {
      if (inside ? !loop->isAncestor(user) : user->getParentOp() != loop)
        continue;
      if (isa<MmaOp, TmemMmaOp, ScaledMmaOp>(user))
        return true;
      if (auto write = dyn_cast<WriteOp>(user))
        made.insert(write.getBuffer());
      else if (isMemoryEffectFree(user) && user->getNumRegions() == 0)
        made.insert(user->result_begin(), user->result_end());
    }
  return false;
}

void tileas::answerLatency(TileLoad load, int64_t ahead) {
  std::optional<int64_t> asked = tileaa::numberHinted(load, tileaa::hint::latency);
  std::string turns = (Twine(ahead) + (ahead == 1 ? " iteration" : " iterations")).str();
  if (ahead == 0)
    tileaa::declineHint(load, tileaa::hint::latency, "the tile is loaded once, before its uses");
  else if (asked && *asked <= ahead)
    tileaa::followHint(load, tileaa::hint::latency, "the tile is loaded " + turns + " ahead");
  else
    tileaa::declineHint(load, tileaa::hint::latency, "shared memory has room for loading " + turns + " ahead");
}

bool tileas::staysInThreads(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() || op->hasTrait<OpTrait::ConstantLike>() ||
         isa<tileaa::IotaOp, tileaa::BroadcastOp, tileaa::ReshapeOp, tileaa::PermuteOp, tileaa::AssumeDivByOp>(op);
}

const char *tileas::obstacleToCopies(tileaa::LoadPtrOp load) {
  if (load.getOrdering())
    return "other kernels or tile blocks may write it while the loop runs";
  if (load.getMask() && load.getPadding() && !tileaa::isZero(load.getPadding()))
    return padsWithOthers;
  return nullptr;
}

LoopLoads::LoopLoads(scf::ForOp loop, Kind kind) : loop(loop), kind(kind) {
  for (Operation &op : *loop.getBody()) {
    if (!TileLoad::classof(&op))
      continue;
    TileLoad load(&op);
    if (!isa<RankedTensorType>(load.tile().getType()) ||
        (kind == OfProducts && !feedsProduct(load.tile(), loop, /*inside=*/true)))
      continue;
    auto opsBefore = ops;
    auto carriedBefore = carried;
    const char *why = askedFor(load, DecisionKind::Way) == way::threads ? "the plan file has threads load it"
                      : !tokensAtEntry(loop.getRegion(), load.token())  ? "it depends on a write of the loop"
                      : load.ofView()                                   ? obstacle(load.ofView())
                                                                        : obstacle(load.ofAddresses());
    if (!why) {
      loads.push_back(load);
      continue;
    }
    op.emitRemark() << "is not prefetched: " << why;
    tileaa::declineHint(&op, tileaa::hint::latency, why);
    ops = opsBefore, carried = carriedBefore;
  }
}

const char *LoopLoads::obstacle(tileaa::LoadViewOp load) {
  if (load.getPadding() && *load.getPadding() != tileaa::Padding::Zero)
    return padsWithOthers;
  if (isInside(loop, load.getView()))
    return "its view is made in the loop";
  return addAll(load.getOffsets()) ? nullptr : isComputed;
}

const char *LoopLoads::obstacle(tileaa::LoadPtrOp load) {
  // The reader selects the padding in the place of zeros, by the mask.
  const char *why = obstacleToCopies(load);
  if (why && (kind != OfRows || load.getOrdering()))
    return why;
  if (!add(load.getAddresses()) || (load.getMask() && !add(load.getMask())))
    return isComputed;
  return nullptr;
}

bool LoopLoads::addAll(ValueRange values) {
  return llvm::all_of(values, [&](Value value) { return add(value); });
}

bool LoopLoads::add(Value value) {
  if (!isInside(loop, value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody())
      return false;
    if (argument == loop.getInductionVar())
      return true;
    unsigned index = argument.getArgNumber() - 1;
    return !carried.insert(index) || add(loop.getYieldedValues()[index]);
  }
  Operation *op = value.getDefiningOp();
  if (ops.contains(op))
    return true;
  // It is computed for iterations, too, that there are not.
  if (op->getBlock() != loop.getBody() || op->getNumRegions() != 0 || !isPure(op) || !addAll(op->getOperands()))
    return false;
  if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) && !staysInThreads(op))
    return false;
  ops.insert(op);
  return true;
}

LoopLoads::State LoopLoads::first() const {
  State state{loop.getLowerBound(), {}};
  for (unsigned index : carried)
    state.carried.push_back(loop.getInitArgs()[index]);
  return state;
}

LoopLoads::State LoopLoads::current() const {
  State state{loop.getInductionVar(), {}};
  for (unsigned index : carried)
    state.carried.push_back(loop.getRegionIterArg(index));
  return state;
}

IRMapping LoopLoads::compute(const State &state, OpBuilder &builder) const {
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), state.induction);
  for (auto [value, index] : llvm::zip_equal(state.carried, carried))
    mapping.map(loop.getRegionIterArg(index), value);
  // Operands were added before what uses them.
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  return mapping;
}

SmallVector<Value> LoopLoads::carriedNext(const IRMapping &mapping) const {
  SmallVector<Value> values;
  for (unsigned index : carried)
    values.push_back(mapping.lookupOrDefault(loop.getYieldedValues()[index]));
  return values;
}

LoopLoads::State LoopLoads::next(const State &state, const IRMapping &mapping, OpBuilder &builder) const {
  Value induction = builder.createOrFold<arith::AddIOp>(loop.getLoc(), state.induction, loop.getStep());
  return {induction, carriedNext(mapping)};
}
