// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planner/Search.h"

#include "pipeline/explain/PredictLaunch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ThreadPool.h"
#include <set>
#include <tuple>
#include <variant>

using namespace llvm;

namespace tilewright::planner {
namespace {

constexpr StringLiteral candidateName = "candidate";

// The sentence of an error about a decision, without its line in the candidate's text and without the notes.
std::string reasonOf(Error error) {
  std::string text = toString(std::move(error));
  StringRef sentence = StringRef(text).split('\n').first;
  size_t named = sentence.find((candidateName + ":").str());
  if (named == StringRef::npos)
    return sentence.str();
  sentence = sentence.drop_front(named + candidateName.size() + 1);
  return sentence.split(": ").second.str();
}

class Search {
public:
  Search(StringRef module, StringRef name, const TargetRef &target, const PipelineOptions &options,
         const SearchLimits &limits, SearchResult &result)
      : module(module), name(name), target(target), options(options), limits(limits), result(result),
        pool(hardware_concurrency(limits.threads)) {}

  Error run(StringRef entry, LaunchOf launchOf) {
    if (Error error = addOwnPlan(entry, launchOf))
      return error;
    std::vector<size_t> round = {0};
    double fastest = result.ranked[0].prediction.seconds;
    for (unsigned number = 1; !round.empty(); ++number) {
      round = tryChanges(round);
      double before = fastest;
      for (size_t index : round)
        fastest = std::min(fastest, result.ranked[index].prediction.seconds);
      // One change may be worth nothing without a second one.
      if (number > 1 && fastest >= before)
        break;
    }
    sort(result.ranked, [](const Candidate &a, const Candidate &b) {
      return std::tuple(a.prediction.seconds, a.changes.size(), a.changes) <
             std::tuple(b.prediction.seconds, b.changes.size(), b.changes);
    });
    return Error::success();
  }

private:
  using Outcome = std::variant<std::monostate, Candidate, Refusal>;

  // Compiles the plan of the options, which says what entries there are.
  Error addOwnPlan(StringRef entry, LaunchOf launchOf) {
    auto plan = decide(options);
    if (!plan)
      return plan.takeError();
    auto model = chooseModel(plan->models, entry);
    if (!model)
      return model.takeError();
    result.kernel = (*model)->work.name;
    auto described = launchOf(**model);
    if (!described)
      return described.takeError();
    launch = std::move(*described);
    if (!options.plan.empty()) {
      auto lines = readPlan(options.plan, options.planName);
      if (!lines)
        return lines.takeError();
      fixed = decisionsOf(*lines, result.kernel);
      fixed.merge(schedulesOf(*lines, result.kernel));
    }
    auto own = candidateOf({}, *plan);
    if (!own)
      return own.takeError();
    if (!own->prediction.isComplete && own->prediction.seconds <= 0)
      return createStringError("the time of '" + result.kernel + "' cannot be predicted");
    add(std::move(*own));
    return Error::success();
  }

  struct Plan {
    std::string text;
    std::vector<KernelModel> models;
  };
  Expected<Plan> decide(const PipelineOptions &wanted) const {
    PipelineOptions asked = wanted;
    asked.wantsExplanation = true;
    asked.keepFailures = false;
    PipelineReport report;
    auto text = compileTo(Level::Plan, module, name, target, asked, report);
    if (!text)
      return text.takeError();
    return Plan{std::move(*text), modelKernels(std::move(report.work), {}, report.entries)};
  }

  Expected<Candidate> candidateOf(Decisions changes, const Plan &plan) const {
    auto lines = readPlan(plan.text, "plan");
    if (!lines)
      return lines.takeError();
    auto model = chooseModel(plan.models, result.kernel);
    if (!model)
      return model.takeError();
    return Candidate{std::move(changes), decisionsOf(*lines, result.kernel), plan.text,
                     predict::predict((*model)->work, (*model)->resources, launch, result.gpu)};
  }

  Outcome evaluate(const Decisions &changes) const {
    PipelineOptions wanted = options;
    wanted.plan = planOf(changes);
    wanted.planName = candidateName;
    auto plan = decide(wanted);
    if (!plan)
      return Refusal{changes, reasonOf(plan.takeError())};
    auto candidate = candidateOf(changes, *plan);
    if (!candidate)
      return Refusal{changes, reasonOf(candidate.takeError())};
    // Of a kernel that does not fit on a multiprocessor nothing is predicted.
    if (candidate->prediction.occupancy.blocks == 0)
      return Refusal{changes, ("a multiprocessor has too few " + Twine(candidate->prediction.occupancy.limit)).str()};
    return std::move(*candidate);
  }

  std::string planOf(const Decisions &changes) const {
    Decisions all = fixed;
    all.insert(changes.begin(), changes.end());
    return planText(result.kernel, all);
  }

  // Nothing where the plan is that of another candidate, which has no more changes.
  std::optional<size_t> add(Candidate candidate) {
    if (!plans.insert(candidate.decisions).second) {
      ++result.equal;
      return std::nullopt;
    }
    result.ranked.push_back(std::move(candidate));
    return result.ranked.size() - 1;
  }

  // The plans of a round with each one change more; the fastest of them.
  std::vector<size_t> tryChanges(ArrayRef<size_t> round) {
    std::vector<Decisions> wanted;
    for (size_t index : round)
      addNeighbours(result.ranked[index], wanted);
    std::vector<Outcome> outcomes(wanted.size());
    for (size_t index = 0; index < wanted.size(); ++index)
      pool.async([this, &outcome = outcomes[index], &changes = wanted[index]] { outcome = evaluate(changes); });
    pool.wait();
    std::vector<size_t> found;
    for (Outcome &outcome : outcomes) {
      if (auto *refusal = std::get_if<Refusal>(&outcome))
        result.refused.push_back(std::move(*refusal));
      else if (auto index = add(std::move(std::get<Candidate>(outcome))))
        found.push_back(*index);
    }
    sort(found, [&](size_t a, size_t b) {
      return std::pair(result.ranked[a].prediction.seconds, a) < std::pair(result.ranked[b].prediction.seconds, b);
    });
    found.resize(std::min<size_t>(found.size(), limits.width));
    return found;
  }

  void addNeighbours(const Candidate &candidate, std::vector<Decisions> &wanted) {
    for (const auto &[decision, value] : candidate.decisions) {
      if (fixed.count(decision) || candidate.changes.count(decision))
        continue;
      for (const std::string &other : alternativesOf(decision, value)) {
        Decisions changes = candidate.changes;
        changes[decision] = other;
        if (tried.size() < limits.mostCandidates && tried.insert(changes).second)
          wanted.push_back(std::move(changes));
      }
    }
  }

  StringRef module, name;
  const TargetRef &target;
  const PipelineOptions &options;
  const SearchLimits &limits;
  SearchResult &result;
  DefaultThreadPool pool;
  predict::Launch launch;
  Decisions fixed; // by the plan of the options, its schedules among them
  std::set<Decisions> tried, plans;
};

} // namespace

const Candidate &SearchResult::ownPlan() const {
  return *find_if(ranked, [](const Candidate &candidate) { return candidate.changes.empty(); });
}

Expected<SearchResult> searchPlans(StringRef module, StringRef name, StringRef entry, const TargetRef &target,
                                   const PipelineOptions &options, LaunchOf launchOf, StringRef product,
                                   const SearchLimits &limits) {
  if (!target->getArchitecture())
    return createStringError("plans are searched for GPUs, found the target " + target->name());
  auto gpu = gpuNamed(*target->getArchitecture(), product);
  if (!gpu)
    return gpu.takeError();
  SearchResult result;
  result.gpu = std::move(*gpu);
  if (Error error = Search(module, name, target, options, limits, result).run(entry, launchOf))
    return error;
  return std::move(result);
}

} // namespace tilewright::planner
