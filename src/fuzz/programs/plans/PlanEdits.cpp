// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/plans/PlanEdits.h"

#include "fuzz/programs/Random.h"
#include "pipeline/Pipeline.h"
#include "pipeline/Target.h"
#include "support/PlanFile.h"
#include "tileas/ir/Decisions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::programs {
namespace {

constexpr int64_t mostStages = 6;

// A legal value of a kind, in the text of a plan.
std::string drawValue(StringRef part, tileas::DecisionKind kind, Random &random) {
  const tileas::DecisionInfo &info = tileas::infoOf(kind);
  if (kind == tileas::DecisionKind::Warps)
    return std::to_string(1 << random.below(6));
  if (kind == tileas::DecisionKind::Cluster || kind == tileas::DecisionKind::Split)
    return std::to_string(1 << random.below(3));
  if (kind == tileas::DecisionKind::ProducerRegisters)
    return std::to_string(8 * random.between(3, 16));
  if (kind == tileas::DecisionKind::Slice)
    return std::to_string(1 << random.between(10, 15));
  if (info.words.empty())
    return std::to_string(random.between(1, mostStages));
  auto value = static_cast<int64_t>(random.below(info.words.size()));
  if (part.starts_with("store.") && value != tileas::way::tma)
    value = tileas::way::threads;
  return tileas::quotedText(kind, value);
}

// Two items of a schedule change places, or one is of another iteration. Not each loop can have that.
std::string drawSchedule(StringRef text, Random &random) {
  SmallVector<StringRef> items;
  text.split(items, ", ");
  if (items.size() < 2 || random.below(4) == 0)
    return "serial";
  size_t one = random.below(items.size()), other = random.below(items.size());
  std::swap(items[one], items[other]);
  std::string item = items[one].str();
  if (random.below(2) == 0) {
    item = items[one].consume_back("(i-1)") ? items[one].str() : item + "(i-1)";
    items[one] = item;
  }
  return join(items, ", ");
}

std::string drawLine(const PlanLine &line, Random &random) {
  auto [part, word] = splitKey(line.key);
  std::optional<tileas::DecisionKind> kind = tileas::symbolizeDecisionKind(word);
  return kind ? drawValue(part, *kind, random) : '"' + drawSchedule(line.value, random) + '"';
}

Expected<std::string> editPlan(StringRef text, Random &random) {
  auto lines = readPlan(text, "plan");
  if (!lines)
    return lines.takeError();
  std::string edited;
  raw_string_ostream os(edited);
  for (int64_t count = std::min<int64_t>(lines->size(), random.between(1, 3)); count; --count) {
    PlanLine line = (*lines)[random.below(lines->size())];
    auto [part, kind] = splitKey(line.key);
    printPlanTable(os, line.kernel, part);
    os << '\n' << kind << " = " << drawLine(line, random) << '\n';
    // TOML has each table once.
    StringRef table = part;
    erase_if(*lines, [&](const PlanLine &other) { return splitKey(other.key).first == table; });
    if (lines->empty())
      break;
  }
  return edited;
}

} // namespace

Expected<std::string> drawPlan(StringRef module, const nvidia::Architecture &architecture, uint64_t seed) {
  PipelineReport report;
  auto plan = compileTo(Level::Plan, module, "program", nvidiaTarget(architecture), {}, report);
  if (!plan)
    return plan;
  Random random(seed);
  return editPlan(*plan, random);
}

} // namespace tilewright::programs
