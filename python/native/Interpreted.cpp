// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches in the reference interpreter.
#include "Launcher.h"

#include <cstdlib>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

// TILEWRIGHT_STEP_LIMIT: operations that a launch may execute if nobody says otherwise.
int64_t usualStepLimit() {
  const char *text = std::getenv("TILEWRIGHT_STEP_LIMIT");
  return text ? std::max(0ll, std::atoll(text)) : 0;
}

// Lets Ctrl-C, and whatever other signal handlers raise, end a launch.
class Signals {
public:
  llvm::Error check() {
    nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() == 0)
      return llvm::Error::success();
    raised.emplace();
    return llvm::createStringError("a signal handler raised an exception");
  }
  void rethrow() {
    if (raised)
      throw std::move(*raised);
  }

private:
  std::optional<nb::python_error> raised;
};

[[noreturn]] void raiseError(const std::string &text) {
  nb::object type = nb::module_::import_("tilewright.errors").attr("TileInterpreterError");
  PyErr_SetObject(type.ptr(), nb::str(text.c_str(), text.size()).ptr());
  throw nb::python_error();
}

} // namespace

LaunchResult interpretEntry(const LoadedEntry &code, void **args, Grid grid, int64_t stepLimit) {
  Signals signals;
  std::string printed; // shown also if the launch ends in an error
  interpreter::Options options;
  options.stepLimit = stepLimit ? stepLimit : usualStepLimit();
  options.poll = [&] { return signals.check(); };
  options.print = [&](llvm::StringRef text) { printed += text; };
  auto launch = [&] {
    nb::gil_scoped_release release;
    return code.program->launch(code.info->name, {grid.x, grid.y, grid.z},
                                llvm::ArrayRef(args, code.info->parameters.size()), options);
  };
  llvm::Expected<LaunchResult> result = launch();
  if (result) {
    result->printed = std::move(printed);
    return std::move(*result);
  }
  showPrinted(printed);
  std::string text = llvm::StringRef(llvm::toString(result.takeError())).rtrim().str();
  signals.rethrow();
  raiseError(text);
}

} // namespace tilewright::python
