// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An agent's stage of a pipeline is where its last `producer_commit` or `consumer_release` left it. Here each of these
// gets the state before it as an operand and gives the next one; a loop or branch in which the agent advances carries
// the state, and any other only uses it.
#include "tileas/async/Passes.h"
#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASCARRYPIPELINESTATE
#include "tileas/async/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// The current state of each pipeline at a place of an agent's code.
using States = llvm::MapVector<Value, Value>;

class StateCarrier {
public:
  explicit StateCarrier(MLIRContext *context) : type(PipelineStateType::get(context)) {}

  /// The region of an agent, whose states begin with an operation `Start`.
  template <typename Start> LogicalResult run(Region &region) {
    States states;
    auto top = OpBuilder::atBlockBegin(&region.front());
    region.walk([&](PipelineStep step) {
      Value pipeline = step.getPipeline();
      auto create = pipeline.getDefiningOp<CreatePipelineOp>();
      if (create && create.getConsumers() != 0 && !states.contains(pipeline))
        states[pipeline] = Start::create(top, create.getLoc(), type, pipeline);
    });
    return carry(region.front(), states);
  }

private:
  static bool advances(Operation *op, Value pipeline) {
    return isa<ProducerCommitOp, ConsumerReleaseOp>(op) && cast<PipelineStep>(op).getPipeline() == pipeline;
  }
  static SmallVector<Value> advancedIn(Operation *op, const States &states) {
    SmallVector<Value> pipelines;
    for (Value pipeline : llvm::make_first_range(states))
      if (op->walk([&](Operation *inner) {
              return advances(inner, pipeline) ? WalkResult::interrupt() : WalkResult::advance();
            }).wasInterrupted())
        pipelines.push_back(pipeline);
    return pipelines;
  }
  static SmallVector<Value> statesOf(ArrayRef<Value> pipelines, const States &states) {
    return llvm::map_to_vector(pipelines, [&](Value pipeline) { return states.lookup(pipeline); });
  }

  // Leaves the states at the end of the block.
  LogicalResult carry(Block &block, States &states) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto step = dyn_cast<PipelineStep>(op);
      if (step && states.contains(step.getPipeline()))
        give(step, states[step.getPipeline()]);
      else if (op.getNumRegions() != 0 && failed(carryThrough(&op, states)))
        return failure();
    }
    return success();
  }

  void give(PipelineStep step, Value &state) {
    step.getStateMutable().assign(state);
    if (auto commit = dyn_cast<ProducerCommitOp>(step.getOperation()))
      state = advance(commit);
    else if (auto release = dyn_cast<ConsumerReleaseOp>(step.getOperation()))
      state = advance(release);
  }
  template <typename Op> Value advance(Op op) {
    OpBuilder builder(op);
    auto now = Op::create(builder, op.getLoc(), type, op.getPipeline(), op.getState());
    now->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    op.erase();
    return now.getNext();
  }

  LogicalResult carryThrough(Operation *op, States &states) {
    SmallVector<Value> carried = advancedIn(op, states);
    bool isBranch = isa<scf::IfOp>(op);
    if (!carried.empty()) {
      if (!isBranch && !isa<scf::ForOp, scf::WhileOp>(op))
        return op->emitOpError() << "advances a pipeline: expected a loop or a branch of scf around it";
      op = addStates(op, isBranch ? SmallVector<Value>() : statesOf(carried, states), carried.size());
    }
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        States inside = states;
        if (!isBranch)
          for (Value pipeline : carried)
            inside[pipeline] = block.addArgument(type, op->getLoc());
        if (failed(carry(block, inside)))
          return failure();
        if (!carried.empty())
          block.getTerminator()->insertOperands(block.getTerminator()->getNumOperands(), statesOf(carried, inside));
      }
    for (auto [pipeline, state] : llvm::zip_equal(carried, op->getResults().take_back(carried.size())))
      states[pipeline] = state;
    return success();
  }

  // The loop or branch with more operands and results; its blocks stay as they are.
  Operation *addStates(Operation *op, ValueRange initial, size_t count) {
    OpBuilder builder(op);
    OperationState state(op->getLoc(), op->getName(), op->getOperands(), op->getResultTypes(), op->getAttrs());
    state.addOperands(initial);
    state.addTypes(SmallVector<Type>(count, type));
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    Operation *now = builder.create(state);
    if (auto branch = dyn_cast<scf::IfOp>(now); branch && branch.getElseRegion().empty()) {
      builder.createBlock(&branch.getElseRegion());
      scf::YieldOp::create(builder, op->getLoc());
    }
    op->replaceAllUsesWith(now->getResults().take_front(op->getNumResults()));
    op->erase();
    return now;
  }

  Type type;
};

class CarryPipelineState : public tilewright::impl::TileasCarryPipelineStateBase<CarryPipelineState> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([&](AgentsOp agents) {
      StateCarrier carrier(&getContext());
      if (failed(carrier.run<ConsumerStartOp>(agents.getConsumer())) ||
          failed(carrier.run<ProducerStartOp>(agents.getProducer())))
        return WalkResult::interrupt();
      return WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
