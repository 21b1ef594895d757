// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiling, the caches in memory and on disk, and threads.
#include "Bindings.h"
#include "GpuLaunch.h"
#include "Launcher.h"
#include "Text.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "pipeline/Pipeline.h"
#include "pipeline/entry/EntryInterface.h"
#include "runtime/DiskCache.h"
#include "target/nvidia/Libdevice.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
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

// TILEWRIGHT_ISOLATE: never, large (the default), or always.
Isolation isolationFromEnvironment() {
  const char *chosen = std::getenv("TILEWRIGHT_ISOLATE");
  return llvm::StringSwitch<Isolation>(chosen ? chosen : "")
      .Case("never", Isolation::Never)
      .Case("always", Isolation::Always)
      .Default(Isolation::Large);
}

// What the caller named, or a ValueError.
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

// In place of a machine: nothing is compiled.
constexpr llvm::StringLiteral interpreterTarget = "interpreter";

// Before an architecture: plans for it, run on the host.
constexpr llvm::StringLiteral plansTarget = "tileas:";

// A module given from Python: built by the front end, or MLIR text or bytecode.
struct ModuleSource {
  std::string identity; // equal for equal code
  std::string bytes;    // with locations
};

ModuleSource readModule(nb::handle module) {
  ModuleHandle *handle;
  if (nb::try_cast(module, handle)) {
    ModuleSource source;
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

// How code of a target is made, kept and loaded: of this machine ...
struct CpuCode {
  using Image = tilewright::Image;
  using Loaded = std::shared_ptr<Executable>;
  using Kept = std::weak_ptr<Executable>;

  Machine machine;

  std::string name() const { return "cpu:" + machine.name; }
  std::string key(const PipelineOptions &options) const { return cpuTarget(machine)->key(options); }
  llvm::Expected<Image> compile(const ModuleSource &source, const std::string &entry, const PipelineOptions &options,
                                PipelineReport &report) const {
    return compileToImage(source.bytes, entry, machine, options, report);
  }
  llvm::Expected<Loaded> load(Image image) const { return Executable::load(std::move(image)); }
  static Loaded find(const Kept &kept) { return kept.lock(); }
  static LoadedEntry entryOf(Loaded executable, const std::string &name, const char *origin) {
    const Executable::Entry *entry = executable->find(name);
    if (!entry)
      raise(PyExc_ValueError, "the module has no entry '" + name + "'");
    return {std::move(executable), entry, nullptr, &entry->info, origin};
  }
};

// ... and of a GPU.
struct GpuCode {
  using Image = cuda::GpuImage;
  using Loaded = cuda::GpuExecutable *;
  using Kept = Loaded;

  const nvidia::Architecture &architecture;
  cuda::Device &device;

  std::string name() const { return "nvidia:" + architecture.name.str(); }
  std::string key(const PipelineOptions &options) const { return nvidiaTarget(architecture)->key(options); }
  llvm::Expected<Image> compile(const ModuleSource &source, const std::string &entry, const PipelineOptions &options,
                                PipelineReport &report) const {
    return compileToGpuImage(source.bytes, entry, architecture, device.driver.version, options, report);
  }
  llvm::Expected<Loaded> load(Image image) const {
    auto loaded = cuda::GpuExecutable::load(std::move(image), device);
    if (!loaded)
      return loaded.takeError();
    return &*loaded;
  }
  static Loaded find(Kept kept) { return kept; }
  static LoadedEntry entryOf(Loaded executable, const std::string &name, const char *origin) {
    return LoadedEntry::ofGpu(*executable, name, origin);
  }
};

// Modules loaded now, by content: two kernels with equal code share it.
template <typename Code> class LoadedModules {
public:
  static LoadedModules &get() {
    static LoadedModules &instance = *new LoadedModules();
    return instance;
  }
  typename Code::Loaded find(const std::string &key) {
    std::lock_guard<std::mutex> lock(mutex);
    auto known = modules.find(key);
    return known == modules.end() ? nullptr : Code::find(known->second);
  }
  void add(const std::string &key, const typename Code::Loaded &executable) {
    std::lock_guard<std::mutex> lock(mutex);
    modules[key] = executable;
  }

private:
  std::mutex mutex;
  llvm::StringMap<typename Code::Kept> modules;
};

// From the disk cache, if what lies there can be loaded.
template <typename Code> typename Code::Loaded loadCached(const Code &code, DiskCache &cache, const std::string &key) {
  std::optional<std::string> bytes = cache.get(key);
  if (!bytes)
    return nullptr;
  auto image = Code::Image::deserialize(*bytes);
  if (!image) {
    cache.dropBroken(key, llvm::toString(image.takeError()));
    return nullptr;
  }
  auto executable = code.load(std::move(*image));
  if (!executable) {
    cache.dropBroken(key, llvm::toString(executable.takeError()));
    return nullptr;
  }
  return *executable;
}

// A note beside a kernel in the disk cache, for `tilewright cache`.
std::string noteOn(const std::string &kernel, const std::string &target, double seconds) {
  double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return llvm::formatv("{0}", llvm::json::Value(llvm::json::Object{{"kernel", llvm::json::fixUTF8(kernel)},
                                                                   {"target", target},
                                                                   {"compiler", compilerIdentity()},
                                                                   {"compiled", now},
                                                                   {"seconds", seconds}}))
      .str();
}

template <typename Code>
LoadedEntry compileWith(const Code &code, const ModuleSource &source, const std::string &entry,
                        const PipelineOptions &options, CacheHandle *cache, const std::string &place,
                        const std::string &instance) {
  auto &loaded = LoadedModules<Code>::get();
  std::string key = contentKey({compilerIdentity(), code.key(options), source.identity, options.failIn});
  // What is loaded has memory of its own: modules that must not share their globals say who they are.
  std::string name = key + place + instance;
  if (auto executable = loaded.find(name))
    return Code::entryOf(executable, entry, "memory");

  typename Code::Loaded executable = nullptr;
  const char *origin = "disk";
  llvm::Error error = llvm::Error::success();
  (void)!!error;
  {
    nb::gil_scoped_release release;
    if (cache)
      executable = loadCached(code, cache->cache, key);
    if (!executable) {
      origin = "compiled";
      PipelineReport report;
      auto start = std::chrono::steady_clock::now();
      auto image = code.compile(source, entry, options, report);
      std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      if (!image) {
        error = image.takeError();
      } else {
        if (cache)
          cache->cache.put(key, image->serialize(), noteOn(entry, code.name(), seconds.count()));
        if (auto made = code.load(std::move(*image)))
          executable = *made;
        else
          error = made.takeError();
      }
    }
  }
  if (error)
    raiseDriverError(std::move(error));
  if (cache)
    cache->passOnWarning();
  loaded.add(name, executable);
  return Code::entryOf(std::move(executable), entry, origin);
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
LoadedEntry readProgram(nb::handle module, const std::string &entry) {
  ModuleHandle *handle = nullptr;
  nb::try_cast(module, handle);
  std::shared_ptr<interpreter::Program> program = handle ? handle->program : nullptr;
  if (!program && handle) {
    program = interpreter::Program::copy(handle->context, *handle->module);
  } else if (!program) {
    ModuleSource source = readModule(module);
    program = unwrap(interpreter::Program::read({source.bytes, entry.empty() ? "<module>" : entry}));
  }
  if (handle)
    handle->program = program;
  const EntryInfo *info = program->find(entry);
  if (!info)
    raise(PyExc_ValueError, "the module has no entry '" + entry + "'");
  return {nullptr, nullptr, program, info, "interpreted"};
}

LoadedEntry readPlans(nb::handle module, llvm::StringRef architecture, const std::string &entry) {
  const nvidia::Architecture *chosen = valid(nvidia::parseArchitecture(architecture));
  ModuleSource source = readModule(module);
  auto program = unwrap([&] {
    nb::gil_scoped_release release;
    return plans::PlanProgram::compile(source.bytes, entry.empty() ? "<module>" : entry, *chosen);
  }());
  LoadedEntry code;
  code.info = program->find(entry);
  code.origin = "planned";
  if (!code.info)
    raise(PyExc_ValueError, "the module has no entry '" + entry + "'");
  code.plans = std::move(program);
  return code;
}

// `nvidia` is code of the GPU's own architecture.
LoadedEntry compile(nb::handle module, const std::string &target, const std::string &entry, unsigned optLevel,
                    bool verify, CacheHandle *cache, double timeLimit, const std::string &failIn,
                    const std::string &instance, int device, bool debug) {
  if (target == interpreterTarget)
    return readProgram(module, entry);
  if (llvm::StringRef architecture = target; architecture.consume_front(plansTarget))
    return readPlans(module, architecture, entry);
  PipelineOptions options;
  options.codeGen.optLevel = optLevel;
  options.verifyEach = verify;
  options.limits = limitsOf(timeLimit);
  options.isolation = isolationFromEnvironment();
  options.failIn = failIn;
  if (debug)
    options.nvidia.debugInfo = nvidia::DebugInfo::Full;
  options.libdevice = valid(nvidia::libdeviceFromEnvironment(packageFolders()));
  if (!nvidia::isNvidiaTarget(target)) {
    CpuCode code{valid(parseMachine(target))};
    return compileWith(code, readModule(module), entry, options, cache, "", instance);
  }
  const nvidia::Architecture *chosen = target == "nvidia" ? nullptr : valid(nvidia::parseArchitecture(target));
  cuda::Device &gpu = deviceOrRaise(device);
  if (llvm::Error error = chosen ? gpu.checkArchitecture(chosen->name) : llvm::Error::success())
    raiseDriverError(std::move(error)); // before it is compiled
  options.nvidia.assemblers.packages = packageFolders();
  options.nvidia.switches = nvidia::Switches::fromEnvironment();
  options.nvidia.abi = nvidia::launchAbiFromEnvironment();
  GpuCode code{chosen ? *chosen : *gpu.architecture, gpu};
  return compileWith(code, readModule(module), entry, options, cache, std::to_string(device), instance);
}

// What `tilewright compile` writes, and what else there is to say.
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
  ModuleSource source = readModule(module);
  PipelineOptions options;
  options.plan = std::move(plan);
  options.planName = std::move(planName);
  options.codeGen.optLevel = optLevel;
  options.nvidia.debugInfo = debug      ? nvidia::DebugInfo::Full
                             : lineInfo ? nvidia::DebugInfo::Lines
                                        : nvidia::DebugInfo::None;
  options.libdevice = valid(nvidia::libdeviceFromEnvironment(packages));
  options.nvidia.assemblers = {std::move(assembler), std::move(packages)};
  options.nvidia.switches = nvidia::Switches::fromEnvironment();
  options.nvidia.abi = isPortable ? nvidia::LaunchAbi::Portable : nvidia::launchAbiFromEnvironment();
  options.dumpAfter = std::move(dumpAfter);
  options.printBeforeAll = printBeforeAll;
  options.wantsRemarks = remarks;
  options.timing = timing;
  options.verifyEach = verify;
  options.limits = limitsOf(timeLimit);
  options.isolation = isolationFromEnvironment();
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
  ModuleSource source = readModule(module);
  PipelineOptions options;
  options.libdevice = valid(nvidia::libdeviceFromEnvironment(packages));
  options.nvidia.assemblers = {std::move(assembler), std::move(packages)};
  options.nvidia.switches = nvidia::Switches::fromEnvironment();
  options.nvidia.abi = nvidia::launchAbiFromEnvironment();
  options.limits = limitsOf(timeLimit);
  options.isolation = isolationFromEnvironment();
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

// What Python says of an array: (name, address, bytes of an element, shape, strides in bytes, is written).
using ArrayTuple = std::tuple<std::string, uint64_t, unsigned, std::vector<int64_t>, std::vector<int64_t>, bool>;

// On a GPU, with copies of the arrays there.
void runStaged(const LoadedEntry &code, Grid grid, llvm::MutableArrayRef<uint64_t> values,
               llvm::ArrayRef<void *> pointers, llvm::ArrayRef<ArrayTuple> arrays) {
  cuda::Staging staging(code.gpu->getDevice(), cuda::Staging::To::Device);
  for (const auto &[name, address, bytes, shape, strides, isWritten] : arrays) {
    int64_t length = bytes;
    for (auto [extent, stride] : llvm::zip(shape, strides))
      length = extent ? length + (extent - 1) * stride : 0;
    staging.add(address, length, isWritten);
  }
  if (llvm::Error error = staging.begin())
    raiseDriverError(std::move(error));
  for (auto [value, parameter] : llvm::zip(values, code.info->parameters))
    if (parameter.kind == EntryParameter::Kind::Pointer)
      value = staging.translate(value);
  cuda::LaunchOptions options;
  options.wait = true;
  LaunchResult result = launchOnGpu(*code.gpu, *code.kernel, pointers, grid, options);
  if (llvm::Error error = staging.end())
    raiseDriverError(std::move(error));
  reportLaunch(code.info->name, result);
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
  LaunchResult result;
  std::string note;
  if (code.gpu) {
    runStaged(code, blocks, values, pointers, arrays);
    return "";
  }
  result = code.launch(pointers.data(), blocks, {stepLimit, check, describeArrays, schedules, seed, &note});
  reportLaunch(code.info->name, result);
  return note;
}

void setNumThreads(int count) {
  if (count < 1 || count > 4096)
    throw nb::value_error(("the number of threads is " + std::to_string(count) + ", expected 1 to 4096").c_str());
  scheduler().setNumThreads(count);
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
      .def_prop_ro("remarks",
                   [](const LoadedEntry &code) {
                     return code.executable ? code.executable->remarks() : code.gpu ? code.gpu->remarks() : "";
                   })
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
  m.def("get_num_threads", [] { return scheduler().numThreads(); });
  bindLauncher(m);
  bindDebugger(m);
  bindPlans(m);
}

} // namespace tilewright::python
