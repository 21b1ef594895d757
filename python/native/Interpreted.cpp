// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches in the reference interpreter.
#include "Launcher.h"

#include "interpreter/debug/Debugger.h"

#include <cstdlib>

namespace nb = nanobind;

namespace tilewright::python {

int64_t usualStepLimit() {
  const char *text = std::getenv("TILEWRIGHT_STEP_LIMIT");
  return text ? std::max(0ll, std::atoll(text)) : 0;
}

llvm::Error Signals::check() {
  nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() == 0)
    return llvm::Error::success();
  raised.emplace();
  return llvm::createStringError("a signal handler raised an exception");
}
void Signals::rethrow() {
  if (raised)
    throw std::move(*raised);
}

void raiseError(const char *type, llvm::StringRef text) {
  nb::object error = nb::module_::import_("tilewright.errors").attr(type);
  raise(error.ptr(), text.str());
}

namespace {

// TILEWRIGHT_CHECK: launches in the interpreter are checked.
bool checksByDefault() {
  const char *text = std::getenv("TILEWRIGHT_CHECK");
  return text && *text && llvm::StringRef(text) != "0";
}

// A terminal, or whatever stands for it in Python: `read` gives a command or None, `write` takes text.
struct DebugSession {
  DebugSession(nb::callable read, nb::callable write) : read(std::move(read)), write(std::move(write)) {}

  nb::callable read, write;
  interpreter::DebuggerState state;
  std::optional<nb::python_error> raised;

  // The one that launches stop for.
  static DebugSession *&active() {
    static DebugSession *session = nullptr;
    return session;
  }

  interpreter::Console console() {
    interpreter::Console console;
    console.read = [this](llvm::StringRef prompt) -> std::optional<std::string> {
      nb::gil_scoped_acquire acquire;
      try {
        nb::object command = read(std::string(prompt));
        if (command.is_none())
          return std::nullopt;
        return nb::cast<std::string>(command);
      } catch (nb::python_error &error) { // Ctrl-C, for one
        raised.emplace(std::move(error));
        return std::nullopt;
      }
    };
    console.write = [this](llvm::StringRef text) {
      nb::gil_scoped_acquire acquire;
      try {
        write(std::string(text));
      } catch (nb::python_error &error) {
        raised.emplace(std::move(error));
      }
    };
    return console;
  }
  void rethrow() {
    if (!raised)
      return;
    nb::python_error error = std::move(*raised);
    raised.reset();
    throw error;
  }
};

} // namespace

LaunchResult interpretEntry(const LoadedEntry &code, void **args, Grid grid, const InterpretOptions &asked) {
  Signals signals;
  std::string printed; // shown also if the launch ends in an error
  interpreter::Options options;
  options.stepLimit = asked.stepLimit ? asked.stepLimit : usualStepLimit();
  options.poll = [&] { return signals.check(); };
  options.print = [&](llvm::StringRef text) { printed += text; };

  std::optional<interpreter::Checker> checker;
  if (asked.check || checksByDefault()) {
    checker.emplace(asked.arrays ? asked.arrays() : std::vector<interpreter::CheckedArray>());
    options.monitor = &*checker;
  }
  DebugSession *session = DebugSession::active();
  std::optional<interpreter::Debugger> debugger;
  if (session) {
    std::function<size_t()> count;
    if (checker)
      count = [&] { return checker->count(); };
    debugger.emplace(session->console(), session->state, SourceText(), options.monitor, count);
    options.monitor = &*debugger;
  }
  auto launch = [&] {
    nb::gil_scoped_release release;
    return (*code.get<session::InterpretedCode>())
        ->launch(code.info->name, {grid.x, grid.y, grid.z}, llvm::ArrayRef(args, code.info->parameters.size()),
                 options);
  };
  llvm::Expected<LaunchResult> result = launch();
  std::string error = result ? "" : llvm::StringRef(llvm::toString(result.takeError())).rtrim().str();
  if (!error.empty())
    showPrinted(printed);
  signals.rethrow();
  if (session)
    session->rethrow();
  if (debugger && debugger->hasQuit())
    raiseError("TileDebuggerQuit", error);
  std::string report = checker ? checker->report() : "";
  if (!report.empty()) {
    if (error.empty())
      showPrinted(printed);
    if (result && result->failure)
      report += "the launch ended at an assert that failed: " + result->failure->message + "\n";
    raiseError("TileCheckError", report + error);
  }
  if (!error.empty())
    raiseError("TileInterpreterError", error);
  result->printed = std::move(printed);
  return std::move(*result);
}

void bindDebugger(nb::module_ &m) {
  nb::class_<DebugSession>(m, "DebugSession")
      .def(nb::init<nb::callable, nb::callable>(), nb::arg("read"), nb::arg("write"))
      .def("activate", [](DebugSession &session) { DebugSession::active() = &session; })
      .def_static("deactivate", [] { DebugSession::active() = nullptr; });
}

} // namespace tilewright::python
