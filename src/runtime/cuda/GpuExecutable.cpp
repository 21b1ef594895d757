// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/GpuExecutable.h"

#include "runtime/cuda/LaunchRecords.h"
#include "target/nvidia/Cubin.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>

using namespace llvm;

namespace tilewright::cuda {
namespace {

using Kind = DriverError::Kind;

// The shared memory that every GPU gives a CTA by default.
constexpr uint32_t usualSharedBytes = nvidia::Architecture::staticSharedBytes;

// Clusters of more than so many blocks have to be asked for.
constexpr unsigned portableClusterBlocks = 8;

uint32_t roundUp(uint32_t value, uint32_t unit) {
  return (value + unit - 1) / unit * unit;
}

} // namespace

Expected<GpuExecutable &> GpuExecutable::load(GpuImage image, Device &device) {
  if (Error error = device.checkArchitecture(image.architecture))
    return error;
  std::unique_ptr<GpuExecutable> executable(new GpuExecutable(std::move(image), device));
  RelaxedCapture relaxed(device.driver);
  CurrentContext current(device);
  if (current.status != Status::Success)
    return failed(device.driver, current.status, "using " + device.text());
  if (Error error = executable->loadModule())
    return error;
  for (const GpuEntry &entry : executable->image.entries)
    if (Error error = executable->addKernel(entry))
      return error;
  for (Kernel &kernel : executable->kernels)
    if (!kernel.entry->fallback.empty())
      kernel.fallback = executable->find(kernel.entry->fallback);
  if (Error error = executable->attachHostBuffer())
    return error;
  return *executable.release();
}

Error GpuExecutable::loadModule() {
  if (image.isPtx())
    return assemble();
  const Driver &driver = device.driver;
  Status status = driver.hasLibraries()
                      ? driver.libraryLoad(&library, image.code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0)
                      : driver.moduleLoad(&module, image.code.data(), 0, nullptr, nullptr);
  if (status == Status::NoBinaryForGpu || status == Status::InvalidImage)
    return makeError(Kind::Refused, "the code for " + image.architecture + " cannot be loaded on " + device.text() +
                                        ": " + nameOf(driver, status) + "; the driver of CUDA " +
                                        Twine(driver.version / 1000) + "." + Twine(driver.version % 1000 / 10) +
                                        " may be older than the assembler that made it");
  return status == Status::Success ? Error::success() : failed(driver, status, "loading code on " + device.text());
}

// As a module, not as a library: that may be assembled later, when the log is not read any more.
Error GpuExecutable::assemble() {
  const Driver &driver = device.driver;
  SmallVector<JitOption> options;
  SmallVector<void *> values;
  auto set = [&](JitOption option, uintptr_t value) {
    options.push_back(option);
    values.push_back(reinterpret_cast<void *>(value));
  };
  std::string log(16 << 10, '\0');
  set(JitOption::ErrorLog, reinterpret_cast<uintptr_t>(log.data()));
  set(JitOption::ErrorLogBytes, log.size());
  StringRef ptx = image.code;
  if (ptx.contains("\n\t.loc\t"))
    set(JitOption::GenerateLineInfo, 1);
  if (ptx.contains(", debug\n"))
    set(JitOption::GenerateDebugInfo, 1);
  Status status = driver.moduleLoad(&module, ptx.data(), options.size(), options.data(), values.data());
  if (status == Status::Success)
    return Error::success();
  std::string what = "assembling PTX for " + image.architecture + " on " + device.text();
  log.resize(strnlen(log.data(), log.size()));
  if (!log.empty())
    return makeError(Kind::Refused, what + ": " +
                                        nvidia::explainRefusal(log, ptx, *device.architecture,
                                                               {nvidia::Assembler::Kind::Driver, "driver"}));
  if (status == Status::JitCompilerNotFound || status == Status::JitCompilationDisabled)
    return makeError(Kind::Refused, what + ": the CUDA driver has no assembler (" + nameOf(driver, status) +
                                        "); pip install nvidia-nvjitlink has an assembler");
  return failed(driver, status, what);
}

Expected<FunctionHandle> GpuExecutable::findFunction(const std::string &name) {
  FunctionHandle function = nullptr;
  Status status;
  if (library) {
    KernelHandle kernel = nullptr;
    status = device.driver.libraryKernel(&kernel, library, name.c_str());
    if (status == Status::Success)
      status = device.driver.kernelFunction(&function, kernel);
  } else {
    status = device.driver.moduleFunction(&function, module, name.c_str());
  }
  if (status != Status::Success)
    return failed(device.driver, status, "finding kernel '" + name + "' in its code");
  return function;
}

static unsigned clusterSize(const GpuEntry &entry) {
  return entry.cluster[0] * entry.cluster[1] * entry.cluster[2];
}

static LaunchAttribute clusterAttribute(const GpuEntry &entry) {
  LaunchAttribute attribute{LaunchAttributeId::ClusterDimension, {}, {}};
  llvm::copy(entry.cluster, attribute.value.cluster);
  return attribute;
}

// Blocks of a persistent kernel that run at a time. The blocks of a cluster run on multiprocessors that are near each
// other, some of which clusters of more than two leave over: one that finds no place would begin when all others have
// ended, and persistent blocks end together. On an H200, clusters of 4 took 1.8 times as long.
int64_t GpuExecutable::countBlocks(const GpuEntry &entry, FunctionHandle function) const {
  int64_t most = int64_t(entry.blocksPerSm) * device.multiprocessors;
  unsigned size = clusterSize(entry);
  if (!entry.blocksPerSm || size == 1 || !device.driver.mostActiveClusters)
    return most;
  LaunchAttribute attribute = clusterAttribute(entry);
  LaunchConfig config = {{entry.cluster[0], entry.cluster[1], entry.cluster[2]},
                         {entry.threads, 1, 1},
                         entry.dynamicSharedBytes,
                         nullptr,
                         &attribute,
                         1};
  int clusters = 0;
  if (device.driver.mostActiveClusters(&clusters, function, &config) != Status::Success || clusters < 1)
    return most; // its launch says why there is none
  return std::min<int64_t>(most, int64_t(clusters) * size);
}

Error GpuExecutable::addKernel(const GpuEntry &entry) {
  auto function = findFunction(entry.name);
  if (!function)
    return function.takeError();
  Kernel &kernel = kernels.emplace_back();
  kernel.entry = &entry;
  kernel.info = {entry.name, 0, entry.parameters};
  kernel.function = *function;
  for (const TensorMapInfo &map : entry.tensorMaps)
    kernel.tensorMaps.emplace_back(device.driver, entry, map);
  if (entry.dynamicSharedBytes > device.sharedBytesPerBlock)
    return makeError(Kind::Refused, "kernel '" + entry.name + "' needs " + Twine(entry.dynamicSharedBytes) +
                                        " bytes of shared memory, " + device.text() + " has " +
                                        Twine(device.sharedBytesPerBlock) + " for a block; use smaller tiles");
  Status status = Status::Success;
  if (entry.dynamicSharedBytes > usualSharedBytes)
    status = device.driver.functionSetAttribute(kernel.function, FunctionAttribute::DynamicSharedBytes,
                                                static_cast<int>(entry.dynamicSharedBytes));
  if (status == Status::Success && clusterSize(entry) > portableClusterBlocks)
    status = device.driver.functionSetAttribute(kernel.function, FunctionAttribute::NonPortableClusterSize, 1);
  if (status != Status::Success)
    return failed(device.driver, status, "preparing kernel '" + entry.name + "' on " + device.text());
  kernel.mostBlocks = countBlocks(entry, kernel.function);
  return Error::success();
}

Error GpuExecutable::attachHostBuffer() {
  if (image.hostSites.empty())
    return Error::success();
  DeviceAddress global = 0;
  size_t bytes = 0;
  const Driver &driver = device.driver;
  const char *name = hostBufferSymbol.data();
  Status status = library ? driver.libraryGlobal(&global, &bytes, library, name)
                          : driver.moduleGlobal(&global, &bytes, module, name);
  if (status == Status::SymbolNotFound) // the assembler removed it as unused
    return Error::success();
  if (status != Status::Success)
    return failed(driver, status, "finding " + hostBufferSymbol);
  auto made = HostRecords::create(device, image.hostSites);
  if (!made)
    return made.takeError();
  records = std::move(*made);
  DeviceAddress address = records->address();
  status = device.copyNow(global, &address, sizeof(address));
  if (status != Status::Success)
    return failed(driver, status, "setting " + hostBufferSymbol);
  device.add(*records);
  return Error::success();
}

const GpuExecutable::Kernel *GpuExecutable::find(StringRef name) const {
  const GpuEntry *entry = image.find(name);
  for (const Kernel &kernel : kernels)
    if (kernel.entry == entry)
      return &kernel;
  return nullptr;
}

Error GpuExecutable::refused(const Kernel &kernel, Status status, const LaunchConfig &config) const {
  const GpuEntry &entry = *kernel.entry;
  std::string what = "kernel '" + entry.name + "' cannot be launched on " + device.text();
  if (status == Status::OutOfMemory || static_cast<int>(status) >= static_cast<int>(Status::CaptureUnsupported))
    return failed(device.driver, status, what);
  return makeError(Kind::Refused, what + " with a grid of " + Twine(config.grid[0]) + "x" + Twine(config.grid[1]) +
                                      "x" + Twine(config.grid[2]) + ", " + Twine(entry.threads) + " threads and " +
                                      Twine(entry.dynamicSharedBytes) +
                                      " bytes of shared memory a block, clusters of " + Twine(clusterSize(entry)) +
                                      ": " + nameOf(device.driver, status));
}

void *GpuExecutable::valueOf(const HiddenParameter &hidden, Call &call) {
  switch (hidden.kind) {
  case HiddenParameter::Kind::GridX:
  case HiddenParameter::Kind::GridY:
  case HiddenParameter::Kind::GridZ:
    return &call.extents[static_cast<unsigned>(hidden.kind)];
  case HiddenParameter::Kind::TensorMap:
    return &call.maps[hidden.index];
  case HiddenParameter::Kind::RecordBuffer:
    return &call.recordBuffer;
  case HiddenParameter::Kind::RecordCapacity:
    return &call.recordCapacity;
  }
  llvm_unreachable("all kinds are listed");
}

// The memory of the profile's last launch, if that was like this one.
Error GpuExecutable::giveRecords(const GpuEntry &entry, LaunchProfile &profile, Call &call) const {
  uint64_t ctas = 1;
  for (uint32_t extent : call.config.grid)
    ctas *= extent;
  if (!profile.onGpu || !profile.onGpu->isFor(entry, ctas)) {
    auto records = LaunchRecords::create(device, entry, ctas);
    if (!records)
      return records.takeError();
    profile.onGpu = std::move(*records);
  }
  call.recordBuffer = profile.onGpu->address();
  call.recordCapacity = profile.onGpu->getCapacity();
  return Error::success();
}

StringRef GpuExecutable::prepare(const Kernel &kernel, ArrayRef<void *> parameters, Grid grid,
                                 const LaunchOptions &options, Call &call) const {
  const GpuEntry &entry = *kernel.entry;
  call.maps.resize_for_overwrite(entry.tensorMaps.size());
  for (size_t i = 0; i < call.maps.size(); ++i)
    if (StringRef problem = kernel.tensorMaps[i].encode(parameters.data(), call.maps[i]); !problem.empty())
      return problem;

  call.extents[0] = static_cast<uint32_t>(grid.x);
  call.extents[1] = static_cast<uint32_t>(grid.y);
  call.extents[2] = static_cast<uint32_t>(grid.z);
  call.values.assign(parameters.begin(), parameters.end());
  for (const HiddenParameter &hidden : entry.hidden)
    call.values.push_back(valueOf(hidden, call));

  LaunchConfig &config = call.config;
  config = {{call.extents[0], call.extents[1], call.extents[2]},
            {entry.threads, 1, 1},
            entry.dynamicSharedBytes,
            options.stream,
            call.attributes,
            0};
  if (entry.blocksPerSm) {
    config.grid[0] = static_cast<uint32_t>(std::min(kernel.mostBlocks, grid.blocks() * entry.split));
    config.grid[1] = config.grid[2] = 1;
  }
  if (clusterSize(entry) > 1) {
    call.attributes[config.numAttributes++] = clusterAttribute(entry);
    for (int axis = 0; axis < 3; ++axis)
      config.grid[axis] = roundUp(config.grid[axis], entry.cluster[axis]);
  }
  if (options.dependent && device.architecture->has(nvidia::Feature::GridDependency)) {
    LaunchAttribute &attribute = call.attributes[config.numAttributes++];
    attribute.id = LaunchAttributeId::ProgrammaticStreamSerialization;
    attribute.value.isAllowed = 1;
  }
  return "";
}

Expected<LaunchResult> GpuExecutable::launch(const Kernel &kernel, ArrayRef<void *> parameters, Grid grid,
                                             const LaunchOptions &options) {
  const GpuEntry &entry = *kernel.entry;
  const Driver &driver = device.driver;
  // A tensor map is encoded in a context too.
  CurrentContext current(device);
  Call call;
  if (StringRef problem = prepare(kernel, parameters, grid, options, call); !problem.empty()) {
    if (kernel.fallback)
      return launch(*kernel.fallback, parameters, grid, options);
    return makeError(Kind::Refused,
                     "kernel '" + entry.name + "' accesses an array by the tensor memory accelerator, but " + problem);
  }

  if (options.profile && !entry.recordTracks.empty())
    if (Error error = giveRecords(entry, *options.profile, call))
      return error;
  Status status = current.status;
  bool speaks = records && entry.usesHostBuffer, wait = options.wait;
  if (speaks && records->hasPrints() && status == Status::Success) {
    int isCaptured = 0;
    status = driver.streamIsCapturing(options.stream, &isCaptured);
    wait |= !isCaptured;
  }
  if (status == Status::Success)
    status = driver.launch(&call.config, kernel.function, call.values.data(), nullptr);
  if (status != Status::Success)
    return isFault(status) ? explainFault(device, status, nullptr) : refused(kernel, status, call.config);
  device.note(entry);
  LaunchResult result;
  if (wait) {
    status = driver.streamSynchronize(options.stream);
    if (status != Status::Success)
      return isFault(status) ? explainFault(device, status, &entry)
                             : failed(driver, status, "waiting for kernel '" + entry.name + "'");
  }
  // Without waiting: the output of an earlier launch of this module.
  if (speaks && (wait || records->isPending()))
    records->drain(result);
  if (speaks && wait && records->isHalfFull() && driver.contextSynchronize() == Status::Success) {
    records->drain(result);
    records->recycle();
  }
  return result;
}

Expected<double> GpuExecutable::timeBareLaunches(const Kernel &kernel, ArrayRef<void *> parameters, Grid grid,
                                                 StreamHandle stream, unsigned count) {
  Call call;
  LaunchOptions options;
  options.stream = stream;
  CurrentContext current(device);
  if (current.status != Status::Success || !prepare(kernel, parameters, grid, options, call).empty())
    return makeError(Kind::Refused, "kernel '" + kernel.entry->name + "' cannot be launched like this");
  auto start = std::chrono::steady_clock::now();
  Status status = Status::Success;
  for (unsigned i = 0; i < count && status == Status::Success; ++i)
    status = device.driver.launch(&call.config, kernel.function, call.values.data(), nullptr);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (status != Status::Success)
    return failed(device.driver, status, "launching '" + kernel.entry->name + "'");
  return seconds.count() / count;
}

Expected<LaunchResult> explainFault(Device &device, Status status, const GpuEntry *culprit) {
  LaunchResult result;
  for (HostRecords *records : device.hostRecords())
    records->drain(result);
  if (result.failure)
    return result;
  std::string name = nameOf(device.driver, status), who;
  if (culprit) {
    who = "kernel '" + culprit->name + "'";
  } else {
    std::vector<std::string> names = device.recentKernels();
    who = names.empty() ? "a kernel of another library" : "'" + join(names, "', '") + "'";
    who = names.size() == 1 ? "kernel " + who + ", or one of another library,"
          : names.empty()   ? who
                            : "one of the kernels " + who + ", or of another library,";
  }
  return makeError(
      Kind::Fault,
      who + " " + describeFault(status) + " on " + device.text() + " (" + name + "); " +
          (culprit ? "" : "CUDA_LAUNCH_BLOCKING=1 tells which, ") +
          "TILEWRIGHT_CHECK=1 finds the line. This process cannot use the GPU any more, kernels on the CPU "
          "go on");
}

Expected<LaunchResult> synchronize(Launches which) {
  LaunchResult result;
  for (Device *device : Device::known()) {
    if (which == Launches::OfSpeakingKernels && device->hostRecords().empty())
      continue;
    CurrentContext current(*device);
    Status status = current.status;
    if (status == Status::Success)
      status = device->driver.contextSynchronize();
    if (isFault(status))
      return explainFault(*device, status, nullptr);
    if (status != Status::Success)
      return failed(device->driver, status, "waiting for " + device->text());
    for (HostRecords *records : device->hostRecords()) {
      records->drain(result);
      if (records->isHalfFull())
        records->recycle();
    }
  }
  return result;
}

} // namespace tilewright::cuda
