// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/work/DescribeWork.h"

#include "cpu/work/DescribeLoop.h"
#include "cpu/work/ElementCost.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tileaa/analysis/DescribeControl.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using predict::Access;
using predict::noValue;
using predict::ScalarKind;
using predict::Step;

namespace {

class Describer {
public:
  explicit Describer(func::FuncOp kernel)
      : kernel(kernel), plan(Plan::of(kernel)),
        scalars(kernel, work.scalars, kernel.getNumArguments(), kernel.getNumArguments()) {}

  predict::Work describe() {
    work.name = kernel.getName();
    work.threads = 1;
    unsigned main = addRegion();
    work.agents.push_back({1, main});
    describeBlock(kernel.getBody().front(), main, 0);
    return std::move(work);
  }

private:
  unsigned addRegion() {
    work.regions.emplace_back();
    return work.regions.size() - 1;
  }
  void add(unsigned region, Step step) { work.regions[region].steps.push_back(std::move(step)); }

  // Parts and other shapes of a tile stand for it.
  unsigned valueOf(Value value) {
    if (auto found = values.find(value); found != values.end())
      return found->second;
    Operation *op = value.getDefiningOp();
    unsigned number = noValue;
    if (op && op->getNumRegions() == 0 && op->getDialect()->getNamespace() == "tensor" && op->getNumOperands())
      number = valueOf(op->getOperand(0));
    return values[value] = number;
  }
  unsigned addValue(Value value) { return values[value] = work.values++; }
  void addUse(Step &step, Value value) {
    if (unsigned number = valueOf(value); number != noValue && !llvm::is_contained(step.uses, number))
      step.uses.push_back(number);
  }

  void describeBlock(Block &block, unsigned region, unsigned depth) {
    for (Operation &op : block)
      describe(&op, region, depth);
  }

  void describe(Operation *op, unsigned region, unsigned depth) {
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](tileaa::LoadViewOp load) { describeLoad(load, region); })
        .Case([&](tileaa::StoreViewOp store) { describeStore(store, region); })
        .Case([&](linalg::GenericOp loop) {
          describeElements(loop, region);
          Step step = describeLoop(loop, plan);
          step.kept = keptAccess(loop);
          addStep(loop, std::move(step), region);
        })
        .Case([&](linalg::FillOp fill) { addStep(fill, describeFill(fill, plan), region); })
        .Case([&](ScanOp scan) { addStep(scan, describeScan(scan, plan), region); })
        .Case([&](PackWordsOp pack) {
          Step step = describePack(pack, plan);
          step.kept = keptAccess(pack);
          addStep(pack, std::move(step), region);
        })
        .Case([&](MmaOp mma) {
          Step step = describeProduct(mma, plan);
          addLimits(mma, step);
          addStep(mma, std::move(step), region);
        })
        .Case([&](scf::ForOp loop) { describeLoopOfBlock(loop, region, depth); })
        .Case([&](scf::IfOp branch) { describeBranch(branch, region, depth); })
        .Case([&](scf::WhileOp loop) { describeWhile(loop, region, depth); });
  }

  void addStep(Operation *op, Step step, unsigned region) {
    auto loop = dyn_cast<linalg::LinalgOp>(op);
    for (Value operand : loop ? SmallVector<Value>(loop.getDpsInputs()) : SmallVector<Value>(op->getOperands()))
      addUse(step, operand);
    if (auto elements = elementsOf.find(op); elements != elementsOf.end())
      step.uses.push_back(elements->second);
    if (op->getNumResults()) {
      step.result = addValue(op->getResult(0));
      for (Value result : llvm::drop_begin(op->getResults()))
        values[result] = step.result;
    }
    add(region, std::move(step));
  }

  //===-- memory ------------------------------------------------------------===//

  Access ofView(Value view, ValueRange offsets, ArrayRef<int64_t> dimMap, Type tile) {
    Access access;
    access.elementBits = elementBits(tile);
    auto described = scalars.viewOf(view);
    access.base = described.base;
    access.shape = described.shape;
    access.strides = described.strides;
    for (Value offset : offsets)
      access.offsets.push_back(scalars.of(offset));
    access.extents.assign(offsets.size(), 1);
    if (auto shaped = dyn_cast<RankedTensorType>(tile))
      for (auto [dim, extent] : llvm::enumerate(shaped.getShape()))
        access.extents[dimMap[dim]] = extent;
    return access;
  }

  unsigned addAccess(Access access, Step step, unsigned region) {
    step.kind = Step::Kind::Access;
    step.index = work.accesses.size();
    work.accesses.push_back(std::move(access));
    unsigned index = step.index;
    add(region, std::move(step));
    return index;
  }

  void describeLoad(tileaa::LoadViewOp load, unsigned region) {
    Access access = ofView(load.getView(), load.getOffsets(), load.getDimMap(), load.getTile().getType());
    access.isRead = true;
    // If a part of it is outside of the array; products leave that out instead.
    Step step = isOfProduct(load) ? Step() : describePartial(load.getTile(), plan);
    step.result = addValue(load.getTile());
    loads[load.getTile()] = addAccess(std::move(access), std::move(step), region);
  }

  static bool isOfProduct(tileaa::LoadViewOp load) {
    return !isa<RankedTensorType>(load.getTile().getType()) ||
           llvm::any_of(load.getTile().getUsers(), [](Operation *user) {
             return isa<MmaOp, PackWordsOp>(user) ||
                    (user->getNumResults() == 1 && llvm::any_of(user->getUsers(), llvm::IsaPred<MmaOp>));
           });
  }

  // A loop writes its results where they are stored; other tiles are copied there. Large arrays are written past the
  // caches.
  void describeStore(tileaa::StoreViewOp store, unsigned region) {
    Value tile = store.getTile();
    Access access = ofView(store.getView(), store.getOffsets(), store.getDimMap(), tile.getType());
    access.isWritten = true;
    access.streamBytes = plan.streamBytes;
    Step step;
    if (isa<RankedTensorType>(tile.getType()) && !tile.getDefiningOp<linalg::GenericOp>()) {
      std::optional<unsigned> along;
      ArrayRef<int64_t> strides = cast<tileaa::ViewType>(store.getView().getType()).getStrides();
      for (auto [dim, of] : llvm::enumerate(store.getDimMap()))
        if (strides[of] == 1)
          along = dim;
      step = describeCopy(tile, along, plan);
    }
    addUse(step, tile);
    addAccess(std::move(access), std::move(step), region);
  }

  // Elements at addresses, which the loop that follows loads or stores.
  void describeElements(linalg::GenericOp loop, unsigned region) {
    int64_t count = llvm::product_of(loop.getStaticLoopRanges());
    for (Operation &op : *loop.getBody()) {
      if (!isa<PtrLoadOp, PtrStoreOp, AtomicRmwOp, AtomicCasOp>(op))
        continue;
      bool isStore = isa<PtrStoreOp>(op);
      Type element = isStore ? op.getOperand(0).getType() : op.getResult(0).getType();
      Access access;
      access.isRead = !isStore;
      access.isWritten = !isa<PtrLoadOp>(op);
      access.elementBits = elementBits(element);
      SmallVector<predict::ScalarId, 3> parts;
      for (Value operand : loop->getOperands())
        if (!isa<RankedTensorType>(operand.getType()) || operand.getDefiningOp<tileaa::LoadViewOp>())
          parts.push_back(scalars.of(operand));
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(loop.getRegion(), captured);
      for (Value value : captured)
        parts.push_back(scalars.of(value));
      access.identity = work.scalars.make(ScalarKind::Mix, work.accesses.size(), parts);
      access.count = count;
      access.run = loop.getStaticLoopRanges().empty() ? 1 : loop.getStaticLoopRanges().back();
      Step step;
      if (access.isRead)
        step.result = elementsOf[loop] = work.values++;
      addAccess(std::move(access), std::move(step), region);
    }
  }

  //===-- products ----------------------------------------------------------===//

  // The load of which the operand is a copy in another order.
  tileaa::LoadViewOp loadOf(Value operand) {
    while (Operation *op = operand.getDefiningOp()) {
      if (auto load = dyn_cast<tileaa::LoadViewOp>(op))
        return load;
      auto copy = dyn_cast<linalg::GenericOp>(op);
      bool isCopy = isa<PackWordsOp>(op) || (copy && copy.getNumDpsInputs() == 1);
      if (!isCopy)
        return nullptr;
      operand = op->getOperand(0);
    }
    return nullptr;
  }

  void addLimits(MmaOp mma, Step &step) {
    auto limit = [&](Value operand, unsigned fromLast, int64_t granule) {
      tileaa::LoadViewOp load = loadOf(operand);
      if (!load || !loads.contains(load.getTile()))
        return;
      unsigned rank = cast<RankedTensorType>(load.getTile().getType()).getRank();
      if (fromLast <= rank)
        step.limits.push_back({loads[load.getTile()], unsigned(load.getDimMap()[rank - fromLast]), granule});
    };
    bool isTransposed = mma.getTransposedLhs();
    limit(mma.getLhs(), isTransposed ? 1 : 2, plan.microTileM);
    limit(mma.getLhs(), isTransposed ? 2 : 1, 1);
    limit(mma.getRhs(), 1, plan.microTileN);
  }

  // Panels of a right operand that a loop packs from an array alone.
  std::optional<unsigned> keptAccess(Operation *pack) {
    if (plan.keptBytes == 0 || !isa<scf::ForOp>(pack->getParentOp()) || !pack->getResult(0).hasOneUse())
      return std::nullopt;
    auto mma = dyn_cast<MmaOp>(*pack->getResult(0).user_begin());
    auto load = pack->getOperand(0).getDefiningOp<tileaa::LoadViewOp>();
    if (!mma || mma.getRhs() != pack->getResult(0) || !load || !loads.contains(load.getTile()))
      return std::nullopt;
    return loads[load.getTile()];
  }

  //===-- control flow ------------------------------------------------------===//

  void describeLoopOfBlock(scf::ForOp loop, unsigned region, unsigned depth) {
    Step step = tileaa::describeFor(loop, scalars, depth);
    unsigned body = addRegion();
    step.regions.push_back(body);
    describeBlock(*loop.getBody(), body, depth + 1);
    for (Value result : loop.getResults())
      addValue(result);
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

  predict::Work work;
  func::FuncOp kernel;
  const Plan plan;
  tileaa::DescribeScalars scalars;
  llvm::DenseMap<Value, unsigned> values, loads;
  llvm::DenseMap<Operation *, unsigned> elementsOf; // values of elements at addresses that a loop loads
};

} // namespace

// The instructions of a step of one block: its share of those of the body that runs several.
static void shareInstructions(predict::Work &work, const predict::Work &joined) {
  auto isOfBody = [](const Step &step) { return step.kind == Step::Kind::Compute; };
  std::vector<Step> &steps = work.regions[work.agents[0].region].steps;
  auto own = llvm::make_filter_range(steps, isOfBody);
  auto others = llvm::make_filter_range(joined.regions[joined.agents[0].region].steps, isOfBody);
  if (llvm::range_size(own) != llvm::range_size(others))
    return;
  for (auto [step, ofAll] : llvm::zip_equal(own, others)) {
    for (auto [count, all] : llvm::zip_equal(step.instructions, ofAll.instructions))
      count = all / work.joined;
    step.rows = ofAll.rows / work.joined;
    step.chain /= work.joined; // those of several blocks do not wait for each other
  }
}

predict::Work cpu::describeWork(func::FuncOp kernel, func::FuncOp joined) {
  predict::Work work = Describer(kernel).describe();
  if (joined) {
    work.joined = countJoined(joined);
    shareInstructions(work, Describer(joined).describe());
  }
  return work;
}
