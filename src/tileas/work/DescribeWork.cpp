// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/work/DescribeWork.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tileaa/analysis/DescribeControl.h"
#include "tileas/schedule/SchedulableLoops.h"
#include "tileas/work/DescribeAccess.h"
#include "tileas/work/DescribeStep.h"
#include "tileas/work/LiveRegisters.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using predict::noValue;
using predict::Pipe;
using predict::Step;

namespace {

class Describer {
public:
  explicit Describer(func::FuncOp kernel)
      : kernel(kernel), architecture(targetOf(kernel).getArchitecture()), scalars(kernel, work.scalars),
        slopes(kernel) {}

  predict::Work describe() {
    CtaAttr cta = ctaOf(kernel);
    work.name = kernel.getName();
    warps = cta ? cta.getWarps() : 4;
    work.threads = cta && cta.getThreads() ? *cta.getThreads() : warps * nvidia::Architecture::warpThreads;
    work.blocksPerSm = cta && cta.getBlocksPerSm() ? *cta.getBlocksPerSm() : 0;
    work.split = splitOf(kernel);
    work.liveRegisters = liveRegisters(kernel);
    // Those that are live at a time are not known before they have places.
    kernel.walk([&](Operation *op) {
      if (auto alloc = dyn_cast<AllocOp>(op))
        work.sharedBytes += alloc.getBuffer().getType().getBytes();
      else if (auto exchange = dyn_cast<CreateExchangeOp>(op))
        work.sharedBytes += exchange.getExchange().getType().getBytes();
      else if (auto create = dyn_cast<CreatePipelineOp>(op))
        work.sharedBytes += create.getPipeline().getType().getStages() * create.getPipeline().getType().getStageBytes();
    });
    work.sharedBytes = std::min<uint64_t>(work.sharedBytes, architecture.sharedBytesPerBlock());
    unsigned main = addRegion();
    work.agents.push_back({warps, main});
    describeBlock(kernel.getBody().front(), main, 0);
    return std::move(work);
  }

private:
  unsigned addRegion() {
    work.regions.emplace_back();
    return work.regions.size() - 1;
  }
  void add(unsigned region, Step step) { work.regions[region].steps.push_back(std::move(step)); }

  // Values that cost nothing by themselves stand for what they are made of.
  unsigned valueOf(Value value) {
    if (auto found = values.find(value); found != values.end())
      return found->second;
    Operation *op = value.getDefiningOp();
    unsigned number = noValue;
    if (op && op->getNumRegions() == 0 && !isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op))
      for (Value operand : op->getOperands())
        if (unsigned part = valueOf(operand); part != noValue)
          number = part;
    return values[value] = number;
  }
  unsigned addValue(Value value) { return values[value] = work.values++; }

  void addUses(Step &step, Operation *op) {
    for (Value operand : op->getOperands())
      if (unsigned value = valueOf(operand); value != noValue && !llvm::is_contained(step.uses, value))
        step.uses.push_back(value);
  }

  unsigned numberOf(Value pipeline) { return pipelines.lookup(pipeline); }

  void describeBlock(Block &block, unsigned region, unsigned depth) {
    for (Operation &op : block)
      describe(&op, region, depth);
  }

  // The operations of a loop in the order of its schedule, if it has one that fits.
  static std::optional<SmallVector<Operation *>> stepOf(scf::ForOp loop) {
    auto attribute = loop->getAttrOfType<ScheduleAttr>(scheduleAttr);
    auto found = attribute ? LoopDependences::of(loop) : std::nullopt;
    if (!found)
      return std::nullopt;
    auto schedule = followItems(*found, attribute.getItems());
    if (!schedule) {
      llvm::consumeError(schedule.takeError());
      return std::nullopt;
    }
    return llvm::map_to_vector(schedule->order(),
                               [&](const LoopSchedule::Entry &entry) { return found->ops()[entry.op]; });
  }

  // A loop's operations in the order of its schedule: what is of a later stage works on values of the iteration before.
  void describeBody(scf::ForOp loop, unsigned region, unsigned depth) {
    std::optional<SmallVector<Operation *>> steps = stepOf(loop);
    if (!steps)
      return describeBlock(*loop.getBody(), region, depth);
    // Values of operations behind it in the order have numbers before they are used.
    for (Operation &op : loop.getBody()->without_terminator())
      for (Value result : op.getResults())
        if (hasLayout(result.getType()) && describeStep(&op, warps, architecture))
          addValue(result);
    for (Operation *op : *steps)
      describe(op, region, depth);
  }

  void describe(Operation *op, unsigned region, unsigned depth) {
    if (auto access = describeAccess(op, scalars, slopes))
      return describeMemory(op, std::move(*access), region);
    if (auto step = describeStep(op, warps, architecture)) {
      addUses(*step, op);
      if (op->getNumResults()) {
        auto known = values.find(op->getResult(0));
        step->result = known != values.end() && known->second != noValue ? known->second : addValue(op->getResult(0));
        for (Value result : llvm::drop_begin(op->getResults()))
          values[result] = step->result;
      }
      return add(region, std::move(*step));
    }
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loop) { describeLoop(loop, region, depth); })
        .Case([&](scf::IfOp branch) { describeBranch(branch, region, depth); })
        .Case([&](scf::WhileOp loop) { describeWhile(loop, region, depth); })
        .Case([&](AgentsOp agents) { describeAgents(agents, region); })
        .Case([&](CreatePipelineOp create) {
          pipelines[create.getPipeline()] = work.pipelines.size();
          PipelineType type = create.getPipeline().getType();
          work.pipelines.push_back({unsigned(type.getStages()), double(type.getStageBytes())});
        })
        .Default([&](Operation *) { describeWait(op, region); });
  }

  void describeWait(Operation *op, unsigned region) {
    using Kind = Step::Kind;
    auto of = [&](Kind kind, unsigned index) {
      Step step;
      step.kind = kind;
      step.index = index;
      return std::optional(step);
    };
    using Result = std::optional<Step>;
    auto step = llvm::TypeSwitch<Operation *, Result>(op)
                    .Case([&](BarrierOp) { return of(Kind::Barrier, 0); })
                    .Case([&](AsyncCommitOp) { return of(Kind::Commit, 0); })
                    .Case([&](AsyncWaitOp wait) { return of(Kind::GroupWait, wait.getPending()); })
                    .Case([&](TmaStoreWaitOp wait) { return of(Kind::StoreWait, wait.getPending()); })
                    .Case([&](MmaWaitOp wait) { return of(Kind::ProductWait, wait.getPending()); })
                    .Case([&](TmemWaitOp) { return of(Kind::ProductWait, 0); })
                    .Case([&](ProducerAcquireOp op) { return of(Kind::Acquire, numberOf(op.getPipeline())); })
                    .Case([&](ProducerCommitOp op) { return of(Kind::Full, numberOf(op.getPipeline())); })
                    .Case([&](ConsumerWaitOp op) { return of(Kind::Wait, numberOf(op.getPipeline())); })
                    .Case([&](ConsumerReleaseOp op) { return of(Kind::Release, numberOf(op.getPipeline())); })
                    .Default([](Operation *) { return std::nullopt; });
    if (!step)
      return;
    if (auto wait = dyn_cast<MmaWaitOp>(op)) {
      addUses(*step, op);
      auto known = values.find(wait.getResult());
      step->result = known != values.end() && known->second != noValue ? known->second : addValue(wait.getResult());
    }
    add(region, std::move(*step));
  }

  // A load by threads of which some elements may be out of bounds or masked.
  static bool isConditionalLoad(Operation *op) {
    auto ofView = dyn_cast<tileaa::LoadViewOp>(op);
    auto byAddresses = dyn_cast<tileaa::LoadPtrOp>(op);
    bool isInside = ofView && ofView.getInbounds() && llvm::all_of(*ofView.getInbounds(), [](bool in) { return in; });
    return (ofView && !isInside) || (byAddresses && byAddresses.getMask());
  }

  void describeMemory(Operation *op, predict::Access access, unsigned region) {
    using Way = predict::Access::Way;
    Step step;
    step.kind = Step::Kind::Access;
    step.index = work.accesses.size();
    bool isTma = access.way == Way::Tma;
    step.instructions[static_cast<unsigned>(Pipe::Memory)] = access.requests;
    // Addresses, comparisons with bounds, and two halves of an address that are chosen instead of that of zeros.
    double perRequest = isConditionalLoad(op) ? 5 : 3;
    step.instructions[static_cast<unsigned>(Pipe::Integer)] = isTma ? 1 : perRequest * access.requests;
    if (isTma)
      access.requests = 0; // past the caches of the threads
    addUses(step, op);
    if (access.isRead && op->getNumResults() && !isa<tileaa::TokenType>(op->getResult(0).getType()))
      step.result = addValue(op->getResult(0));
    if (auto load = dyn_cast<TmaLoadOp>(op); load && load.getShared()) {
      BufferType buffer = load.getPipeline().getType().getBuffers()[load.getIndex()];
      work.pipelines[numberOf(load.getPipeline())].shared.push_back({step.index, double(buffer.getBytes())});
    }
    work.accesses.push_back(std::move(access));
    add(region, std::move(step));
  }

  void describeLoop(scf::ForOp loop, unsigned region, unsigned depth) {
    Step step = tileaa::describeFor(loop, scalars, depth);
    step.isOverGrid = depth == 0 && (work.scalars[step.step].kind == predict::ScalarKind::Blocks ||
                                     loop.getStep().getDefiningOp<ClusterOp>());
    for (auto [argument, initial, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
      if (isa<tileaa::TokenType>(argument.getType()))
        continue;
      unsigned before = valueOf(initial);
      if (before == noValue)
        before = work.values++; // there from the start
      step.carried.push_back({before, addValue(argument), noValue, addValue(result)});
    }
    unsigned body = addRegion();
    step.regions.push_back(body);
    describeBody(loop, body, depth + 1);
    size_t next = 0;
    for (auto [argument, yielded] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues())) {
      if (isa<tileaa::TokenType>(argument.getType()))
        continue;
      unsigned value = valueOf(yielded);
      step.carried[next].yielded = value == noValue ? step.carried[next].initial : value;
      ++next;
    }
    // The loop itself is an instruction or two for each iteration.
    Step count;
    count.instructions[static_cast<unsigned>(Pipe::Integer)] = 2;
    add(body, count);
    add(region, std::move(step));
  }

  void describeBranch(scf::IfOp branch, unsigned region, unsigned depth) {
    Step step = tileaa::describeIf(branch, scalars);
    for (Region *inner : {&branch.getThenRegion(), &branch.getElseRegion()}) {
      if (inner->empty())
        continue;
      unsigned number = addRegion();
      step.regions.push_back(number);
      describeBlock(inner->front(), number, depth);
    }
    for (Value result : branch.getResults())
      step.carried.push_back({noValue, noValue, noValue, addValue(result)});
    add(region, std::move(step));
  }

  void describeWhile(scf::WhileOp loop, unsigned region, unsigned depth) {
    Step step = tileaa::describeWhile(loop, work.scalars, depth);
    unsigned body = addRegion();
    step.regions.push_back(body);
    describeBlock(loop.getBefore().front(), body, depth + 1);
    describeBlock(loop.getAfter().front(), body, depth + 1);
    add(region, std::move(step));
  }

  void describeAgents(AgentsOp agents, unsigned region) {
    ArrayRef<int32_t> count = agents.getWarps();
    warps = count[0];
    work.agents[0].warps = warps;
    describeBlock(agents.getConsumer().front(), region, 0);
    warps = agents.isProducedTogether() ? count[1] : 1;
    unsigned producer = addRegion();
    work.agents.push_back({warps, producer});
    describeBlock(agents.getProducer().front(), producer, 0);
  }

  predict::Work work;
  func::FuncOp kernel;
  const nvidia::Architecture &architecture;
  DescribeScalars scalars;
  TileSlopes slopes;
  unsigned warps = 4;
  llvm::DenseMap<Value, unsigned> values, pipelines;
};

} // namespace

predict::Work tileas::describeWork(func::FuncOp kernel) {
  return Describer(kernel).describe();
}
