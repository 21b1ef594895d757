// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches in the reference interpreter.
#include "Launcher.h"

#include <cstdlib>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

// What a Python exception looks like on its way through the interpreter: Python holds it.
struct PendingException : llvm::ErrorInfo<PendingException> {
  static char ID;
  void log(llvm::raw_ostream &os) const override { os << "a Python exception"; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
};
char PendingException::ID = 0;

// Ctrl-C, and whatever other signal handlers raise.
llvm::Error checkSignals() {
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0)
    return llvm::make_error<PendingException>();
  return llvm::Error::success();
}

// TILEWRIGHT_STEP_LIMIT: operations that a launch may execute if nobody says otherwise.
int64_t usualStepLimit() {
  const char *text = std::getenv("TILEWRIGHT_STEP_LIMIT");
  return text ? std::max(0ll, std::atoll(text)) : 0;
}

[[noreturn]] void raiseError(llvm::Error error) {
  std::string text;
  llvm::handleAllErrors(
      std::move(error), [](const PendingException &) {},
      [&](const llvm::ErrorInfoBase &other) { text = llvm::StringRef(other.message()).rtrim().str(); });
  if (!text.empty()) {
    nb::object type = nb::module_::import_("tilewright.errors").attr("TileInterpreterError");
    PyErr_SetObject(type.ptr(), nb::str(text.c_str(), text.size()).ptr());
  }
  throw nb::python_error();
}

} // namespace

LaunchResult interpretEntry(const LoadedEntry &code, void **args, Grid grid, int64_t stepLimit) {
  interpreter::Options options;
  options.stepLimit = stepLimit ? stepLimit : usualStepLimit();
  options.poll = checkSignals;
  auto launch = [&] {
    nb::gil_scoped_release release;
    return code.program->launch(code.info->name, {grid.x, grid.y, grid.z},
                                llvm::ArrayRef(args, code.info->parameters.size()), options);
  };
  llvm::Expected<LaunchResult> result = launch();
  if (!result)
    raiseError(result.takeError());
  return std::move(*result);
}

} // namespace tilewright::python
