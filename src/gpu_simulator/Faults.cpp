// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The texts of faults: a deadlock with what each actor waits for, an access that nothing orders after another.
#include "gpu_simulator/TileBlock.h"
#include "interpreter/Context.h"
#include "support/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;
using interpreter::errorAt;

llvm::Error simulator::fault(Operation *op, const llvm::Twine &message, Operation *other, const llvm::Twine &note) {
  return llvm::createStringError(render(op->getLoc(), "error", message.str()) +
                                 render(other->getLoc(), "note", note.str()));
}

std::string TileBlock::whatFor(Actor &actor, Operation *op) {
  auto ringOf = [&](mlir::Value pipeline) -> Ring & { return rings[std::get<Pipeline>(actor.get(pipeline)).number]; };
  if (auto acquire = dyn_cast<tileas::ProducerAcquireOp>(op)) {
    Ring &ring = ringOf(acquire.getPipeline());
    int64_t missing = ring.empty[ring.producer.stage].missingArrivals();
    auto create = cast<tileas::CreatePipelineOp>(ring.origin);
    return llvm::formatv("for stage {0} to be empty: {1} of {2} consumers{3} have not released it", ring.producer.stage,
                         missing, create.getConsumers() * create.getCluster(),
                         create.getCluster() > 1 ? " of the cluster" : "")
        .str();
  }
  if (auto wait = dyn_cast<tileas::ConsumerWaitOp>(op)) {
    Ring &ring = ringOf(wait.getPipeline());
    int64_t stage = ring.consumers[actor.number].stage;
    const MemoryBarrier &full = ring.full[stage];
    std::string text = llvm::formatv("for stage {0} to be full: ", stage).str();
    if (full.missingArrivals())
      return text + "no actor has acquired it";
    return text + llvm::formatv("{0} bytes of its {1} are missing, and no copy is in flight", full.missingBytes(),
                                ring.bytesOfStage())
                      .str();
  }
  if (auto sum = dyn_cast<tileas::ClusterSumOp>(op))
    return roleOf(sum) == SumRole::Adds ? "for another CTA to pass its tile" : "for another CTA to read the last tile";
  if (isa<tileas::TmemWaitOp, tileas::TmemMmaOp>(op))
    return "for products to end, of which warp 0 has not come to this end";
  return "at a " + op->getName().getStringRef().str() + " for others to come there";
}

void TileBlock::addWaiting(std::string &text) {
  for (auto &actor : actors) {
    bool isFirst = text.empty();
    if (Operation *op = actor->next())
      text += render(op->getLoc(), isFirst ? "error" : "note",
                     (isFirst ? "deadlock: " : "") + actor->does("waits") + " " + whatFor(*actor, op));
  }
  for (auto &actor : actors)
    if (!actor->next() && !text.empty())
      text += render(kernel.function.getLoc(), "note",
                     actor->name() + (actor->group.count > 1 && !actor->isProducer ? " have" : " has") + " ended");
}

// The operation that would have ordered the two.
static std::string missingWait(Operation *earlier, bool isStage) {
  if (isStage)
    return "tileas.consumer_wait";
  if (isa_and_nonnull<tileas::AsyncLoadOp, tileas::AsyncLoadPtrOp>(earlier))
    return "tileas.async_wait";
  if (isa_and_nonnull<tileas::TmemMmaOp>(earlier))
    return "tileas.tmem_wait";
  if (isa_and_nonnull<tileas::TmaStoreOp>(earlier))
    return "tileas.tma_store_wait and a tileas.barrier";
  return "tileas.barrier";
}

// Copies of a producer, whichever they are.
static bool isProduced(Operation *copy) {
  auto load = dyn_cast_or_null<tileas::AsyncLoadPtrOp>(copy);
  return load ? load.isByProducer() : isa_and_nonnull<tileas::TmaLoadOp>(copy);
}

llvm::Error TileBlock::checkShared(Operation *op, const std::string &reads, const std::string &writes) {
  auto conflict = shared.takeConflict();
  if (!conflict)
    return llvm::Error::success();
  const Event &earlier = conflict->earlier;
  std::string byte = " byte " + std::to_string(conflict->offset) + " of shared memory";
  auto other = [&](llvm::StringRef what) {
    if (std::string who = whoDoes(earlier.actor, what); !who.empty())
      return who;
    return (isa<tileas::TmemMmaOp>(earlier.op) ? "a product " : "a copy ") + what.str();
  };
  bool isStage = isProduced(op) || isProduced(earlier.op);
  std::string wait = missingWait(earlier.op, isStage);
  switch (conflict->fault) {
  case SharedFault::NothingWritten:
    return errorAt(op, "read before data: " + reads + byte + ", which was never written");
  case SharedFault::ReadTooEarly:
    return fault(op,
                 "read before data: " + reads + byte + " without waiting until " + other("writes") +
                     " it: expected a " + wait + " between them",
                 earlier.op, "written here");
  case SharedFault::WrittenTooEarly:
    return fault(op,
                 (isStage ? "early release: " : "early write: ") + writes + byte + " without waiting until " +
                     other("reads") + " it: expected " +
                     (isStage ? "the tileas.consumer_release after the read" : "a " + wait + " between them"),
                 earlier.op, "read here");
  case SharedFault::OverwrittenEarly:
    return fault(earlier.op,
                 "early write: " + other("writes") + byte + ", where " + reads +
                     " another buffer that is needed until then: expected a " + wait + " between them",
                 op, "read here");
  case SharedFault::TwoWriters:
    return fault(op,
                 "two writers: " + writes + byte + ", and so " + other("does") +
                     ", without an order between them: expected a tileas.barrier between them",
                 earlier.op, "the other write");
  case SharedFault::Overwritten:
    return fault(op,
                 "overwritten: " + reads + byte +
                     ", where another buffer was written since: expected places that do "
                     "not overlap as long as both are needed",
                 earlier.op, "written here");
  }
  llvm_unreachable("all faults are listed");
}
