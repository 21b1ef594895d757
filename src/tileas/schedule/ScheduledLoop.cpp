// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/ScheduledLoop.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// Of an operation whose place nothing has decided yet.
constexpr unsigned open = ~0u;

} // namespace

bool tileas::computesTile(Operation *op) {
  return !isa<MmaWaitOp>(op) &&
         llvm::any_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); });
}

bool tileas::holdsRegisters(MmaOp running, Value operand) {
  return operand == running.getLhs() || (isa<BlockArgument>(running.getLhs()) && operand != running.getAcc());
}

ScheduledLoop::ScheduledLoop(const LoopDependences &found) : found(found) {
  for (auto [number, op] : llvm::enumerate(found.ops()))
    if (isRunningProduct(op))
      for (Operation *user : op->getUsers())
        if (isa<MmaWaitOp>(user) && user->getBlock() == op->getBlock())
          running.push_back({unsigned(number), found.numberOf(user)});
  addWishes();
}

// The next iteration computes a product's operand in registers behind the wait for it, to have the same registers.
void ScheduledLoop::addWishes() {
  for (const RunningProduct &product : running) {
    auto mma = cast<MmaOp>(found.ops()[product.start]);
    for (const LoopDependences::Source &source : found.sourcesOf(mma))
      if (LoopDependences::Source root = found.rootOf(source);
          isa<RankedTensorType>(root.value.getType()) && holdsRegisters(mma, source.value))
        wishes.push_back({product.wait, root.op, 1});
  }
}

SmallVector<unsigned> ScheduledLoop::stagesOf(ArrayRef<RunningProduct> products, unsigned work) const {
  SmallVector<unsigned> stages(found.ops().size(), open);
  for (auto [number, op] : llvm::enumerate(found.ops()))
    if (computesTile(op))
      stages[number] = work;
  for (const RunningProduct &product : products)
    stages[product.start] = stages[product.wait] = product.stage;
  auto isRelease = [&](unsigned op) { return isa<ConsumerReleaseOp>(found.ops()[op]); };
  auto isByRule = [&](unsigned op) {
    return !computesTile(found.ops()[op]) && !isa<MmaWaitOp>(found.ops()[op]) && !isRelease(op);
  };
  // As late as their uses, of which those of the next iteration may come later in the program.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Dependence &one : llvm::reverse(found.all()))
      if (isByRule(one.from) && one.from != one.to && !isRelease(one.to) && stages[one.to] != open &&
          stages[one.to] + one.distance < stages[one.from])
        stages[one.from] = stages[one.to] + one.distance, changed = true;
  }
  for (unsigned op = 0; op != stages.size(); ++op)
    if (stages[op] == open && !isRelease(op))
      stages[op] = products.empty() ? work : products.front().stage; // without uses
  for (unsigned op = 0; op != stages.size(); ++op) {
    if (!isRelease(op))
      continue;
    stages[op] = 0;
    for (const Dependence &one : found.all())
      if (one.to == op && one.distance == 0)
        stages[op] = std::max(stages[op], stages[one.from]);
  }
  return stages;
}

SmallVector<StepRole> ScheduledLoop::rolesAt(ArrayRef<int64_t> starts) const {
  SmallVector<StepRole> roles(found.ops().size());
  for (auto [number, op] : llvm::enumerate(found.ops()))
    if (isa<ConsumerReleaseOp>(op))
      roles[number].kind = StepRole::Release;
    else if (!computesTile(op))
      roles[number].kind = StepRole::Number;
  for (auto [place, product] : llvm::enumerate(running)) {
    int64_t at = starts.empty() ? 0 : starts[place];
    roles[product.start] = {StepRole::Start, at};
    roles[product.wait] = {StepRole::Wait, at};
  }
  return roles;
}

llvm::Expected<LoopSchedule> ScheduledLoop::follow(ArrayRef<ScheduleItem> items) const {
  LoopParts parts = found.parts();
  SmallVector<RunningProduct> products(running);
  SmallVector<StepItem> step;
  for (const ScheduleItem &item : items) {
    if (item.verb == ScheduleVerb::Work) {
      step.push_back({item.verb});
      continue;
    }
    unsigned op = found.numberOf(parts.find(item.name));
    auto product = llvm::find_if(products, [&](const RunningProduct &each) { return each.start == op; });
    if (item.verb == ScheduleVerb::Start)
      product->stage = item.age;
    step.push_back({item.verb, item.verb == ScheduleVerb::Wait ? product->wait : op});
  }
  SmallVector<unsigned> stages = stagesOf(products, ageOfWork(items));
  SmallVector<StepRole> roles = rolesAt({});
  StepProblem problem{stages, roles, found.all(), wishes};
  for (const Dependence &one : found.all())
    if (stages[one.to] + one.distance < stages[one.from])
      return found.errorOf(one);
  if (auto early = findEarlyItem(problem, step))
    return found.errorOf({early->second, early->first, 0});
  LoopSchedule schedule = orderStep(problem, step);
  if (const Dependence *broken = schedule.findBroken(found.all()))
    return found.errorOf(*broken);
  return schedule;
}

SmallVector<ScheduleItem> ScheduledLoop::overlap(ArrayRef<unsigned> stages, ArrayRef<int64_t> starts,
                                                 unsigned work) const {
  LoopParts parts = found.parts();
  SmallVector<StepRole> roles = rolesAt(starts);
  SmallVector<ScheduleItem> items;
  for (const StepItem &item : overlapStep({stages, roles, found.all(), wishes})) {
    if (item.verb == ScheduleVerb::Work) {
      items.push_back({item.verb, {Part::Kernel}, work});
      continue;
    }
    Operation *op = found.ops()[item.op];
    auto wait = dyn_cast<MmaWaitOp>(op);
    PartName name = *parts.nameOf(wait ? wait.getRunning().getDefiningOp() : op);
    items.push_back({item.verb, name, wait ? 0 : stages[item.op]});
  }
  // The rest is work anyway, of iteration i where no other one is named.
  if (items.back().verb == ScheduleVerb::Work &&
      (work == 0 || llvm::count_if(items, [](const auto &item) { return item.verb == ScheduleVerb::Work; }) > 1))
    items.pop_back();
  return items;
}
