// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/LoadEntry.h"

#include "options/Values.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <chrono>

using namespace tilewright;
using namespace tilewright::session;

namespace {

// Before an architecture that is simulated.
constexpr llvm::StringLiteral simulatedTarget = "tileas:";

// Of the entries that a module has.
llvm::Error noEntry(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known) {
  std::string names = known.empty() ? "none" : llvm::join(known, ", ");
  if (name.empty())
    return usageError("the module has " + llvm::Twine(known.size()) + " entries, expected the name of one: " + names);
  llvm::StringRef nearest = nearestOf(name, known);
  return usageError("the module has no entry '" + name + "', expected " + (known.size() > 1 ? "one of " : "") + names +
                    (nearest.empty() || known.size() == 1 ? llvm::Twine() : ", as in '" + nearest + "'"));
}

template <typename Entries, typename Name>
llvm::Error noEntryAmong(const Entries &entries, llvm::StringRef name, Name nameOf) {
  llvm::SmallVector<llvm::StringRef> known;
  for (const auto &entry : entries)
    known.push_back(nameOf(entry));
  return noEntry(name, known);
}

llvm::StringRef nameOfCode(const Executable::Entry &entry) {
  return entry.info.name;
}
llvm::StringRef nameOfKernel(const cuda::GpuExecutable::Kernel &kernel) {
  return kernel.info.name;
}
llvm::StringRef nameOfInfo(const EntryInfo &entry) {
  return entry.name;
}

// How code is made, kept and loaded: of this machine ...
struct CpuMaker {
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
  static llvm::Expected<LoadedEntry> entryOf(Loaded executable, llvm::StringRef name, const char *origin) {
    return findEntry(std::move(executable), name, origin);
  }
};

// ... and of a GPU.
struct GpuMaker {
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
  static llvm::Expected<LoadedEntry> entryOf(Loaded executable, llvm::StringRef name, const char *origin) {
    return findEntry(*executable, name, origin);
  }
};

// Modules loaded now, by content: two kernels with equal code share it.
template <typename Maker> class LoadedModules {
public:
  static LoadedModules &get() {
    static LoadedModules &instance = *new LoadedModules();
    return instance;
  }
  typename Maker::Loaded find(const std::string &key) {
    std::lock_guard<std::mutex> lock(mutex);
    auto known = modules.find(key);
    return known == modules.end() ? nullptr : Maker::find(known->second);
  }
  void add(const std::string &key, const typename Maker::Loaded &executable) {
    std::lock_guard<std::mutex> lock(mutex);
    modules[key] = executable;
  }

private:
  std::mutex mutex;
  llvm::StringMap<typename Maker::Kept> modules;
};

// From the disk cache, if what lies there can be loaded.
template <typename Maker>
typename Maker::Loaded loadCached(const Maker &maker, DiskCache &cache, const std::string &key) {
  std::optional<std::string> bytes = cache.get(key);
  if (!bytes)
    return nullptr;
  auto image = Maker::Image::deserialize(*bytes);
  if (!image) {
    cache.dropBroken(key, llvm::toString(image.takeError()));
    return nullptr;
  }
  auto executable = maker.load(std::move(*image));
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

template <typename Maker>
llvm::Expected<typename Maker::Loaded> compileAndKeep(const Maker &maker, const ModuleSource &source,
                                                      const LoadOptions &options, const std::string &key) {
  PipelineReport report;
  auto start = std::chrono::steady_clock::now();
  auto image = maker.compile(source, options.entry, options.pipeline, report);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!image)
    return image.takeError();
  if (options.cache)
    options.cache->put(key, image->serialize(), noteOn(options.entry, maker.name(), seconds.count()));
  return maker.load(std::move(*image));
}

template <typename Maker>
llvm::Expected<LoadedEntry> loadBy(const Maker &maker, const ModuleSource &source, const LoadOptions &options,
                                   const std::string &place) {
  auto &loaded = LoadedModules<Maker>::get();
  std::string key = contentKey({compilerIdentity(), maker.key(options.pipeline), source.identity,
                                options.pipeline.failIn, options.pipeline.plan});
  // Loaded code has memory of its own: modules that must not share their globals say who they are.
  std::string name = key + place + options.instance;
  if (auto executable = loaded.find(name))
    return Maker::entryOf(executable, options.entry, "memory");
  const char *origin = "disk";
  typename Maker::Loaded executable = options.cache ? loadCached(maker, *options.cache, key) : nullptr;
  if (!executable) {
    origin = "compiled";
    auto made = compileAndKeep(maker, source, options, key);
    if (!made)
      return made.takeError();
    executable = *made;
  }
  loaded.add(name, executable);
  return Maker::entryOf(std::move(executable), options.entry, origin);
}

llvm::Expected<LoadedEntry> loadOnGpu(llvm::StringRef target, const ModuleSource &source, const LoadOptions &options) {
  const nvidia::Architecture *chosen = nullptr;
  if (target != "nvidia") {
    auto parsed = asUsage(nvidia::parseArchitecture(target));
    if (!parsed)
      return parsed.takeError();
    chosen = *parsed;
  }
  auto device = cuda::Device::get(options.device);
  if (!device)
    return device.takeError();
  if (llvm::Error error = chosen ? device->checkArchitecture(chosen->name) : llvm::Error::success())
    return error; // before it is compiled
  GpuMaker maker{chosen ? *chosen : *device->architecture, *device};
  return loadBy(maker, source, options, std::to_string(options.device));
}

llvm::Expected<LoadedEntry> loadSimulated(llvm::StringRef architecture, const ModuleSource &source,
                                          const LoadOptions &options) {
  auto chosen = asUsage(nvidia::parseArchitecture(architecture));
  if (!chosen)
    return chosen.takeError();
  auto program = simulator::SimulatedProgram::compile(source.bytes, options.entry.empty() ? "<module>" : options.entry,
                                                      **chosen, options.pipeline.plan, options.pipeline.planName);
  if (!program)
    return program.takeError();
  return findEntry(std::move(*program), options.entry);
}

llvm::Expected<LoadedEntry> loadInterpreted(const ModuleSource &source, const LoadOptions &options) {
  auto program = interpreter::Program::read({source.bytes, options.entry.empty() ? "<module>" : options.entry});
  if (!program)
    return program.takeError();
  return findEntry(std::move(*program), options.entry);
}

} // namespace

llvm::StringRef LoadedEntry::remarks() const {
  if (const CpuCode *cpu = get<CpuCode>())
    return cpu->executable->remarks();
  if (const GpuCode *gpu = get<GpuCode>())
    return gpu->executable->remarks();
  return "";
}

llvm::Expected<LoadedEntry> session::findEntry(std::shared_ptr<Executable> executable, llvm::StringRef name,
                                               const char *origin) {
  const Executable::Entry *entry = executable->find(name);
  if (!entry)
    return noEntryAmong(executable->entries(), name, nameOfCode);
  return LoadedEntry{CpuCode{std::move(executable), entry}, &entry->info, origin};
}

llvm::Expected<LoadedEntry> session::findEntry(cuda::GpuExecutable &executable, llvm::StringRef name,
                                               const char *origin) {
  const cuda::GpuExecutable::Kernel *kernel = executable.find(name);
  if (!kernel)
    return noEntryAmong(executable.entries(), name, nameOfKernel);
  return LoadedEntry{GpuCode{&executable, kernel}, &kernel->info, origin};
}

llvm::Expected<LoadedEntry> session::findEntry(InterpretedCode program, llvm::StringRef name) {
  const EntryInfo *info = program->find(name);
  if (!info)
    return noEntryAmong(program->allEntries(), name, nameOfInfo);
  return LoadedEntry{std::move(program), info, "interpreted"};
}

llvm::Expected<LoadedEntry> session::findEntry(SimulatedCode program, llvm::StringRef name) {
  const EntryInfo *info = program->find(name);
  if (!info)
    return noEntryAmong(program->allEntries(), name, nameOfInfo);
  return LoadedEntry{std::move(program), info, "simulated"};
}

llvm::Error session::checkTarget(llvm::StringRef target) {
  if (target == "interpreter" || target == "nvidia")
    return llvm::Error::success();
  if (target.consume_front(simulatedTarget))
    return nvidia::parseArchitecture(target).takeError();
  return parseTarget(target).takeError();
}

llvm::Expected<std::vector<LoadedEntry>> session::loadAllSimulated(llvm::StringRef module, llvm::StringRef name,
                                                                   const nvidia::Architecture &architecture) {
  auto program = simulator::SimulatedProgram::compile(module, name, architecture);
  if (!program)
    return program.takeError();
  std::vector<LoadedEntry> entries;
  for (const EntryInfo &info : (*program)->allEntries())
    entries.push_back({*program, &info, "simulated"});
  return entries;
}

llvm::Expected<LoadedEntry> session::loadEntry(llvm::StringRef target, const ModuleSource &source,
                                               const LoadOptions &options) {
  if (target == "interpreter")
    return loadInterpreted(source, options);
  if (llvm::StringRef architecture = target; architecture.consume_front(simulatedTarget))
    return loadSimulated(architecture, source, options);
  if (nvidia::isNvidiaTarget(target))
    return loadOnGpu(target, source, options);
  auto machine = asUsage(parseMachine(target));
  if (!machine)
    return machine.takeError();
  if (llvm::Error wrong = checkOnHost(*machine, target))
    return usageError(llvm::toString(std::move(wrong)));
  return loadBy(CpuMaker{*machine}, source, options, "");
}
