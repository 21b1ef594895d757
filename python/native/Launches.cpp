// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Launches.h"

#include "GpuLaunch.h"

#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

using Kind = session::ExecutionError::Kind;

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

// A terminal, or its replacement in Python: `read` returns a command or None, `write` receives text.
struct DebugSession {
  DebugSession(nb::callable read, nb::callable write, nb::callable source)
      : read(std::move(read)), write(std::move(write)), source(std::move(source)) {
    frontEnd.console = console();
  }

  nb::callable read, write, source;
  session::DebuggerFrontEnd frontEnd;
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
    console.source = [this](llvm::StringRef name) -> std::string {
      nb::gil_scoped_acquire acquire;
      try {
        return nb::cast<std::string>(source(std::string(name)));
      } catch (nb::python_error &error) {
        raised.emplace(std::move(error));
        return "";
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

const char *exceptionOf(Kind kind) {
  switch (kind) {
  case Kind::NotAllowed:
    return "TileInterpreterError";
  case Kind::Findings:
    return "TileCheckError";
  case Kind::Quit:
    return "TileDebuggerQuit";
  }
  llvm_unreachable("all kinds are listed");
}

[[noreturn]] void raiseEnd(Kind kind, const std::string &text) {
  nb::object error = nb::module_::import_("tilewright.errors").attr(exceptionOf(kind));
  raise(error.ptr(), text);
}

[[noreturn]] void raiseSessionError(llvm::Error error) {
  if (error.isA<session::UsageError>())
    raise(PyExc_ValueError, llvm::toString(std::move(error)));
  raiseDriverError(std::move(error));
}

LaunchResult launchOnCpu(const session::CpuCode &code, llvm::ArrayRef<void *> values, Grid grid,
                         LaunchProfile *profile) {
  Scheduler &scheduler = session::scheduler();
  void **args = const_cast<void **>(values.data());
  if (scheduler.isShort(*code.entry, grid)) // and not worth to let go of the GIL
    return scheduler.launch(*code.entry, args, grid, profile);
  nb::gil_scoped_release release;
  return scheduler.launch(*code.entry, args, grid, profile);
}

} // namespace

LoadedEntry entryOrRaise(llvm::Expected<LoadedEntry> entry) {
  if (llvm::Error error = entry.takeError())
    raiseSessionError(std::move(error));
  const session::GpuCode *gpu = entry->get<session::GpuCode>();
  if (gpu && gpu->executable->speaks())
    nb::module_::import_("tilewright._runtime.messages").attr("tell_rest_at_exit")();
  return std::move(*entry);
}

LaunchResult launchWatched(const LoadedEntry &code, session::ExecuteOptions options,
                           llvm::function_ref<llvm::Expected<LaunchResult>(const session::ExecuteOptions &)> launch) {
  Signals signals;
  options.poll = [&] { return signals.check(); };
  DebugSession *debugger = code.get<session::InterpretedCode>() ? DebugSession::active() : nullptr;
  if (debugger)
    options.debugger = &debugger->frontEnd;
  auto result = [&] {
    nb::gil_scoped_release release;
    return launch(options);
  }();
  std::unique_ptr<session::ExecutionError> end;
  llvm::Error error = llvm::handleErrors(
      result.takeError(), [&](std::unique_ptr<session::ExecutionError> ended) { end = std::move(ended); });
  if (error)
    raiseSessionError(std::move(error));
  if (end)
    showPrinted(end->getPrinted());
  signals.rethrow();
  if (debugger)
    debugger->rethrow();
  if (end)
    raiseEnd(end->getKind(), end->message());
  return std::move(*result);
}

void launchEntry(const std::string &kernel, const LoadedEntry &code, llvm::ArrayRef<void *> values, Grid grid,
                 const cuda::LaunchOptions &asked,
                 llvm::function_ref<std::vector<interpreter::CheckedArray>()> arrays) {
  LaunchResult result;
  if (auto *cpu = code.get<session::CpuCode>()) {
    result = launchOnCpu(*cpu, values, grid, asked.profile);
  } else if (auto *gpu = code.get<session::GpuCode>()) {
    result = launchOnGpu(*gpu, values, grid, asked);
  } else {
    auto options = session::ExecuteOptions::fromEnvironment();
    options.arrays = arrays;
    result = launchWatched(code, std::move(options), [&](const session::ExecuteOptions &watched) {
      return session::execute(code, values, grid, watched);
    });
  }
  if (result.failure || result.fault || result.outOfMemory || !result.printed.empty())
    reportLaunch(kernel, result);
}

void showPrinted(const std::string &text) {
  if (!text.empty())
    nb::module_::import_("tilewright._runtime.messages").attr("show")(nb::bytes(text.data(), text.size()));
}

void reportLaunch(const std::string &name, LaunchResult &result) {
  showPrinted(result.printed);
  if (result.outOfMemory)
    raise(PyExc_MemoryError, name + ": no memory for the kernel's scratch");
  nb::module_ messages = nb::module_::import_("tilewright._runtime.messages");
  nb::object error;
  if (result.failure) {
    const AssertFailure &failure = *result.failure;
    error = messages.attr("assertion_error")(name, failure.message, failure.file, failure.line,
                                             nb::make_tuple(failure.block[0], failure.block[1], failure.block[2]),
                                             failure.position);
  } else if (result.fault) {
    const KernelFault &fault = *result.fault;
    error = messages.attr("fault_error")(name, fault.signal, fault.address, fault.firstBlock, fault.lastBlock);
  } else {
    return;
  }
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

void bindDebugger(nb::module_ &m) {
  nb::class_<DebugSession>(m, "DebugSession")
      .def(nb::init<nb::callable, nb::callable, nb::callable>(), nb::arg("read"), nb::arg("write"), nb::arg("source"))
      .def("activate", [](DebugSession &session) { DebugSession::active() = &session; })
      .def_static("deactivate", [] { DebugSession::active() = nullptr; });
}

} // namespace tilewright::python
