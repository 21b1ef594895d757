// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop of N iterations whose schedule has S stages becomes a loop of N-S+1 steps, each with operations of S
// iterations, between a prologue and an epilogue. At step t operations of stage s are of iteration t - s:
//
//   prologue: steps 0 to S-2      the stages whose iteration has begun
//   loop                          all stages                               N - S + 1 times
//   epilogue: steps N to N+S-2    the stages whose iteration is not over
//
// A value that operations of later steps use is an iteration argument of the loop, one for each step of its age.
#include "tileas/ir/Decisions.h"
#include "tileas/schedule/LoopDependences.h"
#include "tileas/schedule/Passes.h"
#include "tileas/schedule/SchedulableLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace tilewright {
#define GEN_PASS_DEF_TILEASMATERIALIZESCHEDULE
#include "tileas/schedule/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// The location of a step: in the prologue, the loop or the epilogue.
struct Site {
  enum Kind { Before, Inside, Behind } kind;
  unsigned step = 0; // number in the prologue, or in the epilogue from 0
  bool operator<(const Site &other) const { return std::tie(kind, step) < std::tie(other.kind, other.step); }
};

// How many products a wait leaves running: those started since its own, wherever the loop is. With few iterations, and
// at the begin and the end, they are fewer than in the middle, so all are gone through.
class RunningProducts {
public:
  RunningProducts(ArrayRef<Operation *> body, const LoopSchedule &schedule) : body(body), schedule(schedule) {
    int64_t stages = schedule.stages();
    for (int64_t iterations = stages - 1; iterations <= 2 * stages; ++iterations)
      if (iterations > 0)
        run(iterations);
  }
  int64_t leftBy(Operation *wait, Site site) const { return left.find({wait, site})->second; }

private:
  void run(int64_t iterations) {
    int64_t stages = schedule.stages(), started = 0;
    std::map<std::pair<Operation *, int64_t>, int64_t> ends; // of a product of an iteration: how many were started then
    for (int64_t step = 0; step != iterations + stages - 1; ++step)
      for (const LoopSchedule::Entry &entry : schedule.order()) {
        int64_t iteration = step - entry.stage;
        if (iteration < 0 || iteration >= iterations)
          continue;
        Operation *op = body[entry.op];
        if (auto mma = dyn_cast<MmaOp>(op)) {
          ends[{op, iteration}] = ++started;
        } else if (auto wait = dyn_cast<MmaWaitOp>(op)) {
          Site site = step < stages - 1   ? Site{Site::Before, unsigned(step)}
                      : step < iterations ? Site{Site::Inside}
                                          : Site{Site::Behind, unsigned(step - iterations)};
          int64_t running = started - ends[{wait.getRunning().getDefiningOp(), iteration}];
          auto [found, isNew] = left.insert({{op, site}, running});
          found->second = std::min(found->second, running);
        }
      }
  }

  ArrayRef<Operation *> body;
  const LoopSchedule &schedule;
  std::map<std::pair<Operation *, Site>, int64_t> left;
};

class Pipelining {
public:
  Pipelining(scf::ForOp loop, const LoopDependences &found, LoopSchedule schedule)
      : loop(loop), found(found), schedule(std::move(schedule)), stages(this->schedule.stages()), builder(loop),
        loc(loop.getLoc()), counter(loop.getInductionVar().getType()), running(found.ops(), this->schedule) {
    findOlder();
  }

  void run() {
    Value first = loop.getLowerBound(), last = loop.getUpperBound(), step = loop.getStep();
    auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value isSome = builder.createOrFold<arith::CmpIOp>(loc, less, first, last);
    Value length = builder.createOrFold<arith::SubIOp>(loc, last, first);
    Value trips = builder.createOrFold<arith::CeilDivUIOp>(loc, length, step);
    Value isLong = isSome;
    if (stages > 2) {
      isLong = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, trips, number(stages - 1));
      isLong = builder.createOrFold<arith::AndIOp>(loc, isSome, isLong);
    }
    auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), isLong, /*withElseRegion=*/true);
    loop.replaceAllUsesWith(branch.getResults());
    builder.setInsertionPointToStart(branch.thenBlock());
    finals.resize(loop.getNumResults());
    pipeline(trips);
    scf::YieldOp::create(builder, loc, finals);
    builder.setInsertionPointToStart(branch.elseBlock());
    if (stages > 2) {
      loop->removeAttr(scheduleAttr);
      loop->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
      builder.setInsertionPointToEnd(branch.elseBlock());
      scf::YieldOp::create(builder, loc, loop.getResults());
    } else {
      scf::YieldOp::create(builder, loc, loop.getInitArgs());
      loop.erase();
    }
  }

private:
  // A value of an iteration that a later step uses: a result of the body's operations or an argument of it, and its age
  // in steps.
  using Older = std::pair<Value, int64_t>;

  Value number(int64_t value) {
    return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(counter, value));
  }
  unsigned stageOf(Operation *op) const { return schedule.stageOf(found.numberOf(op)); }
  bool isOfBody(Operation *op) { return op && op->getBlock() == loop.getBody(); }
  bool isCarried(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == loop.getBody() && argument != loop.getInductionVar();
  }
  Value yieldedFor(Value argument) { return loop.getTiedLoopYieldedValue(cast<BlockArgument>(argument))->get(); }
  Value initFor(Value argument) { return loop.getTiedLoopInit(cast<BlockArgument>(argument))->get(); }

  // The age in steps of a value of the iteration that is in `stage` at this step. The value of a loop argument was
  // computed in the previous iteration.
  std::optional<int64_t> stepsSince(Value value, unsigned stage) {
    if (isCarried(value))
      return int64_t(stage) + 1 - stageOf(yieldedFor(value).getDefiningOp());
    if (isOfBody(value.getDefiningOp()))
      return int64_t(stage) - stageOf(value.getDefiningOp());
    return std::nullopt;
  }
  void findOlder() {
    auto add = [&](Value value, unsigned stage) {
      int64_t steps = stepsSince(value, stage).value_or(0);
      for (int64_t age = 1; age <= steps; ++age)
        older.insert({Older{value, age}, Value()});
    };
    for (Operation *op : found.ops())
      for (Value value : valuesOf(op))
        add(value, stageOf(op));
    // Values that the last iteration yields are used after the loop.
    for (Value argument : loop.getRegionIterArgs())
      if (stageOf(yieldedFor(argument).getDefiningOp()) == 0)
        add(argument, 0);
  }
  static SmallVector<Value> valuesOf(Operation *op) {
    SmallVector<Value> values(op->getOperands());
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::append_range(values, captured);
    return values;
  }

  // Clones the operations of a step. Their operands are values computed in it so far, and `older`.
  void doStep(Site site, unsigned firstStage, unsigned lastStage) {
    current.clear();
    for (const LoopSchedule::Entry &entry : schedule.order()) {
      if (entry.stage < firstStage || entry.stage > lastStage)
        continue;
      Operation *op = found.ops()[entry.op];
      IRMapping mapping;
      for (Value value : valuesOf(op))
        if (Value now = find(value, entry.stage, site))
          mapping.map(value, now);
      Operation *copy = builder.clone(*op, mapping);
      if (auto wait = dyn_cast<MmaWaitOp>(copy))
        wait.setPending(running.leftBy(op, site));
      for (auto [old, now] : llvm::zip_equal(op->getResults(), copy->getResults()))
        current[old] = now;
    }
    // The values of the last iteration are the results of the loop.
    if (site.kind == Site::Behind)
      for (auto [argument, final] : llvm::zip_equal(loop.getRegionIterArgs(), finals)) {
        Value yielded = yieldedFor(argument);
        if (stageOf(yielded.getDefiningOp()) == site.step + 1)
          final = current[yielded];
      }
  }
  Value find(Value value, unsigned stage, Site site) {
    if (value == loop.getInductionVar())
      return inductionAt(stage, site);
    std::optional<int64_t> steps = stepsSince(value, stage);
    if (!steps)
      return Value();
    if (isCarried(value) && site.kind == Site::Before && site.step == stage)
      return initFor(value);
    if (*steps == 0)
      return current[isCarried(value) ? yieldedFor(value) : value];
    return older.find({value, *steps})->second;
  }
  Value inductionAt(unsigned stage, Site site) {
    Value from = site.kind == Site::Before ? loop.getLowerBound() : stepInduction;
    int64_t shift = site.kind == Site::Before ? int64_t(site.step) - stage : -int64_t(stage);
    if (site.kind == Site::Behind)
      shift += site.step;
    if (shift == 0)
      return from;
    Value distance = builder.createOrFold<arith::MulIOp>(loc, loop.getStep(), number(std::abs(shift)));
    return shift > 0 ? builder.createOrFold<arith::AddIOp>(loc, from, distance)
                     : builder.createOrFold<arith::SubIOp>(loc, from, distance);
  }
  // The older values in the next step, whose number is `step` if it is in the prologue or the first in the loop.
  SmallVector<Value> ageByOne(std::optional<int64_t> step) {
    SmallVector<Value> next;
    for (auto &[key, now] : older) {
      auto [value, age] = key;
      Value source = isCarried(value) ? yieldedFor(value) : value;
      // The iteration whose value it is.
      int64_t iteration = step.value_or(0) - age + isCarried(value) - stageOf(source.getDefiningOp());
      if (step && iteration < 0)
        next.push_back(Value());
      else if (step && iteration == 0 && isCarried(value))
        next.push_back(initFor(value));
      else
        next.push_back(age == 1 ? current[source] : older.find({value, age - 1})->second);
    }
    return next;
  }
  void setOlder(ValueRange values) {
    for (auto [entry, value] : llvm::zip_equal(older, values))
      entry.second = value;
  }

  void pipeline(Value trips) {
    unsigned before = stages - 1;
    // Of a loop of one stage, only the order changes.
    if (before == 0)
      setOlder(ageByOne(0));
    for (unsigned step = 0; step != before; ++step) {
      doStep({Site::Before, step}, 0, step);
      for (auto [entry, value] : llvm::zip_equal(older, ageByOne(step + 1)))
        entry.second = value;
    }
    Value begin = loop.getLowerBound();
    if (before)
      begin = builder.createOrFold<arith::AddIOp>(
          loc, begin, builder.createOrFold<arith::MulIOp>(loc, loop.getStep(), number(before)));
    SmallVector<Value> inits;
    for (auto &[key, value] : older)
      inits.push_back(value);
    auto now = scf::ForOp::create(builder, loc, begin, loop.getUpperBound(), loop.getStep(), inits, nullptr,
                                  loop.getUnsignedCmp());
    now->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    now->removeAttr(scheduleAttr);
    {
      OpBuilder::InsertionGuard guard(builder);
      // An empty loop was given a terminator.
      now.getBody()->clear();
      builder.setInsertionPointToStart(now.getBody());
      stepInduction = now.getInductionVar();
      setOlder(now.getRegionIterArgs());
      doStep({Site::Inside}, 0, stages - 1);
      scf::YieldOp::create(builder, loc, ageByOne(std::nullopt));
    }
    setOlder(now.getResults());
    for (auto [argument, final] : llvm::zip_equal(loop.getRegionIterArgs(), finals))
      if (stageOf(yieldedFor(argument).getDefiningOp()) == 0)
        final = older.find({argument, 1})->second;
    if (before)
      stepInduction = builder.createOrFold<arith::AddIOp>(
          loc, loop.getLowerBound(), builder.createOrFold<arith::MulIOp>(loc, trips, loop.getStep()));
    for (unsigned step = 0; step != before; ++step) {
      doStep({Site::Behind, step}, step + 1, stages - 1);
      setOlder(ageByOne(std::nullopt));
    }
  }

  scf::ForOp loop;
  const LoopDependences &found;
  LoopSchedule schedule;
  unsigned stages;
  IRRewriter builder;
  Location loc;
  Type counter;
  RunningProducts running;
  llvm::MapVector<Older, Value> older;
  DenseMap<Value, Value> current;
  SmallVector<Value> finals;
  Value stepInduction; // of the step in the loop, or of the first in the epilogue
};

class MaterializeSchedule : public tilewright::impl::TileasMaterializeScheduleBase<MaterializeSchedule> {
public:
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      if (loop->hasAttr(scheduleAttr))
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      if (failed(materialize(loop)))
        return signalPassFailure();
    // Steps have several parts of one number, and nothing names them any more.
    getOperation().walk([](Operation *op) { op->removeAttr(isa<scf::ForOp>(op) ? serialAttr : numberAttr); });
  }

private:
  static LogicalResult materialize(scf::ForOp loop) {
    auto attribute = loop->getAttrOfType<ScheduleAttr>(scheduleAttr);
    auto found = LoopDependences::of(loop);
    if (!found)
      return loop.emitError() << "has a schedule, but effects that cannot change places";
    auto schedule = followItems(*found, attribute.getItems());
    if (!schedule)
      return loop.emitError() << "has an impossible schedule: " << llvm::toString(schedule.takeError());
    Pipelining(loop, *found, std::move(*schedule)).run();
    return success();
  }
};

} // namespace
