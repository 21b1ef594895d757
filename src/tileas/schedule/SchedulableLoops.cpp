// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/SchedulableLoops.h"

#include "tileas/ir/MmaAtom.h"
#include "tileas/schedule/ScheduledLoop.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

constexpr llvm::StringLiteral askedByPlan = "the plan file asks for it";

bool canRun(MmaOp mma) {
  Type sums = cast<RankedTensorType>(mma.getAcc().getType()).getElementType();
  auto buffer = dyn_cast<BufferType>(mma.getRhs().getType());
  if (mma.getAtom().getKind() != AtomKind::Wgmma || !buffer || !(sums.isF32() || sums.isInteger(32)))
    return false;
  return !addsByParts(mma.getFormat().value_or(buffer.getElementType()), sums, mma.getFastAcc());
}

} // namespace

SmallVector<scf::ForOp> tileas::schedulableLoops(func::FuncOp function) {
  SmallVector<scf::ForOp> loops;
  function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
    if (hasScheduledProducts(loop) && LoopDependences::of(loop))
      loops.push_back(loop);
  });
  return loops;
}

std::string tileas::scheduleOf(scf::ForOp loop) {
  auto schedule = loop->getAttrOfType<ScheduleAttr>(scheduleAttr);
  return schedule ? scheduleText(schedule.getItems()) : "serial";
}

std::string tileas::reasonOfSchedule(scf::ForOp loop) {
  auto schedule = loop->getAttrOfType<ScheduleAttr>(scheduleAttr);
  auto serial = loop->getAttrOfType<StringAttr>(serialAttr);
  if (!schedule)
    return serial ? serial.str() : "";
  if (!schedule.getCycles())
    return askedByPlan.str();
  return ("a step is estimated at " + Twine(*schedule.getCycles()) + " cycles, " +
          Twine(schedule.getSerialCycles().value_or(0)) + " in the order of the program")
      .str();
}

llvm::Expected<LoopSchedule> tileas::followItems(const LoopDependences &found, ArrayRef<ScheduleItem> items) {
  std::string why = refusalOf(items);
  if (why.empty())
    why = found.parts().refusalOf(items);
  if (!why.empty())
    return llvm::createStringError(why);
  return ScheduledLoop(found).follow(items);
}

llvm::Error tileas::setSchedule(scf::ForOp loop, StringRef text) {
  if (text == scheduleOf(loop))
    return llvm::Error::success();
  loop->removeAttr(scheduleAttr);
  if (text == "serial") {
    joinProducts(loop);
    loop->setAttr(serialAttr, StringAttr::get(loop.getContext(), askedByPlan));
    return llvm::Error::success();
  }
  loop->removeAttr(serialAttr);
  splitProducts(loop);
  auto found = LoopDependences::of(loop);
  if (!found)
    return llvm::createStringError("the schedule is impossible: the loop has effects that cannot change places");
  auto items = parseSchedule(text);
  if (!items)
    return items.takeError();
  auto schedule = followItems(*found, *items);
  if (!schedule)
    return llvm::createStringError("the schedule is impossible: " + llvm::toString(schedule.takeError()));
  loop->setAttr(scheduleAttr, ScheduleAttr::get(loop.getContext(), *items, std::nullopt, std::nullopt));
  return llvm::Error::success();
}

void tileas::splitProducts(scf::ForOp loop) {
  for (MmaOp mma : llvm::make_early_inc_range(loop.getBody()->getOps<MmaOp>())) {
    if (mma.getRunning() || !canRun(mma))
      continue;
    OpBuilder builder(mma->getContext());
    builder.setInsertionPointAfter(mma);
    auto wait = MmaWaitOp::create(builder, mma.getLoc(), mma.getType(), mma.getResult());
    mma.getResult().replaceAllUsesExcept(wait.getResult(), wait);
    mma.setRunning(true);
  }
}

void tileas::joinProducts(scf::ForOp loop) {
  for (MmaWaitOp wait : llvm::make_early_inc_range(loop.getBody()->getOps<MmaWaitOp>())) {
    auto mma = wait.getRunning().getDefiningOp<MmaOp>();
    if (!mma || !mma->hasOneUse() || wait->getPrevNode() != mma)
      continue;
    mma.setRunning(false);
    wait.getResult().replaceAllUsesWith(mma.getResult());
    wait.erase();
  }
}
