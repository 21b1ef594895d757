// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The states of agents at their pipelines: each operation gets the one that the path to it leaves, whichever that is.
//
// A commit or release leaves its result. A loop or branch in which an agent advances leaves one of its results, of
// which the argument or initial value at the same position is the state at its begin.
#include "tileas/verify/Verifier.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// One pipeline in one agent.
class StateRules {
public:
  StateRules(Verifier &verifier, Value pipeline) : verifier(verifier), pipeline(pipeline) {}

  // The state behind a block, from that at its begin; null behind an operation that breaks the rule.
  Value follow(Block &block, Value state) {
    for (Operation &op : block) {
      if (isa<ProducerStartOp, ConsumerStartOp>(op) && op.getOperand(0) == pipeline)
        state = op.getResult(0);
      else if (auto step = dyn_cast<PipelineStep>(op); step && step.getPipeline() == pipeline)
        state = take(step, state);
      else if (op.getNumRegions() != 0)
        state = through(&op, state);
    }
    return state;
  }

private:
  // Only the first operation on a path is reported.
  Value report(Operation *op, StringRef fault) {
    if (!broken)
      verifier.report(op, "pipeline-state") << fault;
    broken = true;
    return Value();
  }

  Value take(PipelineStep step, Value state) {
    if (!step.getState())
      return report(step, "has no state, expected one from tileas-carry-pipeline-state");
    if (step.getState() != state)
      return report(step, "has another state than the path to it leaves");
    if (auto commit = dyn_cast<ProducerCommitOp>(step.getOperation()))
      return commit.getNext();
    if (auto release = dyn_cast<ConsumerReleaseOp>(step.getOperation()))
      return release.getNext();
    return state;
  }

  static std::optional<unsigned> positionOf(Value state, ValueRange values) {
    auto found = llvm::find(values, state);
    return found == values.end() ? std::nullopt : std::optional<unsigned>(found - values.begin());
  }

  Value through(Operation *op, Value state) {
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return throughBranch(branch, state);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return throughLoop(loop, state);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return throughLoop(loop, state);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (follow(block, state) != state)
          return report(op, "advances a pipeline in a region that is no loop or branch of scf");
    return state;
  }

  Value throughBranch(scf::IfOp branch, Value state) {
    Value then = follow(*branch.thenBlock(), state);
    Value other = branch.elseBlock() ? follow(*branch.elseBlock(), state) : state;
    if (then == state && other == state)
      return state;
    if (std::optional<unsigned> position = positionOf(then, branch.thenYield().getResults());
        position && branch.elseYield().getOperand(*position) == other)
      return branch.getResult(*position);
    return report(branch, "does not return the state that each of its sides leaves");
  }

  Value throughLoop(scf::ForOp loop, Value state) {
    std::optional<unsigned> position = positionOf(state, loop.getInitArgs());
    Value inside = position ? loop.getRegionIterArg(*position) : state;
    Value end = follow(*loop.getBody(), inside);
    if (!position ? end == state : end == loop.getYieldedValues()[*position])
      return position ? loop.getResult(*position) : state;
    return report(loop, "does not carry the state that an iteration leaves");
  }

  Value throughLoop(scf::WhileOp loop, Value state) {
    std::optional<unsigned> position = positionOf(state, loop.getInits());
    Value before = follow(*loop.getBeforeBody(), position ? loop.getBeforeArguments()[*position] : state);
    std::optional<unsigned> passed = positionOf(before, loop.getConditionOp().getArgs());
    Value after = follow(*loop.getAfterBody(), passed ? loop.getAfterArguments()[*passed] : before);
    if (!position && !passed && after == state)
      return state;
    if (position && passed && after == loop.getYieldOp().getOperand(*position))
      return loop.getResult(*passed);
    return report(loop, "does not carry the state that an iteration leaves");
  }

  Verifier &verifier;
  Value pipeline;
  bool broken = false;
};

} // namespace

void tileas::checkPipelineStates(Verifier &verifier) {
  verifier.function.walk([&](AgentsOp agents) {
    verifier.function.walk([&](CreatePipelineOp create) {
      if (create.getConsumers() != 0)
        for (Region *region : {&agents.getConsumer(), &agents.getProducer()})
          StateRules(verifier, create.getPipeline()).follow(region->front(), Value());
    });
  });
}
