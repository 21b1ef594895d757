// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages of pipelines without agents. Their order is in numbers: of a stage, of groups that are committed, of
// groups that a wait leaves pending. So the function is executed as far as these numbers go: a loop that copies or
// waits for as many iterations as take a ring round twice, unless it has fewer; the loops around it twice; and of a
// branch whose condition is unknown the first side with operations of pipelines.
//
//   async_load into %p[0]; async_commit; async_load into %p[1]; async_commit       groups 0 and 1
//   async_wait 1                                                                   group 0 has completed
//   read %p[0]                                                                     legal; %p[1] would not be
#include "tileas/verify/Verifier.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// A buffer of a stage.
struct Place {
  Value pipeline;
  int64_t stage = 0, index = 0;

  bool operator<(const Place &other) const {
    return std::tuple(pipeline.getAsOpaquePointer(), stage, index) <
           std::tuple(other.pipeline.getAsOpaquePointer(), other.stage, other.index);
  }
};

// Whether the threads that read a tile are those that copied it, each its own elements.
bool isByCopiers(Operation *read, Operation *copy, int64_t warps) {
  auto tile = isa_and_nonnull<ReadOp>(read) ? dyn_cast<RankedTensorType>(read->getResult(0).getType()) : nullptr;
  if (!tile || !copy)
    return false;
  auto ofView = dyn_cast<AsyncLoadOp>(copy);
  const layout::LinearLayout &copier =
      ofView ? ofView.getLayout().getLayout() : layoutOf(cast<AsyncLoadPtrOp>(copy).getAddresses());
  using layout::Dim;
  return layoutOf(tile) == copier && copier.inputBits(Dim::Lane) == 5 &&
         int64_t(copier.inputSize(Dim::Warp)) == warps && !copier.redundantBits(Dim::Lane) &&
         !copier.redundantBits(Dim::Warp);
}

// The accesses to a buffer that are not known to have ended.
struct Content {
  bool isFilled = false;
  Operation *copy = nullptr;      // under way; null when it has completed
  Operation *own = nullptr;       // a copy that each thread has waited for by itself, which no barrier has followed yet
  std::optional<int64_t> group;   // that the copy belongs to, once it is committed
  Operation *write = nullptr;     // by threads, which no barrier has followed yet
  Operation *read = nullptr;      // by threads or products, which no barrier has followed yet
  std::optional<int64_t> product; // the number of the running product that reads it
};

class StageCopies {
public:
  explicit StageCopies(Verifier &verifier) : verifier(verifier) {}

  void check() {
    verifier.function.walk([&](CreatePipelineOp create) {
      if (create.getConsumers() == 0)
        for (Operation *user : create->getUsers()) {
          addLoops(user, 2 * create.getPipeline().getType().getStages() + 2);
          if (isa<StageOp>(user))
            for (Operation *reader : user->getUsers())
              addLoops(reader, 2);
        }
    });
    if (!iterations.empty())
      execute(verifier.function.getBody().front());
  }

private:
  // The loops around an operation: the innermost one takes rings round.
  void addLoops(Operation *op, int64_t count) {
    iterations.try_emplace(verifier.function, 1);
    for (Operation *parent = op->getParentOp(); parent != verifier.function; parent = parent->getParentOp()) {
      withPipelines.insert(op->getParentRegion());
      op = parent;
      int64_t &known = iterations[parent];
      known = std::max(known, count);
      if (isa<LoopLikeOpInterface>(parent))
        count = 2;
    }
  }

  void report(Operation *op, const Twine &fault, Operation *earlier) {
    if (!reported.insert(op).second)
      return;
    InFlightDiagnostic error = verifier.report(op, "asynchronous-copy");
    error << fault;
    if (earlier)
      error.attachNote(earlier->getLoc()) << "the earlier access";
  }

  //===-- numbers ---------------------------------------------------------===//

  std::optional<int64_t> numberOf(Value value) const {
    auto found = numbers.find(value);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
  }
  void set(Value value, std::optional<int64_t> number) {
    if (number)
      numbers[value] = *number;
    else
      numbers.erase(value);
  }
  void forward(ValueRange from, ValueRange to) {
    SmallVector<std::optional<int64_t>> content;
    for (Value value : from)
      content.push_back(numberOf(value));
    for (auto [value, number] : llvm::zip_equal(to, content))
      set(value, number);
  }

  void step(arith::ConstantOp constant) {
    if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
      set(constant, number.getValue().getSExtValue());
  }
  void step(arith::AddIOp sum) {
    auto a = numberOf(sum.getLhs()), b = numberOf(sum.getRhs());
    set(sum, a && b ? std::optional(*a + *b) : std::nullopt);
  }
  void step(arith::SubIOp difference) {
    auto a = numberOf(difference.getLhs()), b = numberOf(difference.getRhs());
    set(difference, a && b ? std::optional(*a - *b) : std::nullopt);
  }
  void step(arith::CmpIOp compared) {
    auto a = numberOf(compared.getLhs()), b = numberOf(compared.getRhs());
    auto number = [](int64_t value) { return llvm::APInt(64, value, /*isSigned=*/true); };
    set(compared,
        a && b ? std::optional<int64_t>(arith::applyCmpPredicate(compared.getPredicate(), number(*a), number(*b)))
               : std::nullopt);
  }
  void step(arith::SelectOp select) {
    std::optional<int64_t> condition = numberOf(select.getCondition());
    Value chosen = condition.value_or(1) ? select.getTrueValue() : select.getFalseValue();
    set(select, condition ? numberOf(chosen) : std::nullopt);
  }

  //===-- control flow ----------------------------------------------------===//

  void execute(Block &block) {
    for (Operation &op : block)
      llvm::TypeSwitch<Operation *>(&op)
          .Case<arith::ConstantOp, arith::AddIOp, arith::SubIOp, arith::CmpIOp, arith::SelectOp, scf::ForOp, scf::IfOp,
                scf::WhileOp, AsyncLoadOp, AsyncLoadPtrOp, AsyncCommitOp, AsyncWaitOp, StageOp, CreatePipelineOp,
                BarrierOp, MmaOp, MmaWaitOp, WriteOp, ReadOp>([&](auto op) { step(op); })
          .Case([&](AgentsOp agents) { execute(agents.getConsumer().front()); });
  }
  // Of a loop or branch without any operation of a pipeline nothing is known.
  bool skip(Operation *op) {
    if (iterations.contains(op))
      return false;
    for (Value result : op->getResults())
      set(result, std::nullopt);
    return true;
  }

  void step(scf::ForOp loop) {
    if (skip(loop))
      return;
    int64_t trips = iterations.lookup(loop);
    if (std::optional<llvm::APInt> known = loop.getStaticTripCount())
      trips = known->getLimitedValue(trips);
    forward(loop.getInitArgs(), loop.getRegionIterArgs());
    for (int64_t trip = 0; trip != trips; ++trip) {
      execute(*loop.getBody());
      forward(loop.getYieldedValues(), loop.getRegionIterArgs());
    }
    forward(loop.getRegionIterArgs(), loop.getResults());
  }
  void step(scf::WhileOp loop) {
    if (skip(loop))
      return;
    forward(loop.getInits(), loop.getBeforeArguments());
    for (int64_t trip = 0; trip != 2; ++trip) {
      execute(*loop.getBeforeBody());
      forward(loop.getConditionOp().getArgs(), loop.getAfterArguments());
      execute(*loop.getAfterBody());
      forward(loop.getYieldOp().getResults(), loop.getBeforeArguments());
    }
    execute(*loop.getBeforeBody());
    forward(loop.getConditionOp().getArgs(), loop.getResults());
  }
  void step(scf::IfOp branch) {
    if (skip(branch))
      return;
    bool isFirst = numberOf(branch.getCondition()).value_or(withPipelines.contains(&branch.getThenRegion()));
    Block *side = isFirst ? branch.thenBlock() : branch.elseBlock();
    if (!side)
      return;
    execute(*side);
    forward(side->getTerminator()->getOperands(), branch.getResults());
  }

  //===-- copies ----------------------------------------------------------===//

  std::optional<Place> placeOf(Value pipeline, Value stage, int64_t index) const {
    std::optional<int64_t> number = numberOf(stage);
    return number ? std::optional(Place{pipeline, *number, index}) : std::nullopt;
  }

  void step(CreatePipelineOp create) {
    for (auto &[place, content] : contents)
      if (place.pipeline == create.getPipeline())
        content = {};
  }

  template <typename Load> void startCopy(Load load) {
    if (load.getCondition() && numberOf(load.getCondition()) == 0)
      return;
    std::optional<Place> place = placeOf(load.getPipeline(), load.getStage(), load.getIndex());
    if (!place)
      return;
    fill(load, contents[*place]).copy = load;
  }
  Content &fill(Operation *op, Content &content) {
    // A thread fills the bytes again that it has read itself.
    if (content.read && !isByCopiers(content.read, op, verifier.warps))
      report(op, "fills a stage that other threads may still read: expected a tileas.async_wait between them",
             content.read);
    content = Content();
    content.isFilled = true;
    return content;
  }
  void step(AsyncLoadOp load) { startCopy(load); }
  void step(AsyncLoadPtrOp load) {
    if (!load.isByProducer())
      startCopy(load);
  }

  void step(AsyncCommitOp) {
    for (auto &[place, content] : contents)
      if (content.copy && !content.group)
        content.group = groups;
    ++groups;
  }

  void step(AsyncWaitOp wait) {
    for (auto &[place, content] : contents)
      if (content.group && *content.group < groups - int64_t(wait.getPending()))
        content.own = std::exchange(content.copy, nullptr), content.group.reset();
    if (wait.getProducts())
      endProducts(*wait.getProducts());
    if (wait.isBarrier())
      passBarrier();
  }

  //===-- reads -----------------------------------------------------------===//

  void step(StageOp stage) {
    if (std::optional<Place> place = placeOf(stage.getPipeline(), stage.getStage(), stage.getIndex()))
      places[stage.getBuffer()] = *place;
    else
      places.erase(stage.getBuffer());
  }
  Content *contentOf(Value buffer) {
    auto found = places.find(buffer);
    return found == places.end() ? nullptr : &contents[found->second];
  }

  void read(Operation *op, Value buffer, std::optional<int64_t> product) {
    Content *content = contentOf(buffer);
    if (!content)
      return;
    if (!content->isFilled)
      report(op, "reads a stage that nothing has been copied into", nullptr);
    else if (content->copy)
      report(op, "reads a stage before the group of its copies is known to be complete", content->copy);
    else if (content->own && !isByCopiers(op, content->own, verifier.warps))
      report(op, "reads elements of a stage that other threads have copied: expected a tileas.async_wait without `own`",
             content->own);
    else if (content->write)
      report(op, "reads a stage that other threads write: expected a tileas.async_wait between them", content->write);
    content->read = op;
    content->product = product;
  }
  void step(ReadOp op) { read(op, op.getBuffer(), std::nullopt); }
  void step(WriteOp op) {
    if (Content *content = contentOf(op.getBuffer()))
      fill(op, *content).write = op;
  }
  void step(MmaOp mma) {
    std::optional<int64_t> product;
    if (mma.getRunning())
      product = products++;
    else if (mma.getAtom().getKind() == AtomKind::Wgmma)
      endProducts(0);
    for (Value operand : {mma.getLhs(), mma.getRhs()})
      read(mma, operand, product);
  }
  void step(MmaWaitOp wait) { endProducts(wait.getPending()); }

  void endProducts(int64_t pending) {
    for (auto &[place, content] : contents)
      if (content.product && *content.product < products - pending)
        content.product.reset();
  }
  void step(BarrierOp) { passBarrier(); }
  void passBarrier() {
    for (auto &[place, content] : contents) {
      content.write = nullptr;
      content.own = nullptr;
      if (!content.product)
        content.read = nullptr;
    }
  }

  Verifier &verifier;
  llvm::DenseSet<Region *> withPipelines;
  llvm::DenseMap<Operation *, int64_t> iterations; // of the loops and branches with operations of pipelines
  int64_t groups = 0, products = 0;                // so far
  llvm::DenseMap<Value, int64_t> numbers;
  llvm::DenseMap<Value, Place> places; // of buffers
  std::map<Place, Content> contents;
  llvm::SmallPtrSet<Operation *, 8> reported;
};

} // namespace

void tileas::checkStageCopies(Verifier &verifier) {
  StageCopies(verifier).check();
}
