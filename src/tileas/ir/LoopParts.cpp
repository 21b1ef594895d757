// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/LoopParts.h"
#include "tileas/ir/Decisions.h"

#include "support/Diagnostics.h"
#include "support/PlanFile.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

bool tileas::isRunningProduct(Operation *op) {
  auto mma = dyn_cast<MmaOp>(op);
  return mma && mma.getRunning();
}

LoopParts::LoopParts(scf::ForOp loop) {
  unsigned unnumbered[getMaxEnumValForPart() + 1] = {};
  for (Operation &op : *loop.getBody()) {
    std::optional<Part> part = partOf(&op);
    if (!part || !llvm::is_contained({Part::Product, Part::Reduction, Part::Load}, *part))
      continue;
    auto number = op.getAttrOfType<IntegerAttr>(numberAttr);
    PartName name{*part, number ? unsigned(number.getInt()) : unnumbered[unsigned(*part)]++};
    name.copy = llvm::count_if(
        parts, [&](const Named &other) { return other.name.part == *part && other.name.number == name.number; });
    parts.push_back({name, &op});
  }
}

Operation *LoopParts::find(const PartName &name) const {
  auto found = llvm::find_if(parts, [&](const Named &each) { return each.name == name; });
  return found == parts.end() ? nullptr : found->op;
}

std::optional<PartName> LoopParts::nameOf(Operation *op) const {
  auto found = llvm::find_if(parts, [&](const Named &each) { return each.op == op; });
  return found == parts.end() ? std::nullopt : std::optional(found->name);
}

std::string LoopParts::describe(Operation *op) const {
  Operation *part = op;
  if (auto wait = dyn_cast<MmaWaitOp>(op); wait && wait.getRunning().getDefiningOp())
    part = wait.getRunning().getDefiningOp();
  std::optional<PartName> name = nameOf(part);
  if (!name)
    return "'" + op->getName().getStringRef().str() + "'" + placeText(op->getLoc());
  StringRef verb = part != op ? "wait " : isRunningProduct(op) ? "start " : "";
  return ("'" + verb + name->text() + "'").str() + placeText(part->getLoc());
}

std::string LoopParts::refusalOfItem(const ScheduleItem &item) const {
  Operation *op = find(item.name);
  if (!op) {
    auto names = llvm::map_to_vector(parts, [](const Named &each) { return each.name.text(); });
    std::vector<std::string> known(names.begin(), names.end());
    return "the loop has no " + item.name.text() + nearestWord(item.name.text(), known) + "; it has " +
           (known.empty() ? "no products, reductions and loads" : llvm::join(known, ", "));
  }
  if (item.verb == ScheduleVerb::Do && isRunningProduct(op))
    return "the product runs while threads work, expected start and wait";
  if (item.verb != ScheduleVerb::Do && !isRunningProduct(op))
    return "threads stand by the product until it is done, expected 'do " + item.name.text() + "'";
  return "";
}

std::string LoopParts::refusalOf(ArrayRef<ScheduleItem> items) const {
  for (const ScheduleItem &item : items)
    if (item.verb != ScheduleVerb::Work)
      if (std::string why = refusalOfItem(item); !why.empty())
        return "'" + item.text() + "': " + why;
  for (const Named &each : parts) {
    auto starts = [&](const ScheduleItem &item) { return item.verb == ScheduleVerb::Start && item.name == each.name; };
    if (isRunningProduct(each.op) && llvm::none_of(items, starts))
      return "it has no 'start " + each.name.text() + "', expected one for each product of the loop" +
             placeText(each.op->getLoc());
  }
  return "";
}
