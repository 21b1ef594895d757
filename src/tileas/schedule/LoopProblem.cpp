// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/LoopProblem.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

constexpr int64_t warpsOfGroup = 4;
// Of addresses, counters and places in rings.
constexpr int64_t registersOfScalars = 24;

bool looksOnly(Operation *op) {
  return isa<tileaa::BroadcastOp, tileaa::ReshapeOp, MmaWaitOp>(op);
}

bool computesTile(Operation *op) {
  return !isa<MmaWaitOp>(op) &&
         llvm::any_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); });
}

// Registers of a thread: those of its agent, or its share.
int64_t registersOfThread(scf::ForOp loop, int64_t warps) {
  if (auto agents = loop->getParentOfType<AgentsOp>(); agents && agents.getRegisters()[0])
    return agents.getRegisters()[0];
  return std::min<int64_t>(nvidia::Architecture::registersPerThread,
                           nvidia::Architecture::registersPerSm / (warps * nvidia::Architecture::warpThreads));
}

// Tiles from outside that the loop has in registers all the time.
int64_t registersOfInvariants(scf::ForOp loop) {
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(loop->getRegions(), outside);
  int64_t registers = 0;
  for (Value value : outside)
    if (isa<RankedTensorType>(value.getType()) && !matchPattern(value, m_Constant()))
      registers += registersFor(value);
  return registers;
}

} // namespace

LoopProblem::LoopProblem(scf::ForOp loop, const LoopDependences &found) : loop(loop), found(found) {
  for (Operation *op : found.ops()) {
    std::optional<OperationCost> cost = OperationCost::of(op);
    if (!cost)
      return;
    costs.push_back(*cost);
  }
  int64_t warps = warpsOf(loop->getParentOfType<func::FuncOp>());
  groups = std::max<int64_t>(1, warps / warpsOfGroup);
  registers = registersOfThread(loop, warps) - registersOfScalars - registersOfInvariants(loop);
  problem.units = unitCount;
  for (const OperationCost &cost : costs) {
    auto &uses = problem.operations.emplace_back().uses;
    if (cost.issue)
      uses.push_back({unsigned(Unit::Thread), cost.issue});
    if (cost.unit != Unit::Thread && cost.cycles)
      uses.push_back({unsigned(cost.unit), cost.cycles});
  }
  addEdges();
  addValues();
  addUnbroken();
}

void LoopProblem::addEdges() {
  for (const Dependence &one : found.all()) {
    auto isSource = [&](const LoopDependences::Source &source) {
      return source.op == one.from && source.distance == one.distance;
    };
    bool isValue = llvm::any_of(found.sourcesOf(found.ops()[one.to]), isSource);
    const OperationCost &cost = costs[one.from];
    problem.edges.push_back({one.from, one.to, isValue ? cost.latency : cost.issue, one.distance});
  }
}

LoopDependences::Source LoopProblem::rootOf(LoopDependences::Source source) const {
  while (looksOnly(found.ops()[source.op])) {
    auto inner = found.sourcesOf(found.ops()[source.op]);
    if (inner.empty())
      return source; // of what is outside
    source = {inner[0].op, source.distance + inner[0].distance, inner[0].value};
  }
  return source;
}

void LoopProblem::addValues() {
  llvm::DenseMap<Value, unsigned> numbers;
  auto valueOf = [&](const LoopDependences::Source &root) -> ModuloProblem::Value & {
    auto [place, isNew] = numbers.insert({root.value, problem.values.size()});
    if (isNew) {
      auto mma = dyn_cast<MmaOp>(found.ops()[root.op]);
      int64_t delay = mma && mma.getRunning() ? 0 : costs[root.op].issue;
      problem.values.push_back({root.op, delay, registersFor(root.value), {}});
    }
    return problem.values[place->second];
  };
  for (auto [number, op] : llvm::enumerate(found.ops())) {
    if (looksOnly(op))
      continue;
    auto mma = dyn_cast<MmaOp>(op);
    for (const LoopDependences::Source &source : found.sourcesOf(op)) {
      LoopDependences::Source root = rootOf(source);
      if (!isa<RankedTensorType>(root.value.getType()))
        continue;
      // A product that runs has taken the accumulator's registers, and holds its operand's until it is waited for.
      if (!mma || !mma.getRunning()) {
        valueOf(root).readers.push_back({unsigned(number), root.distance, costs[number].issue});
        continue;
      }
      valueOf(root).readers.push_back({unsigned(number), root.distance, 0});
      for (Operation *user : mma->getUsers()) {
        if (!isa<MmaWaitOp>(user) || user->getBlock() != loop.getBody())
          continue;
        unsigned wait = found.numberOf(user);
        if (source.value == mma.getLhs() || (isa<BlockArgument>(mma.getLhs()) && source.value != mma.getAcc())) {
          valueOf(root).readers.push_back({wait, root.distance, 0});
          // The next iteration's has the same registers if it comes later.
          wishes.push_back({wait, root.op, 1});
        }
      }
    }
  }
}

void LoopProblem::addUnbroken() {
  std::optional<unsigned> work;
  for (auto [number, op] : llvm::enumerate(found.ops())) {
    auto mma = dyn_cast<MmaOp>(op);
    if (mma && mma.getRunning()) {
      for (Operation *user : mma->getUsers())
        if (isa<MmaWaitOp>(user) && user->getBlock() == loop.getBody())
          products.push_back({unsigned(number), found.numberOf(user)});
    } else if (computesTile(op)) {
      if (work)
        problem.unbroken.push_back({*work, unsigned(number)});
      work = number;
    }
  }
  llvm::append_range(problem.unbroken, products);
}

ModuloProblem LoopProblem::withOthers() const {
  ModuloProblem all = problem;
  int64_t cycles = 0;
  for (const auto &operation : problem.operations)
    for (auto use : operation.uses)
      cycles += use.unit == unsigned(Unit::Tensor) ? use.cycles : 0;
  if (groups > 1)
    all.operations.push_back({{{unsigned(Unit::Tensor), (groups - 1) * cycles}}});
  return all;
}

// Operations of negligible latency, such as offsets and barrier tests, are scheduled in the iteration that uses them.
// Stages are released as early as possible.
void LoopProblem::bringToUses(MutableArrayRef<unsigned> stages) const {
  auto isScalar = [](Operation *op) {
    return op->getNumResults() != 0 && isMemoryEffectFree(op) &&
           llvm::all_of(op->getResultTypes(), [](Type type) { return type.isIntOrIndexOrFloat(); });
  };
  for (unsigned op = stages.size(); op-- != 0;) {
    Operation *each = found.ops()[op];
    if (!isScalar(each) && !isa<ConsumerWaitOp, ConsumerReadOp>(each))
      continue;
    unsigned latest = mostStages;
    for (const Dependence &one : found.all())
      if (one.from == op && !isa<ConsumerReleaseOp>(found.ops()[one.to]))
        latest = std::min(latest, stages[one.to] + one.distance);
    // An operation without uses is where a product is.
    stages[op] = latest == mostStages ? stages[products.front().first] : latest;
  }
  for (unsigned op = 0; op != stages.size(); ++op) {
    if (!isa<ConsumerReleaseOp>(found.ops()[op]))
      continue;
    unsigned earliest = 0;
    for (const Dependence &one : found.all())
      if (one.to == op && one.distance == 0)
        earliest = std::max(earliest, stages[one.from]);
    stages[op] = earliest;
  }
  unsigned first = *llvm::min_element(stages);
  for (unsigned &stage : stages)
    stage -= first;
}

std::optional<LoopProblem::Solution> LoopProblem::solve() const {
  size_t count = found.ops().size();
  ModuloScheduler alone(problem);
  auto program = llvm::to_vector(llvm::seq<unsigned>(0, count));
  SmallVector<unsigned> stages(count);
  int64_t serial = alone.cyclesInOrder(program, stages, unsigned(Unit::Thread));

  ModuloProblem shared = withOthers();
  auto times = ModuloScheduler(shared).schedule(registers, mostStages, 2 * groups * serial);
  if (!times)
    return std::nullopt;
  SmallVector<StepRole> roles(count);
  for (unsigned op = 0; op != count; ++op) {
    stages[op] = times->stageOf(op);
    if (isa<ConsumerReleaseOp>(found.ops()[op]))
      roles[op].kind = StepRole::Release;
  }
  for (auto [start, wait] : products) {
    int64_t at = times->starts[start] % times->interval;
    roles[start] = {StepRole::Start, at};
    roles[wait] = {StepRole::Wait, at};
  }
  bringToUses(stages);
  LoopSchedule schedule = orderStep(stages, roles, found.all(), wishes);
  if (schedule.findBroken(found.all()))
    return std::nullopt;
  SmallVector<unsigned> order;
  for (const LoopSchedule::Entry &entry : schedule.order())
    order.push_back(entry.op);
  return Solution{schedule, alone.cyclesInOrder(order, stages, unsigned(Unit::Thread)), serial};
}
