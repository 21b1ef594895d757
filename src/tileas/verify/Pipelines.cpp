// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The protocol of a pipeline between its two sides, on every path of each:
//
//   producer   acquire, one copy or write into each buffer, commit
//   consumers  wait, reads of the stage, release
#include "tileas/verify/Paths.h"
#include "tileas/verify/PipelineRounds.h"
#include "tileas/verify/Verifier.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

bool isOfProducer(Operation *op) {
  auto copy = dyn_cast<AsyncLoadPtrOp>(op);
  return isa<ProducerAcquireOp, ProducerCommitOp, ProducerWriteOp, TmaLoadOp>(op) || (copy && copy.isByProducer());
}
bool isOfConsumer(Operation *op) {
  return isa<ConsumerWaitOp, ConsumerReadOp, ConsumerReleaseOp>(op);
}
bool isOfThreads(Operation *op) {
  return isa<AsyncLoadOp, AsyncWaitOp, StageOp>(op) || (isa<AsyncLoadPtrOp>(op) && !isOfProducer(op));
}

// The pipeline that an operation of one of these kinds is about.
Value pipelineOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<ProducerAcquireOp, ProducerCommitOp, ProducerWriteOp, ConsumerWaitOp, ConsumerReleaseOp, ConsumerReadOp,
            TmaLoadOp, AsyncLoadPtrOp, AsyncLoadOp, AsyncWaitOp, StageOp>([](auto op) { return op.getPipeline(); })
      .Default(Value());
}

// The buffer that a copy of a producer fills.
std::optional<uint64_t> filledBy(Operation *op) {
  if (auto load = dyn_cast<TmaLoadOp>(op))
    return load.getIndex();
  if (auto copy = dyn_cast<AsyncLoadPtrOp>(op); copy && copy.isByProducer())
    return copy.getIndex();
  if (auto write = dyn_cast<ProducerWriteOp>(op))
    return write.getIndex();
  return std::nullopt;
}

// The operations that read a buffer, or the products that do.
bool isReaderOf(Operation *op, Value buffer) {
  return isa<ReadOp, MmaOp, TmemMmaOp, TmaStoreOp>(op) && llvm::is_contained(op->getOperands(), buffer);
}

//===-- where operations stand --------------------------------------------===//

class SideRules {
public:
  explicit SideRules(Verifier &verifier) : verifier(verifier) {}

  // Whether each operation stands where its pipeline is.
  bool check() {
    verifier.function.walk([&](Operation *op) {
      if (auto found = dyn_cast<AgentsOp>(op); found && found->getNextNode() != op->getBlock()->getTerminator())
        verifier.report(op, "agents") << "is followed by an operation, which no thread executes";
      if (Value pipeline = pipelineOf(op))
        checkSide(op, pipeline);
      if (isa<BarrierOp, AsyncWaitOp, TmemWaitOp, MmaWaitOp, TmaStoreOp, TmaStoreWaitOp, WriteOp, ReadOp>(op) &&
          isInProducer(op))
        verifier.report(op, "agents") << "stands in a producer, which starts copies only: the consumers do not meet it";
    });
    return legal;
  }

private:
  static bool isInProducer(Operation *op) {
    auto agents = op->getParentOfType<AgentsOp>();
    return agents && agents.getProducer().isAncestor(op->getParentRegion());
  }
  static bool isInConsumer(Operation *op) {
    auto agents = op->getParentOfType<AgentsOp>();
    return agents && agents.getConsumer().isAncestor(op->getParentRegion());
  }

  void checkSide(Operation *op, Value pipeline) {
    std::string fault = faultOfSide(op, pipeline.getDefiningOp<CreatePipelineOp>());
    verifier.check(op, "pipeline-side", fault);
    legal &= fault.empty();
  }
  static std::string faultOfSide(Operation *op, CreatePipelineOp create) {
    if (!create)
      return "is of a pipeline that a loop or a branch passes on, expected that of a tileas.create_pipeline";
    bool hasAgents = create.getConsumers() != 0;
    if (hasAgents == isOfThreads(op))
      return "is of a pipeline of " + std::to_string(create.getConsumers()) + " consumers, expected " +
             (hasAgents ? "none" : "some");
    if (hasAgents && isOfProducer(op) && !isInProducer(op))
      return "stands outside of a producer";
    if (hasAgents && isOfConsumer(op) && !isInConsumer(op))
      return "stands outside of the consumers' region";
    if (!hasAgents && isInProducer(op))
      return "stands in a producer, and the pipeline is for all threads";
    return "";
  }

  Verifier &verifier;
  bool legal = true;
};

//===-- the order of operations -------------------------------------------===//

// One pipeline between agents.
class OrderRules {
public:
  OrderRules(Verifier &verifier, CreatePipelineOp create, AgentsOp agents, const Paths &paths)
      : verifier(verifier), create(create), agents(agents), paths(paths), pipeline(create.getPipeline()),
        all(llvm::maskTrailingOnes<uint64_t>(create.getPipeline().getType().getBuffers().size())) {}

  void check() {
    // The state is the buffers that are filled, above a bit for an acquired stage.
    paths.fromBegin(agents.getProducer().front(), 0, [&](Operation *op, int64_t state) { return produce(op, state); });
    paths.fromBegin(agents.getConsumer().front(), 0, [&](Operation *op, int64_t state) { return consume(op, state); });
    for (Operation *user : create->getUsers())
      if (auto read = dyn_cast<ConsumerReadOp>(user))
        checkReaders(read);
    if (reported.empty() && haveDifferentRounds(create, agents))
      report(create, "pipeline-rounds",
             "has stages that its producer fills another number of times than its consumers release them");
  }

private:
  // An operation breaks a rule once, on however many paths.
  void report(Operation *op, StringRef rule, const Twine &fault) {
    if (reported.insert(op).second)
      verifier.report(op, rule) << fault;
  }
  bool isHere(Operation *op) const { return pipelineOf(op) == pipeline; }

  std::optional<int64_t> produce(Operation *op, int64_t state) {
    if (!op) {
      if (state)
        report(create, "pipeline-balance", "has a stage that its producer acquires and does not commit");
      return state;
    }
    if (!isHere(op))
      return state;
    if (isa<ProducerAcquireOp>(op)) {
      if (state)
        report(op, "pipeline-balance", "acquires a stage before the last one is committed");
      return 1;
    }
    if (std::optional<uint64_t> index = filledBy(op)) {
      int64_t bit = int64_t(2) << *index;
      if (!state)
        report(op, "pipeline-stage", "fills a stage that is not acquired");
      else if (state & bit)
        report(op, "pipeline-stage", "fills buffer " + Twine(*index) + " of a stage for the second time");
      return state | bit | 1;
    }
    if (!state)
      report(op, "pipeline-balance", "commits a stage that is not acquired");
    else if (uint64_t(state) >> 1 != all)
      report(op, "pipeline-stage",
             "commits a stage of which not all buffers are filled: its mbarrier waits for the rest");
    return 0;
  }

  std::optional<int64_t> consume(Operation *op, int64_t state) {
    if (!op) {
      if (state)
        report(create, "pipeline-balance", "has a stage that its consumers wait for and do not release");
      return state;
    }
    if (!isHere(op))
      return state;
    if (isa<ConsumerWaitOp>(op)) {
      if (state)
        report(op, "pipeline-balance", "waits for a stage before the last one is released");
      return 1;
    }
    if (isa<ConsumerReadOp>(op)) {
      if (!state)
        report(op, "pipeline-stage", "gives a stage that is not waited for");
      return state;
    }
    if (!state)
      report(op, "pipeline-balance", "releases a stage that is not waited for");
    return 0;
  }

  // A buffer is read until the stage is released, and by asynchronous products until these are waited for.
  void checkReaders(ConsumerReadOp read) {
    enum : int64_t { Held, Released };
    paths.from(read, Held, [&](Operation *op, int64_t state) -> std::optional<int64_t> {
      if (!op || op == read)
        return std::nullopt;
      if (isa<ConsumerReleaseOp>(op) && isHere(op))
        return Released;
      if (isReaderOf(op, read.getBuffer())) {
        if (state == Released)
          report(op, "pipeline-stage", "reads a stage behind its release");
        if (auto mma = dyn_cast<MmaOp>(op); mma && mma.getRunning())
          checkRunning(mma);
        if (create.getByOne() && !isa<TmemMmaOp>(op))
          report(op, "pipeline-stage", "reads a stage that one thread waits for, expected a product of tcgen05");
      }
      return state;
    });
  }

  // How many products have been started behind this one.
  void checkRunning(MmaOp mma) {
    if (!checked.insert(mma).second)
      return;
    constexpr int64_t enough = 64;
    paths.from(mma, 0, [&](Operation *op, int64_t later) -> std::optional<int64_t> {
      if (!op)
        return std::nullopt;
      if (isa<ConsumerReleaseOp>(op) && isHere(op)) {
        report(op, "pipeline-stage", "releases a stage that an asynchronous product still reads");
        return std::nullopt;
      }
      if (auto wait = dyn_cast<MmaWaitOp>(op); wait && int64_t(wait.getPending()) <= later)
        return std::nullopt;
      if (auto other = dyn_cast<MmaOp>(op); other && other.getAtom().getKind() == AtomKind::Wgmma)
        return other.getRunning() ? std::optional(std::min(later + 1, enough)) : std::nullopt;
      return later;
    });
  }

  Verifier &verifier;
  CreatePipelineOp create;
  AgentsOp agents;
  const Paths &paths;
  Value pipeline;
  uint64_t all; // buffers of a stage, a bit each
  llvm::SmallPtrSet<Operation *, 8> reported, checked;
};

} // namespace

bool tileas::checkPipelines(Verifier &verifier) {
  if (!SideRules(verifier).check())
    return false;
  verifier.function.walk([&](AgentsOp agents) {
    Paths paths(*agents->getParentRegion(), [](Operation *op) {
      return isOfProducer(op) || isOfConsumer(op) || isa<ReadOp, MmaOp, TmemMmaOp, TmaStoreOp, MmaWaitOp>(op);
    });
    verifier.function.walk([&](CreatePipelineOp create) {
      if (create.getConsumers() != 0)
        OrderRules(verifier, create, agents, paths).check();
    });
  });
  return true;
}
