// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of kernels: searches among them, and differences of plan files.
#include "Plans.h"

#include "Bindings.h"
#include "Options.h"
#include "Text.h"

#include "planner/Search.h"
#include "support/PlanFile.h"
#include "llvm/Support/FormatVariadic.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

// The result of a search, with all that its plan file is printed from.
struct PlanSearch {
  planner::SearchResult result;
  std::string module, name;
  TargetRef target;
  PipelineOptions options;

  std::string json() const { return llvm::formatv("{0}", llvm::json::Value(planner::toJson(result))).str(); }
  std::string ranking(size_t rows) const { return planner::printRanking(result, rows); }
  void addRunnersUp(Explanation &explanation) const { planner::addRunnersUp(explanation, result); }
  std::string fastest() const { return unwrap(planner::printFastest(result, module, name, target, options)); }
};

// `search` gets the module's bytes, the target and the options.
template <typename Function>
PlanSearch searchModule(nb::handle module, const std::string &name, const std::string &target, nb::kwargs keywords,
                        Function search) {
  PlanSearch made{{}, sourceOf(module).bytes, name, valid(parseTarget(target)), valid(settingsOf(keywords).resolve())};
  if (!made.target->getArchitecture())
    raise(PyExc_ValueError, "plans are searched for GPUs, found the target " + made.target->name());
  auto result = [&] {
    nb::gil_scoped_release release;
    return search(made);
  }();
  made.result = unwrap(std::move(result));
  return made;
}

// `values` are those of the entry's parameters, None where they are not integers.
PlanSearch searchPlans(nb::handle module, const std::string &name, const std::string &target,
                       std::array<int64_t, 3> grid, std::vector<std::optional<int64_t>> values,
                       const std::string &product, unsigned most, nb::kwargs keywords) {
  return searchModule(module, name, target, keywords,
                      [&](const PlanSearch &made) -> llvm::Expected<planner::SearchResult> {
                        auto gpu = gpuNamed(*made.target->getArchitecture(), product);
                        if (!gpu)
                          return gpu.takeError();
                        planner::SearchLimits limits;
                        limits.mostCandidates = most;
                        return planner::searchPlans(made.module, name, "", made.target, made.options,
                                                    {grid, std::move(values)}, *gpu, limits);
                      });
}

// With the words of --grid and --arg.
PlanSearch searchPlansOf(nb::handle module, const std::string &name, const std::string &target, const std::string &grid,
                         const std::vector<std::string> &arguments, const std::string &entry,
                         const std::string &product, unsigned most, nb::kwargs keywords) {
  return searchModule(module, name, target, keywords,
                      [&](const PlanSearch &made) -> llvm::Expected<planner::SearchResult> {
                        auto facts = parseLaunchFacts(grid, arguments);
                        if (!facts)
                          return facts.takeError();
                        planner::SearchLimits limits;
                        limits.mostCandidates = most;
                        return planner::searchPlans(made.module, name, entry, made.target, made.options,
                                                    facts->value_or(LaunchFacts()), product, limits);
                      });
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
