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

LoopProblem::LoopProblem(scf::ForOp loop, const LoopDependences &found) : loop(loop), found(found), scheduled(found) {
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
    if (onlyReinterprets(op))
      continue;
    auto mma = dyn_cast<MmaOp>(op);
    for (const LoopDependences::Source &source : found.sourcesOf(op)) {
      LoopDependences::Source root = found.rootOf(source);
      if (!isa<RankedTensorType>(root.value.getType()))
        continue;
      // A product that runs has taken the accumulator's registers, and holds its operand's until it is waited for.
      if (!mma || !mma.getRunning()) {
        valueOf(root).readers.push_back({unsigned(number), root.distance, costs[number].issue});
        continue;
      }
      valueOf(root).readers.push_back({unsigned(number), root.distance, 0});
      for (const RunningProduct &product : scheduled.products())
        if (product.start == number && holdsRegisters(mma, source.value))
          valueOf(root).readers.push_back({product.wait, root.distance, 0});
    }
  }
}

void LoopProblem::addUnbroken() {
  for (auto [number, op] : llvm::enumerate(found.ops())) {
    if (isRunningProduct(op) || !computesTile(op))
      continue;
    if (work)
      problem.unbroken.push_back({*work, unsigned(number)});
    work = number;
  }
  for (const RunningProduct &product : scheduled.products())
    problem.unbroken.push_back({product.start, product.wait});
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

std::optional<LoopProblem::Solution> LoopProblem::solve() const {
  size_t count = found.ops().size();
  auto program = llvm::to_vector(llvm::seq<unsigned>(0, count));
  SmallVector<unsigned> stages(count);
  int64_t serial = ModuloScheduler(problem).cyclesInOrder(program, stages, unsigned(Unit::Thread));
  ModuloProblem shared = withOthers();
  auto times = ModuloScheduler(shared).schedule(registers, mostStages, 2 * groups * serial);
  return times ? solutionAt(*times, serial) : std::nullopt;
}

std::optional<LoopProblem::Solution> LoopProblem::solutionAt(const ModuloSchedule &times, int64_t serialCycles) const {
  SmallVector<RunningProduct> products(scheduled.products());
  SmallVector<int64_t> starts;
  unsigned ageOfWork = work ? times.stageOf(*work) : mostStages;
  unsigned first = ageOfWork;
  for (RunningProduct &product : products) {
    product.stage = times.stageOf(product.start);
    first = std::min(first, product.stage);
    starts.push_back(times.starts[product.start] % times.interval);
  }
  for (RunningProduct &product : products)
    product.stage -= first;
  ageOfWork = work ? ageOfWork - first : 0;
  SmallVector<unsigned> stages = scheduled.stagesOf(products, ageOfWork);
  SmallVector<ScheduleItem> items = scheduled.overlap(stages, starts, ageOfWork);
  auto schedule = scheduled.follow(items);
  if (!schedule) {
    llvm::consumeError(schedule.takeError());
    return std::nullopt;
  }
  SmallVector<unsigned> order;
  for (const LoopSchedule::Entry &entry : schedule->order())
    order.push_back(entry.op);
  int64_t cycles = ModuloScheduler(problem).cyclesInOrder(order, stages, unsigned(Unit::Thread));
  return Solution{std::move(items), cycles, serialCycles};
}
