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
  if (kind == tileas::DecisionKind::Cluster)
    return std::to_string(random.between(1, 2));
  if (kind == tileas::DecisionKind::ProducerRegisters)
    return std::to_string(8 * random.between(3, 16));
  if (kind == tileas::DecisionKind::Slice)
    return std::to_string(1 << random.between(10, 15));
  if (info.words.empty())
    return std::to_string(random.between(1, mostStages));
  auto value = static_cast<int64_t>(random.below(info.words.size()));
  if (part.starts_with("store.") && value == tileas::way::cpAsync)
    value = tileas::way::threads;
  return tileas::quotedText(kind, value);
}

Expected<std::string> editPlan(StringRef text, Random &random) {
  auto lines = readPlan(text, "plan");
  if (!lines)
    return lines.takeError();
  erase_if(*lines, [](const PlanLine &line) { return StringRef(line.key).ends_with("schedule"); });
  std::string edited;
  raw_string_ostream os(edited);
  for (int64_t count = std::min<int64_t>(lines->size(), random.between(1, 3)); count; --count) {
    PlanLine line = (*lines)[random.below(lines->size())];
    auto [part, kind] = splitKey(line.key);
    printPlanTable(os, line.kernel, part);
    os << '\n' << kind << " = " << drawValue(part, *tileas::symbolizeDecisionKind(kind), random) << '\n';
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
