// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forward data flow to a fixpoint: the accesses since the last barrier are propagated along control flow. An access
// that depends on one of them gets a barrier before it, which clears the set.
//
//   loop {                        pending at the loop's begin: nothing, then the read of the iteration before
//     tileas.write %x, %b         waits for that read: barrier
//     %y = tileas.read %b         waits for the write: barrier
//   }
//
// MLIR's dense analysis does not fit: its states only grow, but a barrier, which this analysis itself decides on,
// empties the set of accesses, and each block has to be propagated again from its own begin.
#include "tileas/ir/Tileas.h"
#include "tileas/memory/Passes.h"
#include "tileas/memory/ValueFlow.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASINSERTBARRIERS
#include "tileas/memory/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

// Part of a memory that threads share: bytes of shared memory, or the number of a tile in tensor memory, from and to.
struct Place {
  enum Space { Shared, Tensor } space;
  int64_t begin, end;
  bool isWritten = false;
  // Of stages that threads fill themselves: the waits of their pipeline order accesses to them.
  Value pipeline = Value();

  bool meets(const Place &other) const {
    return space == other.space && begin < other.end && other.begin < end && (!pipeline || pipeline != other.pipeline);
  }
};

struct Access {
  bool writes = false;
  // Of memories of the CTA: the buffers that it may be.
  SmallVector<Place> places;
  // Of global memory.
  bool global = false, acquires = false, releases = false;
  Value token;
  llvm::SmallPtrSet<Operation *, 8> after; // operations that its token orders before it
};

// Whether the box of an access is still what its operands say: not where they are of a loop's iteration that is over.
using Pending = llvm::SmallMapVector<Operation *, bool, 8>;

bool merge(Pending &into, const Pending &more) {
  bool changed = false;
  for (auto [op, current] : more) {
    auto [known, isNew] = into.insert({op, current});
    changed |= isNew || (known->second && !current);
    known->second &= current;
  }
  return changed;
}

Pending inNextIteration(const Pending &pending, Operation *loop) {
  auto staysTheSame = [&](Value operand) {
    return !isa<tileaa::ViewType, IndexType>(operand.getType()) ||
           !loop->isAncestor(operand.getParentBlock()->getParentOp());
  };
  Pending next;
  for (auto [op, current] : pending)
    next[op] = current && llvm::all_of(op->getOperands(), staysTheSame);
  return next;
}

template <typename Op> Access globalAccess(Op op, bool writes) {
  Access access;
  access.global = true;
  access.writes = writes;
  access.token = op.getToken();
  if constexpr (std::is_same_v<Op, tileaa::FenceOp>) {
    access.acquires = access.releases = true;
  } else if (auto ordering = tileaa::orderingOf(op)) {
    access.writes = true; // two of one place keep their order, whatever they do
    access.acquires = tileaa::acquires(*ordering);
    access.releases = tileaa::releases(*ordering);
  }
  return access;
}

void addStages(Access &access, Value pipeline, bool isWritten) {
  auto create = pipeline.getDefiningOp<tileas::CreatePipelineOp>();
  int64_t begin = create.getOffset().value_or(0);
  access.places.push_back({Place::Shared, begin, begin + create.getPipeline().getType().getBytes(), isWritten,
                           create.getConsumers() == 0 ? pipeline : Value()});
}

void addTmem(Access &access, Value tmem, bool isWritten) {
  int64_t number = 0;
  for (Operation *op = tmem.getDefiningOp(); op; op = op->getPrevNode())
    ++number;
  access.places.push_back({Place::Tensor, number, number + 1, isWritten});
}

// The barrier at which all threads wait for products: no thread may arrive there again before all have left.
void addEnd(Access &access, Value tmem) {
  int64_t begin = tmem.getDefiningOp<tileas::TmemAllocOp>().getOffset().value_or(0);
  access.places.push_back({Place::Shared, begin, begin + 16, /*isWritten=*/true});
}

// Whether shared memory may be another one afterwards.
bool writesShared(Operation *op) {
  auto known = dyn_cast<MemoryEffectOpInterface>(op);
  if (!known)
    return true;
  SmallVector<MemoryEffects::EffectInstance> effects;
  known.getEffects(effects);
  return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
    return isa<MemoryEffects::Write>(effect.getEffect()) && effect.getResource() == tileas::SharedMemory::get();
  });
}

std::optional<Access> describeGlobal(Operation *op) {
  using namespace tileaa;
  return llvm::TypeSwitch<Operation *, std::optional<Access>>(op)
      .Case<LoadViewOp, LoadPtrOp>([](auto op) { return globalAccess(op, false); })
      .Case<tileas::AsyncLoadOp, tileas::AsyncLoadPtrOp>([](auto op) {
        Access access = globalAccess(op, false);
        addStages(access, op.getPipeline(), /*isWritten=*/true);
        return access;
      })
      .Case<StoreViewOp, StorePtrOp, AtomicRmwOp, AtomicCasOp, FenceOp>([](auto op) { return globalAccess(op, true); })
      .Default(std::nullopt);
}

void addTensorMemory(Access &access, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tileas::TmemLoadOp load) { addTmem(access, load.getTmem(), /*isWritten=*/false); })
      .Case([&](tileas::TmemStoreOp store) { addTmem(access, store.getTmem(), /*isWritten=*/true); })
      .Case([&](tileas::TmemWaitOp wait) { addEnd(access, wait.getAcc()); })
      .Case([&](tileas::TmemMmaOp mma) {
        addTmem(access, mma.getAcc(), /*isWritten=*/true);
        if (!mma.getRunning())
          addEnd(access, mma.getAcc());
      });
}

void addBuffer(Access &access, Value buffer, bool isWritten) {
  for (Value origin : originsOf(buffer)) {
    if (auto alloc = origin.getDefiningOp<tileas::AllocOp>()) {
      int64_t begin = alloc.getOffset().value_or(0);
      access.places.push_back({Place::Shared, begin, begin + alloc.getType().getBytes(), isWritten});
    } else if (auto read = origin.getDefiningOp<tileas::ConsumerReadOp>()) {
      addStages(access, read.getPipeline(), isWritten);
    } else if (auto stage = origin.getDefiningOp<tileas::StageOp>()) {
      addStages(access, stage.getPipeline(), isWritten);
    }
  }
}

std::optional<Access> describe(Operation *op) {
  auto global = describeGlobal(op);
  if (global || isa<RegionBranchOpInterface>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return global;
  Access access;
  access.writes = writesShared(op);
  addTensorMemory(access, op);
  for (Value operand : op->getOperands())
    if (isa<tileas::BufferType>(operand.getType()))
      addBuffer(access, operand, access.writes);
  return access.places.empty() ? std::nullopt : std::optional(access);
}

// The same elements in the same threads.
bool isOwnOnly(Operation *a, Operation *b, int64_t warps) {
  auto box = [](Operation *op) -> std::tuple<Value, ValueRange, ArrayRef<int64_t>, Type> {
    if (auto load = dyn_cast<tileaa::LoadViewOp>(op))
      return {load.getView(), load.getOffsets(), load.getDimMap(), load.getTile().getType()};
    if (auto store = dyn_cast<tileaa::StoreViewOp>(op))
      return {store.getView(), store.getOffsets(), store.getDimMap(), store.getTile().getType()};
    return {};
  };
  auto [view, offsets, dims, type] = box(a);
  auto [otherView, otherOffsets, otherDims, otherType] = box(b);
  auto tile = dyn_cast_or_null<RankedTensorType>(type);
  if (!tile || view != otherView || offsets != otherOffsets || dims != otherDims || type != otherType)
    return false;
  const layout::LinearLayout &layout = tileas::layoutOf(tile);
  using layout::Dim;
  return layout.inputBits(Dim::Lane) == 5 && int64_t(layout.inputSize(Dim::Warp)) == warps &&
         !layout.redundantBits(Dim::Lane) && !layout.redundantBits(Dim::Warp);
}

class Barriers {
public:
  explicit Barriers(func::FuncOp function) : warps(tileas::warpsOf(function)) {
    function.walk([&](Operation *op) {
      if (auto access = describe(op))
        accesses.try_emplace(op, std::move(*access));
    });
    for (auto &[op, access] : accesses)
      if (access.token)
        access.after = comesAfter(access.token);
    Pending pending;
    visit(function.getBody().front(), pending);
  }

private:
  llvm::SmallPtrSet<Operation *, 8> comesAfter(Value token) {
    llvm::SmallPtrSet<Operation *, 8> found;
    llvm::SetVector<Value> tokens;
    tokens.insert(token);
    for (unsigned next = 0; next != tokens.size(); ++next)
      for (Value origin : originsOf(tokens[next]))
        if (Operation *op = origin.getDefiningOp()) {
          found.insert(op);
          for (Value operand : op->getOperands())
            if (isa<tileaa::TokenType>(operand.getType()))
              tokens.insert(operand);
        }
    return found;
  }

  bool hasToWait(Operation *op, const Access &access, Operation *earlier, bool current) {
    const Access &other = accesses.find(earlier)->second;
    // One thread starts products, which are done one after another.
    bool inOrder = isa<tileas::TmemMmaOp>(op) && isa<tileas::TmemMmaOp>(earlier);
    for (const Place &place : access.places)
      for (const Place &otherPlace : other.places)
        if ((place.isWritten || otherPlace.isWritten) && place.meets(otherPlace) &&
            !(inOrder && place.space == Place::Tensor))
          return true;
    if (!access.global || !other.global)
      return false;
    if (access.releases || other.acquires)
      return true;
    return (access.writes || other.writes) && access.after.contains(earlier) &&
           !(current && isOwnOnly(op, earlier, warps));
  }

  void visit(Block &block, Pending &pending) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto wait = dyn_cast<tileas::AsyncWaitOp>(op);
      if (isa<tileas::BarrierOp>(op) || (wait && wait.isBarrier())) {
        pending.clear();
        continue;
      }
      if (auto agents = dyn_cast<tileas::AgentsOp>(op)) {
        // They begin behind a barrier. A producer only starts copies, which pipelines order.
        pending.clear();
        visit(agents.getConsumer().front(), pending);
        continue;
      }
      if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
        visit(branch, pending);
        continue;
      }
      auto found = accesses.find(&op);
      if (found == accesses.end())
        continue;
      if (llvm::any_of(pending,
                       [&](auto &entry) { return hasToWait(&op, found->second, entry.first, entry.second); })) {
        OpBuilder builder(&op);
        tileas::BarrierOp::create(builder, op.getLoc());
        pending.clear();
      }
      if (isa<tileas::TmemWaitOp>(op))
        pending.remove_if([](auto &entry) { return isa<tileas::TmemMmaOp>(entry.first); });
      pending[&op] = true;
    }
  }

  // Regions, until none is entered with something that it was not entered with before.
  void visit(RegionBranchOpInterface branch, Pending &pending) {
    Pending after;
    llvm::SmallMapVector<Region *, Pending, 2> entered;
    SmallVector<Region *> worklist;
    auto follow = [&](RegionBranchPoint point, const Pending &state) {
      SmallVector<RegionSuccessor> successors;
      branch.getSuccessorRegions(point, successors);
      for (RegionSuccessor successor : successors) {
        if (successor.isParent()) {
          merge(after, state);
          continue;
        }
        Region *region = successor.getSuccessor();
        bool isNew = !entered.contains(region);
        if (merge(entered[region], state) || isNew)
          worklist.push_back(region);
      }
    };
    follow(RegionBranchPoint::parent(), pending);
    while (!worklist.empty()) {
      Region *region = worklist.pop_back_val();
      Pending state = entered[region];
      visit(region->front(), state);
      auto terminator = cast<RegionBranchTerminatorOpInterface>(region->front().getTerminator());
      follow(terminator, inNextIteration(state, branch));
    }
    pending = after;
  }

  int64_t warps;
  llvm::MapVector<Operation *, Access> accesses;
};

class InsertBarriers : public tilewright::impl::TileasInsertBarriersBase<InsertBarriers> {
  void runOnOperation() override {
    if (!tileas::expectCta(getOperation()))
      return signalPassFailure();
    Barriers barriers(getOperation());
  }
};

} // namespace
