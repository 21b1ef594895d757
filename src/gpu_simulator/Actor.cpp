// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/Actor.h"

#include "gpu_simulator/TileBlock.h"
#include "interpreter/Context.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

Actor::Actor(SimulatedKernel &kernel, TileBlock &block, unsigned number, WarpGroup group, bool isProducer)
    : kernel(kernel), block(block), number(number), group(group), isProducer(isProducer), values(kernel.numValues()) {
  clock.set(block.inCluster(number), 0);
}

std::string Actor::name() const {
  if (isProducer)
    return "the producer" + block.ofCluster();
  if (group.count == 1)
    return "warp " + std::to_string(group.first) + block.ofCluster();
  return "warps " + std::to_string(group.first) + " to " + std::to_string(group.first + group.count - 1) +
         block.ofCluster();
}

Event Actor::makeEvent(Operation *op) {
  uint32_t inCluster = block.inCluster(number);
  clock.set(inCluster, ++time);
  return {inCluster, time, op};
}

uint32_t Actor::makeAccess(Operation *op, Operation *owner) {
  Event event = makeEvent(op);
  event.owner = owner;
  return block.shared.addEvent(event);
}

std::string Actor::does(llvm::StringRef what) const {
  if (group.count > 1 && !isProducer)
    what.consume_back("s");
  return name() + " " + what.str();
}

llvm::Error Actor::takeFault(Operation *op) {
  if (block.global.missing())
    return block.missingMemory(op);
  return fault.empty() ? llvm::Error::success() : interpreter::errorAt(op, fault);
}

void Actor::refuse(const llvm::Twine &message) {
  if (fault.empty())
    fault = message.str();
}

//===-- values ------------------------------------------------------------===//

const Holding *Actor::holdingOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? &kernel.holding(tile, group) : nullptr;
}

Tile Actor::tileAs(mlir::Value value, const Holding *wanted) {
  const Tile &tile = this->tile(value);
  if (!wanted || !tile.holding || tile.holding == wanted)
    return tile;
  std::vector<Bits> bits(wanted->size());
  for (auto [place, element] : llvm::enumerate(wanted->elements)) {
    if (!tile.holding->holds(element)) {
      refuse("needs element " + llvm::Twine(element) + " of an operand, which " + name() +
             " cannot have: expected a tileas.convert_layout, or a buffer, between them");
      break;
    }
    bits[place] = (*tile.bits)[tile.holding->places[element]];
  }
  return Tile(tile.element, wanted, std::move(bits));
}

llvm::ArrayRef<uint32_t> Actor::originalsOf(const Tile &tile) {
  static constexpr uint32_t only[] = {0};
  if (tile.holding)
    return tile.holding->originals;
  return isFirst() ? llvm::ArrayRef<uint32_t>(only) : llvm::ArrayRef<uint32_t>();
}

llvm::SmallVector<SimulatedValue, 4> Actor::copy(ValueRange range) {
  llvm::SmallVector<SimulatedValue, 4> contents;
  for (mlir::Value value : range)
    contents.push_back(get(value));
  return contents;
}

void Actor::assign(ValueRange range, llvm::SmallVectorImpl<SimulatedValue> &contents) {
  for (auto [value, content] : llvm::zip_equal(range, contents))
    set(value, std::move(content));
}

//===-- control flow ------------------------------------------------------===//

void Actor::begin(Region &region, Operation *owner) {
  levels.push_back({&region.front(), region.front().begin(), owner});
}

void Actor::enter(Region &region) {
  begin(region, nullptr);
}

// Of a loop that counts; false at its end.
bool Actor::beginIteration(Level &level) {
  auto loop = cast<scf::ForOp>(level.owner);
  Element element = elementOfType(loop.getInductionVar().getType());
  auto isBelow = [&](Bits a, Bits b) {
    return loop.getUnsignedCmp() ? a < b : interpreter::signExtend(a, element) < interpreter::signExtend(b, element);
  };
  if (!isBelow(level.index, level.upper))
    return false;
  set(loop.getInductionVar(), Tile::scalar(element, level.index));
  Bits next = interpreter::truncate(level.index + level.step, element);
  level.index = isBelow(level.index, next) ? next : level.upper;
  level.next = level.block->begin();
  return true;
}

void Actor::follow(scf::ForOp loop) {
  auto initial = copy(loop.getInitArgs());
  begin(loop.getRegion(), loop);
  Level &level = levels.back();
  level.index = tile(loop.getLowerBound()).bits->front();
  level.upper = tile(loop.getUpperBound()).bits->front();
  level.step = tile(loop.getStep()).bits->front();
  if (beginIteration(level)) {
    assign(loop.getRegionIterArgs(), initial);
  } else {
    levels.pop_back();
    assign(loop.getResults(), initial);
  }
}

void Actor::follow(scf::IfOp branch) {
  Region &region = tile(branch.getCondition()).bits->front() ? branch.getThenRegion() : branch.getElseRegion();
  if (!region.empty())
    begin(region, branch);
}

void Actor::follow(scf::WhileOp loop) {
  auto initial = copy(loop.getInits());
  begin(loop.getBefore(), loop);
  assign(loop.getBeforeArguments(), initial);
}

void Actor::follow(scf::ConditionOp condition) {
  auto loop = cast<scf::WhileOp>(levels.back().owner);
  auto carried = copy(condition.getArgs());
  bool goesOn = tile(condition.getCondition()).bits->front();
  levels.pop_back();
  if (goesOn)
    begin(loop.getAfter(), loop);
  assign(goesOn ? ValueRange(loop.getAfterArguments()) : ValueRange(loop.getResults()), carried);
}

void Actor::follow(scf::YieldOp yield) {
  auto carried = copy(yield.getResults());
  Operation *owner = levels.back().owner;
  if (auto loop = dyn_cast<scf::WhileOp>(owner)) {
    levels.pop_back();
    begin(loop.getBefore(), loop);
    assign(loop.getBeforeArguments(), carried);
  } else if (auto loop = dyn_cast<scf::ForOp>(owner); loop && beginIteration(levels.back())) {
    assign(loop.getRegionIterArgs(), carried);
  } else {
    levels.pop_back();
    assign(owner->getResults(), carried);
  }
}

void Actor::follow(tileaa::YieldOp yield) {
  bodyResults.clear();
  for (mlir::Value value : yield.getValues())
    bodyResults.push_back(tile(value));
  levels.pop_back();
}

// Whether the operation is one of control flow, which has then been followed.
bool Actor::control(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<scf::ForOp, scf::IfOp, scf::WhileOp, scf::ConditionOp, scf::YieldOp, tileaa::YieldOp>(
          [&](auto op) { return follow(op), true; })
      .Case([&](func::ReturnOp) { return levels.clear(), true; })
      .Default(false);
}

const Actor::RunningProduct *Actor::findRunning(mlir::Value value) {
  auto *tile = std::get_if<Tile>(&get(value));
  auto found = llvm::find_if(running, [&](auto &product) { return tile && tile->bits == product.result; });
  return found == running.end() ? nullptr : &*found;
}

llvm::Error Actor::checkRunning(Operation *op) {
  // Operations that only forward values do not read them.
  if (running.empty() || op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
      isa<tileas::MmaOp, tileas::MmaWaitOp>(op))
    return llvm::Error::success();
  for (mlir::Value operand : op->getOperands())
    if (const RunningProduct *product = findRunning(operand))
      return llvm::createStringError(render(op->getLoc(), "error",
                                            "read before data: " + does("uses") +
                                                " the result of a product that is running: expected a "
                                                "tileas.mma_wait before") +
                                     render(product->op->getLoc(), "note", "started here"));
  return llvm::Error::success();
}

llvm::Error Actor::checkState(tileas::PipelineStep step, const RingPlace &place) {
  if (!step.getState())
    return llvm::Error::success();
  const auto &state = std::get<RingPlace>(get(step.getState()));
  if (state.stage == place.stage && state.parity == place.parity)
    return llvm::Error::success();
  auto text = [](const RingPlace &at) {
    return "stage " + std::to_string(at.stage) + " and parity " + std::to_string(at.parity);
  };
  return interpreter::errorAt(step, "is given a state of " + text(state) + ", expected " + text(place) + ", where " +
                                        name() + (group.count > 1 && !isProducer ? " are" : " is"));
}

llvm::Error Actor::execute(Operation *op) {
  if (llvm::Error error = block.countStep(op))
    return error;
  if (llvm::Error error = checkRunning(op))
    return error;
  if (control(op))
    return llvm::Error::success();
  const Handler *handler = handlers().find(op->getName());
  if (!handler)
    return interpreter::errorAt(op, "the simulator does not know '" + op->getName().getStringRef() + "'");
  if (llvm::Error error = (*handler)(op, *this))
    return error;
  return takeFault(op);
}

// While more than `depth` regions are open.
llvm::Error Actor::run(size_t depth) {
  while (levels.size() > depth) {
    Level &level = levels.back();
    if (level.next == level.block->end()) { // of a region without a terminator: an agent's work is done
      levels.clear();
      break;
    }
    Operation *op = &*level.next;
    if (isVisible(op))
      break;
    ++level.next;
    if (llvm::Error error = execute(op))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error Actor::advance() {
  return run(0);
}

llvm::Error Actor::runBody(Region &body, llvm::SmallVectorImpl<Tile> &yielded) {
  size_t depth = levels.size();
  begin(body, nullptr);
  if (llvm::Error error = run(depth))
    return error;
  yielded.assign(bodyResults.begin(), bodyResults.end());
  return llvm::Error::success();
}

const HandlerTable &simulator::handlers() {
  static const HandlerTable table = [] {
    HandlerTable table;
    registerIntegerOps(table);
    registerFloatOps(table);
    registerConvertOps(table);
    registerShapeOps(table);
    registerFoldOps(table);
    registerMemoryOps(table);
    registerValueOps(table);
    registerSharedOps(table);
    return table;
  }();
  return table;
}
