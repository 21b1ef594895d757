// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of plans for GPUs on the host.
#include "Bindings.h"
#include "Launcher.h"
#include "Text.h"

#include <cstdlib>

namespace nb = nanobind;

namespace tilewright::python {

// TILEWRIGHT_SCHEDULES: how many each block runs under if nobody says otherwise.
static int64_t usualSchedules() {
  const char *text = std::getenv("TILEWRIGHT_SCHEDULES");
  return text ? std::max(1ll, std::atoll(text)) : 1;
}

LaunchResult runPlan(const LoadedEntry &code, void **args, Grid grid, const InterpretOptions &asked) {
  Signals signals;
  plans::LaunchOptions options;
  options.schedules = asked.schedules ? asked.schedules : usualSchedules();
  options.seed = asked.seed;
  options.stepLimit = asked.stepLimit ? asked.stepLimit : usualStepLimit();
  options.poll = [&] { return signals.check(); };
  plans::LaunchReport report;
  auto launch = [&] {
    nb::gil_scoped_release release;
    return (*code.get<session::SimulatedCode>())
        ->launch(code.info->name, {grid.x, grid.y, grid.z}, llvm::ArrayRef(args, code.info->parameters.size()), options,
                 report);
  };
  llvm::Expected<LaunchResult> result = launch();
  signals.rethrow();
  if (!result)
    raiseError("TileInterpreterError", llvm::StringRef(llvm::toString(result.takeError())).rtrim());
  if (asked.schedules > 1 && asked.note)
    *asked.note = report.isComplete ? "schedules: all " + std::to_string(report.schedules) + " orders of pipelines\n"
                                    : "schedules: " + std::to_string(report.schedules) +
                                          " orders of pipelines, and as many at random\n";
  return std::move(*result);
}

// (name, executable, [(kind, type, is written)]) of each entry.
static nb::list loadPlans(nb::bytes bytes, const std::string &name, const std::string &target) {
  auto architecture = nvidia::parseArchitecture(target);
  if (!architecture)
    raise(PyExc_ValueError, llvm::toString(architecture.takeError()));
  auto compile = [&] {
    std::string text(bytes.c_str(), bytes.size());
    nb::gil_scoped_release release;
    return plans::PlanProgram::compile(text, name, **architecture);
  };
  auto program = compile();
  if (!program)
    raiseCompilerError(program.takeError());
  nb::list list;
  for (const EntryInfo &entry : (*program)->allEntries()) {
    LoadedEntry code{*program, &entry, "planned"};
    nb::list parameters;
    constexpr const char *kinds[] = {"pointer", "integer", "float"};
    for (const EntryParameter &parameter : entry.parameters)
      parameters.append(nb::make_tuple(kinds[static_cast<int>(parameter.kind)], parameter.element, parameter.written));
    list.append(nb::make_tuple(entry.name, std::move(code), parameters));
  }
  return list;
}

void bindPlans(nb::module_ &m) {
  m.def("load_plans", &loadPlans, nb::arg("bytes"), nb::arg("name"), nb::arg("target"));
}

} // namespace tilewright::python
