// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling, the caches in memory and on disk, and threads.
#include "Bindings.h"
#include "GpuLaunch.h"
#include "Launcher.h"
#include "Options.h"
#include "Plans.h"
#include "Text.h"
#include "predict/Models.h"
#include "support/PlanFile.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "pipeline/Pipeline.h"
#include "pipeline/entry/EntryInterface.h"
#include "llvm/Support/raw_ostream.h"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {

void raiseCompilerError(llvm::Error error) {
  if (PyErr_Occurred()) { // the interruption of the compilation, usually KeyboardInterrupt
    llvm::consumeError(std::move(error));
    throw nb::python_error();
  }
  const char *name = "TileCompilerExecutionError";
  error = llvm::handleErrors(
      std::move(error),
      [&](std::unique_ptr<GuardFailure> failure) {
        if (failure->getKind() == GuardFailure::Kind::TimeLimit)
          name = "TileCompilerTimeoutError";
        return llvm::Error(std::move(failure));
      },
      [&](std::unique_ptr<PlanError> refusal) {
        name = "TileValueError";
        return llvm::Error(std::move(refusal));
      });
  std::string text = llvm::toString(std::move(error));
  nb::object type = nb::module_::import_("tilewright.errors").attr(name);
  raise(type.ptr(), text);
}

bool interruptedByPython() {
  nb::gil_scoped_acquire acquire;
  return PyErr_CheckSignals() != 0;
}

session::ModuleSource sourceOf(nb::handle module) {
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
    std::string bytes(PyBytes_AsString(module.ptr()), PyBytes_Size(module.ptr()));
    return {bytes, bytes};
  }
  Py_ssize_t size;
  const char *text = PyUnicode_AsUTF8AndSize(module.ptr(), &size);
  if (!text)
    throw nb::python_error();
  return {std::string(text, size), std::string(text, size)};
}

namespace {

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

// Launches of one Python module share the memory of its globals.
LoadedEntry interpretModule(ModuleHandle &handle, const std::string &entry) {
  if (!handle.program)
    handle.program = interpreter::Program::copy(handle.context, *handle.module);
  return entryOrRaise(session::findEntry(handle.program, entry));
}

PipelineOptions resolve(const session::Settings &settings) {
  return valid(settings.resolve());
}

// `cache` and `instance` are as session::LoadOptions has them; `keywords` are options of the table.
LoadedEntry compile(nb::handle module, const std::string &target, const std::string &entry, CacheHandle *cache,
                    const std::string &instance, nb::kwargs keywords) {
  ModuleHandle *handle = nullptr;
  if (target == "interpreter" && nb::try_cast(module, handle) && handle)
    return interpretModule(*handle, entry);
  if (!keywords.contains("packages"))
    keywords["packages"] = nb::module_::import_("sys").attr("path");
  session::Settings settings = settingsOf(keywords);
  session::LoadOptions options{resolve(settings), entry, settings.device, instance, cache ? &cache->cache : nullptr};
  session::ModuleSource source = sourceOf(module);
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
                           const std::string &emit, nb::kwargs keywords) {
  TargetRef target = valid(parseTarget(targetName));
  Level level = emit.empty() ? target->codeLevel() : valid(target->parseLevel(emit));
  session::ModuleSource source = sourceOf(module);
  PipelineOptions options = resolve(settingsOf(keywords));
  CompiledLevel compiled;
  auto result = [&] {
    nb::gil_scoped_release release;
    return compileTo(level, source.bytes, name, target, options, compiled.report);
  }();
  if (!result) {
    if (!PyErr_Occurred())
      nb::module_::import_("sys").attr("stderr").attr("write")(compiled.report.dumps); // the passes before the error
    raiseCompilerError(result.takeError());
  }
  compiled.bytes = std::move(*result);
  compiled.assembler = compiled.report.cubin.assembler.path;
  compiled.resources = nvidia::describeResources(compiled.report.cubin.kernels);
  return compiled;
}

Explanation explainModule(nb::handle module, const std::string &name, const std::string &targetName,
                          nb::kwargs keywords) {
  TargetRef target = valid(parseTarget(targetName));
  session::ModuleSource source = sourceOf(module);
  PipelineOptions options = resolve(settingsOf(keywords));
  PipelineReport report;
  auto explanation = [&] {
    nb::gil_scoped_release release;
    return explain(source.bytes, name, target, options, report);
  }();
  return unwrap(std::move(explanation));
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

const char *nameOf(EntryParameter::Kind kind) {
  constexpr const char *kinds[] = {"pointer", "integer", "float"};
  return kinds[static_cast<int>(kind)];
}

nb::list describeParameters(const LoadedEntry &code) {
  nb::list list;
  for (const EntryParameter &parameter : code.info->parameters)
    list.append(nb::make_tuple(nameOf(parameter.kind), parameter.bits, parameter.written));
  return list;
}

// (name, executable, [(kind, type, is written)]) of each entry.
nb::list loadSimulated(nb::bytes bytes, const std::string &name, const std::string &target) {
  const nvidia::Architecture *architecture = valid(nvidia::parseArchitecture(target));
  auto entries = [&] {
    std::string text(bytes.c_str(), bytes.size());
    nb::gil_scoped_release release;
    return session::loadAllSimulated(text, name, *architecture);
  }();
  nb::list list;
  for (LoadedEntry &code : unwrap(std::move(entries))) {
    nb::list parameters;
    for (const EntryParameter &parameter : code.info->parameters)
      parameters.append(nb::make_tuple(nameOf(parameter.kind), parameter.element, parameter.written));
    nb::object entryName = nb::cast(code.info->name);
    list.append(nb::make_tuple(entryName, std::move(code), parameters));
  }
  return list;
}

// An array of Python: (name, address, bytes of an element, shape, strides in bytes, is written).
using ArrayTuple = std::tuple<std::string, uint64_t, unsigned, std::vector<int64_t>, std::vector<int64_t>, bool>;

std::vector<interpreter::CheckedArray> describeArrays(llvm::ArrayRef<ArrayTuple> tuples) {
  std::vector<interpreter::CheckedArray> arrays;
  for (const auto &[name, address, bytes, shape, strides, isWritten] : tuples) {
    interpreter::CheckedArray &array = arrays.emplace_back();
    array.name = name;
    array.address = address;
    array.elementBytes = bytes;
    array.shape.assign(shape.begin(), shape.end());
    array.byteStrides.assign(strides.begin(), strides.end());
    array.isWritten = isWritten;
  }
  return arrays;
}

// A launch with the bits of each parameter's value, as they are; the arrays are those behind pointers. Returns a note
// about the launch, if any.
std::string runEntry(const LoadedEntry &code, std::array<int64_t, 3> grid, std::vector<uint64_t> values,
                     int64_t stepLimit, bool check, std::vector<ArrayTuple> tuples, int64_t schedules, uint64_t seed) {
  std::string note;
  auto options = session::ExecuteOptions::fromEnvironment();
  options.check |= check;
  options.seed = seed;
  if (stepLimit)
    options.stepLimit = stepLimit;
  if (schedules) {
    options.schedules = schedules;
    options.note = &note;
  }
  LaunchResult result = launchWatched(code, std::move(options), [&](const session::ExecuteOptions &watched) {
    return session::launchOnArrays(code, values, {grid[0], grid[1], grid[2]}, describeArrays(tuples), watched);
  });
  reportLaunch(code.info->name, result);
  return note;
}

void setNumThreads(int count) {
  if (count < 1 || count > 4096)
    throw nb::value_error(("the number of threads is " + std::to_string(count) + ", expected 1 to 4096").c_str());
  session::scheduler().setNumThreads(count);
}

// A line for each decision that differs.
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

  // Other keywords are options of the table.
  m.def("compile", &compile, nb::arg("module"), nb::arg("target") = "cpu", nb::arg("entry") = "",
        nb::arg("cache") = nb::none(), nb::arg("instance") = "", nb::arg("options"));
  m.def("compile_to", &compileLevel, nb::arg("module"), nb::arg("name"), nb::arg("target") = "cpu",
        nb::arg("emit") = "", nb::arg("options"));
  m.def("explain", &explainModule, nb::arg("module"), nb::arg("name"), nb::arg("target"), nb::arg("options"));
  m.def("load_simulated", &loadSimulated, nb::arg("bytes"), nb::arg("name"), nb::arg("target"));
  m.def("link_shared", &linkShared, nb::arg("object"), nb::arg("output"));
  m.def("levels", &listLevels);
  m.def("set_num_threads", &setNumThreads, nb::arg("count"));
  m.def("get_num_threads", [] { return session::scheduler().numThreads(); });
  bindLauncher(m);
  bindDebugger(m);
  bindModels(m);
  bindPlans(m);
  bindOptions(m);
}

} // namespace tilewright::python
