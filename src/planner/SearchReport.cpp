// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planner/Search.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::planner {
namespace {

std::string boundOf(const Candidate &candidate) {
  return candidate.prediction.bounds.empty() ? "" : candidate.prediction.bounds[0].name;
}

std::string changesText(const Candidate &candidate) {
  if (candidate.changes.empty())
    return "none, the compiler's plan";
  return join(map_range(candidate.changes, [](const auto &change) { return change.first + " = " + change.second; }),
              ", ");
}

std::string microseconds(double seconds) {
  return formatv("{0:f1} us", seconds * 1e6).str();
}

json::Object toJson(const Decisions &decisions) {
  json::Object object;
  for (const auto &[name, value] : decisions)
    object[name] = valueOf(value);
  return object;
}

} // namespace

json::Object toJson(const SearchResult &result) {
  json::Array candidates, refused, runners;
  for (const Candidate &candidate : result.ranked)
    candidates.push_back(json::Object{{"changes", toJson(candidate.changes)},
                                      {"decisions", toJson(candidate.decisions)},
                                      {"prediction", candidate.prediction.toJson()}});
  for (const Refusal &refusal : result.refused)
    refused.push_back(json::Object{{"changes", toJson(refusal.changes)}, {"reason", refusal.reason}});
  for (const RunnerUp &other : runnersUp(result, result.ranked[0]))
    runners.push_back(
        json::Object{{"name", other.decision}, {"value", other.value}, {"ratio", other.ratio}, {"bound", other.bound}});
  return json::Object{{"kernel", result.kernel},
                      {"architecture", result.gpu.architecture->name},
                      {"product", result.gpu.product.name},
                      {"candidates", std::move(candidates)},
                      {"refused", std::move(refused)},
                      {"runners_up", std::move(runners)},
                      {"equal", result.equal}};
}

std::vector<RunnerUp> runnersUp(const SearchResult &result, const Candidate &plan) {
  std::vector<RunnerUp> found;
  for (const auto &[name, value] : plan.decisions)
    for (const Candidate &other : result.ranked) {
      auto decided = other.decisions.find(name);
      if (decided == other.decisions.end() || decided->second == value)
        continue;
      double ratio = other.prediction.seconds / plan.prediction.seconds;
      found.push_back({name, decided->second, ratio, boundOf(other)});
      break; // they are ranked
    }
  return found;
}

void addRunnersUp(Explanation &explanation, const SearchResult &result) {
  for (KernelExplanation &kernel : explanation.kernels)
    if (kernel.name == result.kernel)
      for (const RunnerUp &other : runnersUp(result, result.ownPlan()))
        for (ExplainedDecision &decision : kernel.decisions)
          if (decision.name == other.decision)
            decision.runnerUp = other;
}

std::string printFastest(const SearchResult &result) {
  const Candidate &fastest = result.ranked[0];
  std::vector<RunnerUp> others = runnersUp(result, fastest);
  SmallVector<StringRef> printed;
  StringRef(fastest.text).rtrim('\n').split(printed, '\n');
  std::vector<std::string> annotated(printed.begin(), printed.end());
  for (const PlanLine &line : cantFail(readPlan(fastest.text, "plan"))) { // as when its decisions were read
    if (line.kernel != result.kernel)
      continue;
    std::string &shown = annotated[line.number - 1];
    if (fastest.changes.count(line.key))
      shown = (StringRef(shown).split("  #").first + "  # found by the search").str();
    for (const RunnerUp &other : others)
      if (line.key == other.decision)
        shown += "; " + other.text();
  }
  return join(annotated, "\n") + "\n";
}

std::string printRanking(const SearchResult &result, size_t rows) {
  std::string text;
  raw_string_ostream os(text);
  size_t tried = result.ranked.size() + result.refused.size() + result.equal;
  os << formatv("{0} plans for {1}: {2} differ, {3} are refused, {4} are equal to others\n", tried,
                result.gpu.product.name, result.ranked.size(), result.refused.size(), result.equal);
  os << "     predicted  bound           decided otherwise\n";
  auto row = [&](size_t index) {
    const Candidate &candidate = result.ranked[index];
    os << right_justify(std::to_string(index + 1), 3) << right_justify(microseconds(candidate.prediction.seconds), 11)
       << "  " << left_justify(boundOf(candidate), 14) << "  " << changesText(candidate) << '\n';
  };
  size_t own = &result.ownPlan() - result.ranked.data();
  for (size_t index = 0; index < std::min(rows, result.ranked.size()); ++index)
    row(index);
  if (own >= rows)
    row(own);
  return text;
}

} // namespace tilewright::planner
