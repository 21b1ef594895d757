// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accesses to shared and tensor memory by different threads: between two of them, of which one writes, every path has a
// barrier. tileas-insert-barriers computes for each place what is pending there; here each access walks forward until a
// barrier stops it, and must not meet an access that depends on it.
//
// Copies and products that run on behind their operation need a wait first, and then the barrier.
#include "tileas/memory/ValueFlow.h"
#include "tileas/verify/Paths.h"
#include "tileas/verify/Verifier.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

struct Bytes {
  int64_t begin, end;
  bool isWritten;
  Value pipeline; // of the threads, whose accesses are ordered by its own waits

  bool meets(const Bytes &other) const {
    return (isWritten || other.isWritten) && begin < other.end && other.begin < end &&
           (!pipeline || pipeline != other.pipeline);
  }
};

struct Access {
  SmallVector<Bytes, 2> bytes;
  Value tmem;
  bool writesTmem = false;

  bool meets(const Access &other) const {
    for (const Bytes &one : bytes)
      for (const Bytes &two : other.bytes)
        if (one.meets(two))
          return true;
    return tmem && tmem == other.tmem && (writesTmem || other.writesTmem);
  }
};

void addPipeline(Access &access, Value pipeline, bool isWritten) {
  auto create = pipeline.getDefiningOp<CreatePipelineOp>();
  int64_t begin = *create.getOffset();
  access.bytes.push_back({begin, begin + create.getPipeline().getType().getBytes(), isWritten,
                          create.getConsumers() == 0 ? pipeline : Value()});
}

void addBuffer(Access &access, Value buffer, bool isWritten) {
  for (Value origin : originsOf(buffer)) {
    Operation *op = origin.getDefiningOp();
    if (auto alloc = dyn_cast_or_null<AllocOp>(op))
      access.bytes.push_back(
          {int64_t(*alloc.getOffset()), int64_t(*alloc.getOffset()) + alloc.getType().getBytes(), isWritten, Value()});
    else if (auto read = dyn_cast_or_null<ConsumerReadOp>(op))
      addPipeline(access, read.getPipeline(), isWritten);
    else if (auto stage = dyn_cast_or_null<StageOp>(op))
      addPipeline(access, stage.getPipeline(), isWritten);
  }
}

void addTmem(Access &access, Value tmem, bool isWritten) {
  access.tmem = tmem;
  access.writesTmem = isWritten;
}
// The mbarrier at which all threads wait for products.
void addEnd(Access &access, Value tmem) {
  int64_t begin = *tmem.getDefiningOp<TmemAllocOp>().getOffset();
  access.bytes.push_back({begin, begin + 16, /*isWritten=*/true, Value()});
}

Access describe(Operation *op) {
  Access access;
  for (Value operand : op->getOperands())
    if (isa<BufferType>(operand.getType()))
      addBuffer(access, operand, isa<WriteOp, WriteTmaDescsOp>(op));
  llvm::TypeSwitch<Operation *>(op)
      .Case<AsyncLoadOp, AsyncLoadPtrOp>([&](auto load) { addPipeline(access, load.getPipeline(), true); })
      .Case([&](TmemLoadOp load) { addTmem(access, load.getTmem(), false); })
      .Case([&](TmemStoreOp store) { addTmem(access, store.getTmem(), true); })
      .Case([&](TmemWaitOp wait) { addEnd(access, wait.getAcc()); })
      .Case([&](TmemMmaOp mma) {
        addTmem(access, mma.getAcc(), true);
        if (!mma.getRunning())
          addEnd(access, mma.getAcc());
      });
  return access;
}

bool isOfProducer(Operation *op) {
  auto agents = op->getParentOfType<AgentsOp>();
  return agents && agents.getProducer().isAncestor(op->getParentRegion());
}
bool isAccess(Operation *op) {
  return isa<WriteOp, ReadOp, MmaOp, TmemMmaOp, TmaStoreOp, TmaStoreWaitOp, WriteTmaDescsOp, AsyncLoadOp,
             AsyncLoadPtrOp, TmemLoadOp, TmemStoreOp, TmemWaitOp>(op) &&
         !isOfProducer(op);
}
bool isBarrier(Operation *op) {
  auto wait = dyn_cast<AsyncWaitOp>(op);
  return isa<BarrierOp, AgentsOp>(op) || (wait && wait.isBarrier());
}
bool isEvent(Operation *op) {
  return isAccess(op) || isBarrier(op) || isa<AsyncWaitOp, AsyncCommitOp, MmaWaitOp, CreatePipelineOp>(op);
}

class AccessRules {
public:
  explicit AccessRules(Verifier &verifier) : verifier(verifier), paths(verifier.function.getBody(), isEvent) {
    verifier.function.walk([&](Operation *op) {
      if (isAccess(op))
        accesses.insert({op, describe(op)});
    });
  }

  void check() {
    for (auto &[op, access] : accesses) {
      if (access.tmem || !access.bytes.empty())
        checkBarriers(op, access);
      if (auto store = dyn_cast<TmaStoreOp>(op))
        checkStore(store, access);
      if (auto mma = dyn_cast<MmaOp>(op); mma && mma.getRunning())
        checkRunning(mma, access);
      if (isa<AsyncLoadOp, AsyncLoadPtrOp>(op))
        checkCommit(op);
    }
    verifier.function.walk([&](CreatePipelineOp create) {
      if (create.getConsumers() == 0)
        checkCopied(create);
    });
  }

private:
  void report(Operation *op, StringRef rule, const Twine &fault, Operation *earlier) {
    if (!reported.insert(op).second)
      return;
    InFlightDiagnostic error = verifier.report(op, rule);
    error << fault;
    error.attachNote(earlier->getLoc()) << "the earlier access";
  }
  // Products of one thread, which the tensor core computes one after another.
  static bool areInOrder(Operation *op, Operation *other, const Access &access, const Access &later) {
    if (!isa<TmemMmaOp>(op) || !isa<TmemMmaOp>(other))
      return false;
    Access buffers = access;
    buffers.tmem = Value();
    return !buffers.meets(later);
  }

  void checkBarriers(Operation *op, const Access &access) {
    paths.from(op, 0, [&](Operation *other, int64_t state) -> std::optional<int64_t> {
      if (!other || isBarrier(other))
        return std::nullopt;
      auto found = accesses.find(other);
      if (found != accesses.end() && access.meets(found->second) && !areInOrder(op, other, access, found->second)) {
        report(other, "barrier", "depends on an access of other threads without a barrier between them", op);
        return std::nullopt;
      }
      // All threads wait for the products.
      if (isa<TmemMmaOp>(op) && isa<TmemWaitOp>(other))
        return std::nullopt;
      return state;
    });
  }

  // A copy or product that reads on behind its operation. The state is how many others were started since, until a
  // wait; `pending` is how many that leaves running.
  using Pending = function_ref<std::optional<int64_t>(Operation *)>;
  void checkAsynchronous(Operation *op, const Access &access, function_ref<bool(Operation *)> isOther,
                         Pending pending) {
    constexpr int64_t ended = -1, enough = 64;
    paths.from(op, 0, [&](Operation *other, int64_t state) -> std::optional<int64_t> {
      if (!other && state != ended && isa<TmaStoreOp>(op) && reported.insert(op).second)
        verifier.report(op, "asynchronous-read") << "starts copies that the kernel does not wait for before it ends";
      if (!other)
        return std::nullopt;
      if (state != ended)
        if (std::optional<int64_t> left = pending(other); left && *left <= state)
          state = ended;
      if (isBarrier(other))
        return state == ended ? std::nullopt : std::optional(state);
      auto found = accesses.find(other);
      if (found != accesses.end() && !isa<TmaStoreWaitOp>(other) && access.meets(found->second)) {
        report(other, "asynchronous-read", "writes a buffer that is still read by a copy or a product", op);
        return std::nullopt;
      }
      return state != ended && isOther(other) ? std::min(state + 1, enough) : state;
    });
  }

  void checkStore(TmaStoreOp store, const Access &access) {
    checkAsynchronous(store, access, llvm::IsaPred<TmaStoreOp>, [&](Operation *op) -> std::optional<int64_t> {
      auto wait = dyn_cast<TmaStoreWaitOp>(op);
      bool isOfThis = wait && llvm::is_contained(wait.getBuffers(), store.getBuffer());
      return isOfThis ? std::optional<int64_t>(wait.getPending()) : std::nullopt;
    });
  }
  // Of stages the protocol of the pipeline is checked.
  void checkRunning(MmaOp mma, Access access) {
    llvm::erase_if(access.bytes, [](const Bytes &bytes) { return bytes.pipeline != Value(); });
    auto isWarpgroups = [](Operation *op) {
      auto other = dyn_cast<MmaOp>(op);
      return other && other.getAtom().getKind() == AtomKind::Wgmma;
    };
    checkAsynchronous(mma, access, isWarpgroups, [&](Operation *op) -> std::optional<int64_t> {
      if (auto wait = dyn_cast<MmaWaitOp>(op))
        return wait.getPending();
      if (auto wait = dyn_cast<AsyncWaitOp>(op); wait && wait.getProducts())
        return *wait.getProducts();
      if (isWarpgroups(op) && !cast<MmaOp>(op).getRunning())
        return 0;
      return std::nullopt;
    });
  }

  void checkCommit(Operation *load) {
    paths.from(load, 0, [&](Operation *op, int64_t state) -> std::optional<int64_t> {
      if (op && isa<AsyncCommitOp>(op))
        return std::nullopt;
      if (op && !isa<AsyncWaitOp>(op))
        return state;
      if (reported.insert(load).second)
        verifier.report(load, "asynchronous-copy")
            << "starts copies that no tileas.async_commit makes a group of before "
               "the next wait";
      return std::nullopt;
    });
  }

  void checkCopied(CreatePipelineOp create) {
    auto readsStage = [&](Operation *op) {
      return isa<ReadOp, MmaOp, TmemMmaOp>(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
               auto stage = operand.getDefiningOp<StageOp>();
               return stage && stage.getPipeline() == create.getPipeline();
             });
    };
    paths.from(create, 0, [&](Operation *op, int64_t state) -> std::optional<int64_t> {
      auto wait = dyn_cast_or_null<AsyncWaitOp>(op);
      if (!op || (wait && wait.getPipeline() == create.getPipeline()))
        return std::nullopt;
      if (readsStage(op) && reported.insert(op).second)
        verifier.report(op, "asynchronous-copy") << "reads a stage whose copies no tileas.async_wait has waited for";
      return state;
    });
  }

  Verifier &verifier;
  Paths paths;
  llvm::MapVector<Operation *, Access> accesses;
  llvm::SmallPtrSet<Operation *, 8> reported;
};

} // namespace

void tileas::checkAccesses(Verifier &verifier) {
  AccessRules(verifier).check();
}
