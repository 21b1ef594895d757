// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of kernels: searches among them, and differences of plan files.
#include "Plans.h"

#include "Bindings.h"
#include "Options.h"
#include "Text.h"

#include "pipeline/explain/LaunchFacts.h"
#include "planner/Search.h"
#include "support/PlanFile.h"
#include "llvm/Support/FormatVariadic.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

struct PlanSearch {
  planner::SearchResult result;

  std::string json() const { return llvm::formatv("{0}", llvm::json::Value(planner::toJson(result))).str(); }
  std::string ranking(size_t rows) const { return planner::printRanking(result, rows); }
  void addRunnersUp(Explanation &explanation) const { planner::addRunnersUp(explanation, result); }
  std::string fastest() const { return planner::printFastest(result); }
};

PlanSearch searchEntry(nb::handle module, const std::string &name, const std::string &targetName,
                       const std::string &entry, planner::LaunchOf launchOf, const std::string &product, unsigned most,
                       nb::kwargs keywords) {
  TargetRef target = valid(parseTarget(targetName));
  if (!target->getArchitecture())
    raise(PyExc_ValueError, "plans are searched for GPUs, found the target " + target->name());
  session::ModuleSource source = sourceOf(module);
  PipelineOptions options = valid(settingsOf(keywords).resolve());
  planner::SearchLimits limits;
  limits.mostCandidates = most;
  auto result = [&] {
    nb::gil_scoped_release release;
    return planner::searchPlans(source.bytes, name, entry, target, options, launchOf, product, limits);
  }();
  return {unwrap(std::move(result))};
}

// `values` are those of the parameters of the only entry, None where they are not integers.
PlanSearch searchPlans(nb::handle module, const std::string &name, const std::string &target,
                       std::array<int64_t, 3> grid, std::vector<std::optional<int64_t>> values,
                       const std::string &product, unsigned most, nb::kwargs keywords) {
  predict::Launch launch{grid, std::move(values)};
  auto launchOf = [&](const KernelModel &) { return llvm::Expected<predict::Launch>(launch); };
  return searchEntry(module, name, target, "", launchOf, product, most, keywords);
}

// With the words of --grid and --arg.
PlanSearch searchPlansOf(nb::handle module, const std::string &name, const std::string &target, const std::string &grid,
                         const std::vector<std::string> &arguments, const std::string &entry,
                         const std::string &product, unsigned most, nb::kwargs keywords) {
  LaunchFacts facts = unwrap(parseLaunchFacts(grid, arguments)).value_or(LaunchFacts());
  auto launch = [&](const KernelModel &entry) { return launchOf(facts, entry.work.name, entry.parameters); };
  return searchEntry(module, name, target, entry, launch, product, most, keywords);
}

std::string comparePlanTexts(const std::string &left, const std::string &leftName, const std::string &right,
                             const std::string &rightName) {
  auto first = readPlan(left, leftName), second = readPlan(right, rightName);
  for (auto *plan : {&first, &second})
    if (!*plan)
      raise(PyExc_ValueError, llvm::toString(plan->takeError()));
  return comparePlans(*first, *second);
}

} // namespace

void bindPlans(nb::module_ &m) {
  nb::class_<PlanSearch>(m, "PlanSearch")
      .def("json", &PlanSearch::json)
      .def("ranking", &PlanSearch::ranking, nb::arg("rows"))
      .def("fastest", &PlanSearch::fastest)
      .def("add_runners_up", &PlanSearch::addRunnersUp, nb::arg("explanation"));
  m.def("search_plans", &searchPlans, nb::arg("module"), nb::arg("name"), nb::arg("target"), nb::arg("grid"),
        nb::arg("values"), nb::arg("product"), nb::arg("most"), nb::arg("options"));
  m.def("search_plans_of", &searchPlansOf, nb::arg("module"), nb::arg("name"), nb::arg("target"), nb::arg("grid"),
        nb::arg("arguments"), nb::arg("entry"), nb::arg("product"), nb::arg("most"), nb::arg("options"));
  m.def("compare_plans", &comparePlanTexts, nb::arg("left"), nb::arg("left_name"), nb::arg("right"),
        nb::arg("right_name"));
}

} // namespace tilewright::python
