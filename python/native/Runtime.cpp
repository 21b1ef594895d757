// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling, the caches in memory and on disk, and threads.
#include "Bindings.h"
#include "GpuLaunch.h"
#include "Launcher.h"
#include "Text.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "pipeline/Pipeline.h"
#include "pipeline/entry/EntryInterface.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {

void raiseCompilerError(llvm::Error error) {
  if (PyErr_Occurred()) { // what interrupted the compilation, KeyboardInterrupt as a rule
    llvm::consumeError(std::move(error));
    throw nb::python_error();
  }
  bool late = false;
  error = llvm::handleErrors(std::move(error), [&](std::unique_ptr<GuardFailure> failure) {
    late = failure->getKind() == GuardFailure::Kind::TimeLimit;
    return llvm::Error(std::move(failure));
  });
  std::string text = llvm::toString(std::move(error));
  nb::object type =
      nb::module_::import_("tilewright.errors").attr(late ? "TileCompilerTimeoutError" : "TileCompilerExecutionError");
  raise(type.ptr(), text);
}

namespace {

// Called without the GIL. On the main thread Python's signal handlers run, others never see a signal.
bool interruptedByPython() {
  nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

} // namespace

Limits limitsOf(double seconds) {
  return {std::chrono::milliseconds(static_cast<int64_t>(std::min(seconds, 1e6) * 1000)), interruptedByPython};
}

namespace {

template <typename T> T unwrap(llvm::Expected<T> value) {
  if (!value)
    raiseCompilerError(value.takeError());
  return std::move(*value);
}

// The value, or a ValueError.
template <typename T> T valid(llvm::Expected<T> value) {
  if (value)
    return std::move(*value);
  raise(PyExc_ValueError, llvm::toString(value.takeError()));
}

// A disk cache, with its one warning passed on to Python's warnings.
class CacheHandle {
public:
  CacheHandle(std::string folder, uint64_t maxBytes)
      : cache(std::move(folder), maxBytes, [this](const std::string &text) { pending = text; }) {}

  DiskCache cache;

  // With the GIL held.
  void passOnWarning() {
    std::string text = std::move(pending);
    pending.clear();
    if (!text.empty() && PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1))
      throw nb::python_error(); // warnings are errors here
  }

private:
  std::string pending;
};

// A module given from Python: built by the front end, or MLIR text or bytecode.
session::ModuleSource readModule(nb::handle module) {
  ModuleHandle *handle;
  if (nb::try_cast(module, handle)) {
    session::ModuleSource source;
    source.identity = identityText(*handle->module);
    llvm::raw_string_ostream os(source.bytes);
    if (failed(mlir::writeBytecodeToFile(*handle->module, os)))
      throw std::runtime_error("the module has no bytecode form");
    return source;
  }
  if (PyBytes_Check(module.ptr())) {
    std::string bytes(PyBytes_AS_STRING(module.ptr()), PyBytes_GET_SIZE(module.ptr()));
    return {bytes, bytes};
  }
  Py_ssize_t size;
  const char *text = PyUnicode_AsUTF8AndSize(module.ptr(), &size);
  if (!text)
    throw nb::python_error();
  return {std::string(text, size), std::string(text, size)};
}

// Where Python's packages are: NVIDIA's have assemblers.
std::vector<std::string> packageFolders() {
  std::vector<std::string> folders;
  for (nb::handle folder : nb::module_::import_("sys").attr("path"))
    if (PyUnicode_Check(folder.ptr()))
      folders.push_back(nb::cast<std::string>(folder));
  return folders;
}

// Launches of one Python module share the memory of its globals.
LoadedEntry interpretModule(ModuleHandle &handle, const std::string &entry) {
  if (!handle.program)
    handle.program = interpreter::Program::copy(handle.context, *handle.module);
  return entryOrRaise(session::findEntry(handle.program, entry));
}

LoadedEntry compile(nb::handle module, const std::string &target, const std::string &entry, unsigned optLevel,
                    bool verify, CacheHandle *cache, double timeLimit, const std::string &failIn,
                    const std::string &instance, int device, bool debug) {
  ModuleHandle *handle = nullptr;
  if (target == "interpreter" && nb::try_cast(module, handle) && handle)
    return interpretModule(*handle, entry);
  session::LoadOptions options{valid(session::optionsFromEnvironment(packageFolders())), entry, device, instance,
                               cache ? &cache->cache : nullptr};
  options.pipeline.codeGen.optLevel = optLevel;
  options.pipeline.verifyEach = verify;
  options.pipeline.limits = limitsOf(timeLimit);
  options.pipeline.failIn = failIn;
  if (debug)
    options.pipeline.nvidia.debugInfo = nvidia::DebugInfo::Full;
  session::ModuleSource source = readModule(module);
  auto loaded = [&] {
    nb::gil_scoped_release release;
    return session::loadEntry(target, source, options);
  }();
  if (loaded && cache)
    cache->passOnWarning();
  return entryOrRaise(std::move(loaded));
}

// The output of `tilewright compile`, and its report.
struct CompiledLevel {
  std::string bytes, assembler, resources;
  PipelineReport report;
};

CompiledLevel compileLevel(nb::handle module, const std::string &name, const std::string &targetName,
                           const std::string &emit, unsigned optLevel, std::string plan, std::string planName,
                           std::vector<std::string> dumpAfter, bool printBeforeAll, bool timing, bool verify,
                           double timeLimit, const std::string &failIn, bool lineInfo, bool debug,
                           std::string assembler, std::vector<std::string> packages, bool remarks, bool isPortable) {
  TargetRef target = valid(parseTarget(targetName));
  Level level = emit.empty() ? target->codeLevel() : valid(target->parseLevel(emit));
  session::ModuleSource source = readModule(module);
  PipelineOptions options = valid(session::optionsFromEnvironment(std::move(packages)));
  options.plan = std::move(plan);
  options.planName = std::move(planName);
  options.codeGen.optLevel = optLevel;
  options.nvidia.debugInfo = debug      ? nvidia::DebugInfo::Full
                             : lineInfo ? nvidia::DebugInfo::Lines
                                        : nvidia::DebugInfo::None;
  options.nvidia.assemblers.path = std::move(assembler);
  if (isPortable)
    options.nvidia.abi = nvidia::LaunchAbi::Portable;
  options.dumpAfter = std::move(dumpAfter);
  options.printBeforeAll = printBeforeAll;
  options.wantsRemarks = remarks;
  options.timing = timing;
  options.verifyEach = verify;
  options.limits = limitsOf(timeLimit);
  options.failIn = failIn;
  CompiledLevel compiled;
  {
    nb::gil_scoped_release release;
    auto result = compileTo(level, source.bytes, name, target, options, compiled.report);
    if (result) {
      compiled.bytes = std::move(*result);
    } else {
      nb::gil_scoped_acquire acquire;
      if (!PyErr_Occurred())
        nb::module_::import_("sys").attr("stderr").attr("write")(compiled.report.dumps); // what led to the error
      raiseCompilerError(result.takeError());
    }
  }
  compiled.assembler = compiled.report.cubin.assembler.path;
  compiled.resources = nvidia::describeResources(compiled.report.cubin.kernels);
  return compiled;
}

std::string explainModule(nb::handle module, const std::string &name, const std::string &targetName,
                          std::string assembler, std::vector<std::string> packages, double timeLimit) {
  TargetRef target = valid(parseTarget(targetName));
  session::ModuleSource source = readModule(module);
  PipelineOptions options = valid(session::optionsFromEnvironment(std::move(packages)));
  options.nvidia.assemblers.path = std::move(assembler);
  options.limits = limitsOf(timeLimit);
  PipelineReport report;
  auto text = [&] {
    nb::gil_scoped_release release;
    return explain(source.bytes, name, target, options, report);
  }();
  return unwrap(std::move(text));
}

void linkShared(nb::bytes object, const std::string &output) {
  if (llvm::Error error = linkSharedLibrary(llvm::ArrayRef(object.c_str(), object.size()), output))
    raiseCompilerError(std::move(error));
}

nb::list listLevels() {
  nb::list list;
  for (const LevelInfo &info : levels())
    list.append(nb::make_tuple(info.name.str(), info.summary.str()));
  return list;
}

nb::list describeParameters(const LoadedEntry &code) {
  constexpr const char *kinds[] = {"pointer", "integer", "float"};
  nb::list list;
  for (const EntryParameter &parameter : code.info->parameters)
    list.append(nb::make_tuple(kinds[static_cast<int>(parameter.kind)], parameter.bits, parameter.written));
  return list;
}

// An array of Python: (name, address, bytes of an element, shape, strides in bytes, is written).
using ArrayTuple = std::tuple<std::string, uint64_t, unsigned, std::vector<int64_t>, std::vector<int64_t>, bool>;

// On a GPU, with copies of the arrays there.
void runStaged(const session::GpuCode &code, Grid grid, llvm::MutableArrayRef<uint64_t> values,
               llvm::ArrayRef<void *> pointers, llvm::ArrayRef<ArrayTuple> arrays) {
  cuda::Staging staging(code.executable->getDevice(), cuda::Staging::To::Device);
  for (const auto &[name, address, bytes, shape, strides, isWritten] : arrays) {
    int64_t length = bytes;
    for (auto [extent, stride] : llvm::zip(shape, strides))
      length = extent ? length + (extent - 1) * stride : 0;
    staging.add(address, length, isWritten);
  }
  if (llvm::Error error = staging.begin())
    raiseDriverError(std::move(error));
  for (auto [value, parameter] : llvm::zip(values, code.kernel->info.parameters))
    if (parameter.kind == EntryParameter::Kind::Pointer)
      value = staging.translate(value);
  cuda::LaunchOptions options;
  options.wait = true;
  LaunchResult result = launchOnGpu(code, pointers, grid, options);
  if (llvm::Error error = staging.end())
    raiseDriverError(std::move(error));
  reportLaunch(code.kernel->info.name, result);
}

// A launch with the bits of each parameter's value, as they are. The arrays behind them are for checked mode, and to be
// copied to a GPU. Gives what there is to say of it besides.
std::string runEntry(const LoadedEntry &code, std::array<int64_t, 3> grid, std::vector<uint64_t> values,
                     int64_t stepLimit, bool check, std::vector<ArrayTuple> arrays, int64_t schedules, uint64_t seed) {
  if (values.size() != code.info->parameters.size())
    throw nb::value_error(("entry '" + code.info->name + "' has " + std::to_string(code.info->parameters.size()) +
                           " parameters, got " + std::to_string(values.size()) + " values")
                              .c_str());
  llvm::SmallVector<void *> pointers;
  for (uint64_t &value : values)
    pointers.push_back(&value);
  auto describeArrays = [&] {
    std::vector<interpreter::CheckedArray> list;
    for (auto &[name, address, bytes, shape, strides, isWritten] : arrays) {
      interpreter::CheckedArray &array = list.emplace_back();
      array.name = name;
      array.address = address;
      array.elementBytes = bytes;
      array.shape.assign(shape.begin(), shape.end());
      array.byteStrides.assign(strides.begin(), strides.end());
      array.isWritten = isWritten;
    }
    return list;
  };
  Grid blocks{grid[0], grid[1], grid[2]};
  std::string note;
  if (auto *gpu = code.get<session::GpuCode>()) {
    runStaged(*gpu, blocks, values, pointers, arrays);
    return "";
  }
  LaunchResult result =
      launchOnHost(code, pointers.data(), blocks, {stepLimit, check, describeArrays, schedules, seed, &note});
  reportLaunch(code.info->name, result);
  return note;
}

void setNumThreads(int count) {
  if (count < 1 || count > 4096)
    throw nb::value_error(("the number of threads is " + std::to_string(count) + ", expected 1 to 4096").c_str());
  session::scheduler().setNumThreads(count);
}

} // namespace

void bindRuntime(nb::module_ &m) {
  // Kernels are globals of modules that never go: a launcher left when the interpreter ends is no leak.
  nb::set_leak_warnings(false);

  nb::class_<LoadedEntry>(m, "Executable")
      .def_prop_ro("name", [](const LoadedEntry &code) { return code.info->name; })
      .def_prop_ro("origin", [](const LoadedEntry &code) { return code.origin; })
      .def_prop_ro("scratch_bytes", [](const LoadedEntry &code) { return code.info->scratchBytes; })
      .def_prop_ro("parameters", &describeParameters)
      .def_prop_ro("remarks", [](const LoadedEntry &code) { return code.remarks().str(); })
      .def("run", &runEntry, nb::arg("grid"), nb::arg("values"), nb::arg("step_limit") = 0, nb::arg("check") = false,
           nb::arg("arrays") = std::vector<ArrayTuple>(), nb::arg("schedules") = 0, nb::arg("seed") = 0);

  nb::class_<CacheHandle>(m, "Cache")
      .def(nb::init<std::string, uint64_t>(), nb::arg("folder"), nb::arg("max_bytes"))
      .def_prop_ro("folder", [](const CacheHandle &handle) { return handle.cache.directory(); })
      .def("evict", [](CacheHandle &handle) { handle.cache.evict(); });

  nb::class_<CompiledLevel>(m, "CompiledLevel")
      .def_prop_ro("output", [](const CompiledLevel &made) { return nb::bytes(made.bytes.data(), made.bytes.size()); })
      .def_prop_ro("remarks", [](const CompiledLevel &made) { return made.report.remarks; })
      .def_prop_ro("optimizations",
                   [](const CompiledLevel &made) {
                     std::string text;
                     llvm::raw_string_ostream os(text);
                     printRemarks(made.report.optimizations, os);
                     return text;
                   })
      .def_prop_ro("dumps", [](const CompiledLevel &made) { return made.report.dumps; })
      .def_prop_ro("timing", [](const CompiledLevel &made) { return made.report.timing; })
      .def_prop_ro("header", [](const CompiledLevel &made) { return made.report.header; })
      .def_ro("resources", &CompiledLevel::resources)
      .def_ro("assembler", &CompiledLevel::assembler);

  m.def("compile", &compile, nb::arg("module"), nb::arg("target") = "cpu", nb::arg("entry") = "",
        nb::arg("opt_level") = 1, nb::arg("verify") = true, nb::arg("cache") = nb::none(), nb::arg("time_limit") = 60.0,
        nb::arg("fail_in") = "", nb::arg("instance") = "", nb::arg("device") = 0, nb::arg("debug") = false);
  m.def("compile_to", &compileLevel, nb::arg("module"), nb::arg("name"), nb::arg("target") = "cpu",
        nb::arg("emit") = "", nb::arg("opt_level") = 1, nb::arg("plan") = "", nb::arg("plan_name") = "",
        nb::arg("dump_after") = std::vector<std::string>(), nb::arg("print_before_all") = false,
        nb::arg("timing") = false, nb::arg("verify") = true, nb::arg("time_limit") = 60.0, nb::arg("fail_in") = "",
        nb::arg("line_info") = false, nb::arg("debug") = false, nb::arg("assembler") = "",
        nb::arg("packages") = std::vector<std::string>(), nb::arg("remarks") = false, nb::arg("portable") = false);
  m.def("explain", &explainModule, nb::arg("module"), nb::arg("name"), nb::arg("target"), nb::arg("assembler") = "",
        nb::arg("packages") = std::vector<std::string>(), nb::arg("time_limit") = 60.0);
  m.def("link_shared", &linkShared, nb::arg("object"), nb::arg("output"));
  m.def("levels", &listLevels);
  m.def("set_num_threads", &setNumThreads, nb::arg("count"));
  m.def("get_num_threads", [] { return session::scheduler().numThreads(); });
  bindLauncher(m);
  bindDebugger(m);
  bindPlans(m);
}

} // namespace tilewright::python
