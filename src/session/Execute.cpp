// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/Execute.h"

#include "options/Environment.h"

using namespace tilewright;
using namespace tilewright::session;

char ExecutionError::ID;

ExecuteOptions ExecuteOptions::fromEnvironment() {
  ExecuteOptions options;
  options.stepLimit = environmentNumber("TILEWRIGHT_STEP_LIMIT");
  options.check = environmentFlag("TILEWRIGHT_CHECK");
  options.schedules = environmentNumber("TILEWRIGHT_SCHEDULES");
  return options;
}

namespace {

using Kind = ExecutionError::Kind;

std::array<int64_t, 3> extentsOf(Grid grid) {
  return {grid.x, grid.y, grid.z};
}

// The monitors of one interpreted launch: the checker sees everything, the debugger also what the checker finds.
class Monitors {
public:
  explicit Monitors(const ExecuteOptions &options) {
    if (options.check)
      checker.emplace(options.arrays ? options.arrays() : std::vector<interpreter::CheckedArray>());
    if (!options.debugger)
      return;
    std::function<size_t()> count;
    if (checker)
      count = [this] { return checker->count(); };
    debugger.emplace(options.debugger->console, options.debugger->state, SourceText(), innermost(), count);
  }

  interpreter::Monitor *outermost() { return debugger ? &*debugger : innermost(); }
  bool hasQuit() const { return debugger && debugger->hasQuit(); }
  std::string report() { return checker ? checker->report() : ""; }

private:
  interpreter::Monitor *innermost() { return checker ? &*checker : nullptr; }

  std::optional<interpreter::Checker> checker;
  std::optional<interpreter::Debugger> debugger;
};

llvm::Expected<LaunchResult> interpret(const LoadedEntry &entry, llvm::ArrayRef<void *> values, Grid grid,
                                       const ExecuteOptions &asked) {
  std::string printed;
  Monitors monitors(asked);
  interpreter::Options options;
  options.stepLimit = asked.stepLimit;
  options.poll = asked.poll;
  options.print = [&](llvm::StringRef text) { printed += text; };
  options.monitor = monitors.outermost();
  auto result = (*entry.get<InterpretedCode>())->launch(entry.info->name, extentsOf(grid), values, options);

  std::string error = result ? "" : llvm::StringRef(llvm::toString(result.takeError())).rtrim().str();
  if (monitors.hasQuit())
    return llvm::make_error<ExecutionError>(Kind::Quit, error, printed);
  if (std::string report = monitors.report(); !report.empty()) {
    if (error.empty() && result->failure)
      report += "the launch ended at an assert that failed: " + result->failure->message + "\n";
    return llvm::make_error<ExecutionError>(Kind::Findings, report + error, printed);
  }
  if (!error.empty())
    return llvm::make_error<ExecutionError>(Kind::NotAllowed, error, printed);
  result->printed = std::move(printed);
  return result;
}

std::string describeSchedules(const simulator::LaunchReport &report) {
  std::string count = std::to_string(report.schedules);
  return report.isComplete ? "schedules: all " + count + " orders of pipelines\n"
                           : "schedules: " + count + " orders of pipelines, and as many at random\n";
}

llvm::Expected<LaunchResult> simulate(const LoadedEntry &entry, llvm::ArrayRef<void *> values, Grid grid,
                                      const ExecuteOptions &asked) {
  simulator::LaunchOptions options;
  options.schedules = asked.schedules;
  options.seed = asked.seed;
  options.stepLimit = asked.stepLimit;
  options.poll = asked.poll;
  simulator::LaunchReport report;
  auto result = (*entry.get<SimulatedCode>())->launch(entry.info->name, extentsOf(grid), values, options, report);
  if (!result)
    return llvm::make_error<ExecutionError>(Kind::NotAllowed,
                                            llvm::StringRef(llvm::toString(result.takeError())).rtrim().str(), "");
  if (asked.schedules > 1 && asked.note)
    *asked.note = describeSchedules(report);
  return result;
}

} // namespace

llvm::Expected<LaunchResult> session::execute(const LoadedEntry &entry, llvm::ArrayRef<void *> values, Grid grid,
                                              const ExecuteOptions &options) {
  return entry.get<InterpretedCode>() ? interpret(entry, values, grid, options)
                                      : simulate(entry, values, grid, options);
}
