// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planner/Candidate.h"

#include "tileas/ir/Decisions.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::planner {
namespace {

using tileas::DecisionKind;

constexpr int64_t mostStages = 8;

std::vector<int64_t> otherNumbers(DecisionKind kind, int64_t value) {
  std::vector<int64_t> numbers;
  switch (kind) {
  case DecisionKind::Warps:
    return {value / 4, value / 2, value * 2, value * 4};
  case DecisionKind::Slice:
    return {value / 4, value / 2, value * 2};
  case DecisionKind::TileOrder:
    return value == 1 ? std::vector<int64_t>{0} : std::vector<int64_t>{0, 4, 8, 16};
  // No predicted time knows of the registers that an assembler spills.
  case DecisionKind::Occupancy:
  case DecisionKind::ProducerRegisters:
  // An H200 does not show the gain that is predicted of clusters (docs/nvidia.md).
  case DecisionKind::Cluster:
    return {};
  case DecisionKind::Split:
    return {1, 2, 4, 8};
  default:
    for (int64_t other = 1; other <= mostStages; ++other)
      numbers.push_back(other);
    return numbers;
  }
}

} // namespace

Decisions decisionsOf(ArrayRef<PlanLine> lines, StringRef kernel) {
  Decisions decisions;
  for (const PlanLine &line : lines)
    if (line.kernel == kernel && tileas::symbolizeDecisionKind(splitKey(line.key).second))
      decisions[line.key] = line.value;
  return decisions;
}

Decisions schedulesOf(ArrayRef<PlanLine> lines, StringRef kernel) {
  Decisions schedules;
  for (const PlanLine &line : lines)
    if (line.kernel == kernel && !tileas::symbolizeDecisionKind(splitKey(line.key).second))
      schedules[line.key] = line.value;
  return schedules;
}

std::vector<std::string> alternativesOf(StringRef name, StringRef value) {
  auto [part, word] = splitKey(name);
  DecisionKind kind = *tileas::symbolizeDecisionKind(word);
  const tileas::DecisionInfo &info = tileas::infoOf(kind);
  std::optional<tileas::Part> partKind =
      part.empty() ? tileas::Part::Kernel : tileas::symbolizePart(part.take_until([](char c) { return c == '.'; }));
  std::vector<int64_t> values;
  std::optional<int64_t> own = tileas::parseValue(kind, value);
  // No predicted time knows of the data that caches evict first.
  if (!own || !partKind || kind == DecisionKind::Cache)
    return {};
  if (info.words.empty())
    values = otherNumbers(kind, *own);
  else
    for (size_t other = 0; other < info.words.size(); ++other)
      values.push_back(other);
  std::vector<std::string> texts;
  for (int64_t other : values) {
    // Where tensor cores multiply, multiply-adds of threads never are faster. A product wants a tile turned or not.
    bool isSlower = kind == DecisionKind::Atom && info.words[other] == "fma";
    bool isOfProduct = kind == DecisionKind::Way && other == tileas::way::turned;
    if (other != *own && !isSlower && !isOfProduct && tileas::refusalOf(*partKind, kind, other).empty())
      texts.push_back(tileas::valueText(kind, other));
  }
  return texts;
}

std::string planText(StringRef kernel, const Decisions &decisions) {
  // A table for each part, and those of the kernel first, as TOML has each table once.
  std::map<std::string, std::string> tables;
  for (const auto &[name, value] : decisions) {
    auto [part, word] = splitKey(name);
    std::optional<DecisionKind> kind = tileas::symbolizeDecisionKind(word);
    std::string quoted =
        kind ? tileas::quotedText(*kind, tileas::parseValue(*kind, value).value_or(0)) : "\"" + value + "\"";
    tables[part.str()] += word.str() + " = " + quoted + "\n";
  }
  std::string text;
  raw_string_ostream os(text);
  for (const auto &[part, lines] : tables) {
    printPlanTable(os, kernel, part);
    os << '\n' << lines;
  }
  return text;
}

} // namespace tilewright::planner
