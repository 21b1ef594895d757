// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Longer than 400 lines: a driver is its entry points, of which most are three lines around one state.
#include "runtime/cuda/fake/FakeDriver.h"

#include "runtime/cuda/DriverTypes.h"
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace tilewright::cuda;

namespace {

struct Kernel {
  std::string name;
  std::vector<size_t> parameters;
  bool hasParameters = false;
};

struct Module {
  std::string text;
  std::deque<Kernel> kernels;
  std::map<std::string, uint64_t> globals;
};

bool isPtx(const char *image) {
  return std::strstr(image, "\n.version ");
}

struct Fake {
  std::mutex mutex;
  std::string log, shown;
  std::map<std::string, int> failures;
  int fault = 0, devices = 1, capability = 90;
  bool isCapturing = false;
  CaptureMode mode = CaptureMode::Global;
  std::vector<ContextHandle> contexts; // current last
  std::deque<Module> modules;
  std::set<void *> allocations;
  fakecuda_kernel kernel = nullptr;
  uintptr_t nextStream = 0x5000;

  Fake() {
    const char *text = std::getenv("TILEWRIGHT_FAKE_CUDA");
    std::istringstream words(text ? text : "");
    for (std::string word; words >> word;) {
      std::string name = word.substr(0, word.find('=')), value = word.substr(word.find('=') + 1);
      if (name == "devices")
        devices = std::stoi(value);
      else if (name == "cc")
        capability = std::stoi(value);
      else if (name == "fail")
        failures[value.substr(0, value.find(':'))] = std::stoi(value.substr(value.find(':') + 1));
    }
  }

  void note(const char *format, ...) __attribute__((format(printf, 2, 3))) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    log += line;
    log += '\n';
  }

  // The error that the function returns in place of doing its work, if any.
  int check(const char *function, bool isForbiddenInCapture = false) {
    auto failure = failures.find(function);
    if (failure != failures.end())
      return failure->second;
    if (fault)
      return fault;
    return isForbiddenInCapture && isCapturing && mode != CaptureMode::Relaxed
               ? static_cast<int>(Status::CaptureUnsupported)
               : 0;
  }

  Module *load(const char *image) {
    Module &module = modules.emplace_back();
    if (!std::memcmp(image, "\177ELF", 4)) {
      uint64_t sections; // after the section headers the file ends, as assemblers write it
      uint16_t size, count;
      std::memcpy(&sections, image + 40, 8);
      std::memcpy(&size, image + 58, 2);
      std::memcpy(&count, image + 60, 2);
      module.text.assign(image, sections + size * count);
      return &module;
    }
    module.text = image;
    std::istringstream lines(module.text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string what, name;
      if (!(words >> what >> name))
        continue;
      if (what == "global") {
        module.globals[name] = reinterpret_cast<uint64_t>(std::calloc(1, 8));
        continue;
      }
      Kernel &kernel = module.kernels.emplace_back(Kernel{name, {}, true});
      for (size_t bytes; words >> bytes;)
        kernel.parameters.push_back(bytes);
    }
    return &module;
  }

  Kernel *find(Module &module, const char *name) {
    for (Kernel &kernel : module.kernels)
      if (kernel.name == name)
        return &kernel;
    bool isCode = !module.text.compare(0, 4, "\177ELF") || isPtx(module.text.data());
    if (!isCode || module.text.find(name) == std::string::npos)
      return nullptr;
    return &module.kernels.emplace_back(Kernel{name, {}, false});
  }
};

Fake &fake() {
  static Fake &instance = *new Fake();
  return instance;
}

int get(Module *module, const char *name, uint64_t *address, size_t *bytes) {
  auto known = module->globals.find(name);
  if (known == module->globals.end())
    return static_cast<int>(Status::SymbolNotFound);
  *address = known->second;
  if (bytes)
    *bytes = 8;
  return 0;
}

void describe(const LaunchConfig &config, const Kernel &kernel, void **parameters) {
  std::string attributes;
  for (uint32_t i = 0; i < config.numAttributes; ++i) {
    const LaunchAttribute &attribute = config.attributes[i];
    char text[64];
    if (attribute.id == LaunchAttributeId::ClusterDimension)
      snprintf(text, sizeof(text), " cluster %u %u %u", attribute.value.cluster[0], attribute.value.cluster[1],
               attribute.value.cluster[2]);
    else
      snprintf(text, sizeof(text), " dependent %d", attribute.value.isAllowed);
    attributes += text;
  }
  std::string values;
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    uint64_t value = 0;
    std::memcpy(&value, parameters[i], kernel.parameters[i] < 8 ? kernel.parameters[i] : 8);
    char text[32];
    snprintf(text, sizeof(text), i ? ", %llu" : "%llu", static_cast<unsigned long long>(value));
    values += text;
  }
  fake().note("launch %s(%s) grid %u %u %u block %u %u %u shared %u stream %p%s", kernel.name.c_str(), values.c_str(),
              config.grid[0], config.grid[1], config.grid[2], config.block[0], config.block[1], config.block[2],
              config.sharedBytes, static_cast<void *>(config.stream), attributes.c_str());
}

} // namespace

extern "C" {

void fakecuda_reset(void) {
  std::lock_guard<std::mutex> lock(fake().mutex);
  fake().log.clear();
  fake().failures.clear();
  fake().fault = 0;
  fake().isCapturing = false;
  fake().kernel = nullptr;
}
const char *fakecuda_log(void) {
  std::lock_guard<std::mutex> lock(fake().mutex);
  fake().shown = fake().log;
  return fake().shown.c_str();
}
void fakecuda_fail(const char *function, int status) {
  std::lock_guard<std::mutex> lock(fake().mutex);
  if (status)
    fake().failures[function] = status;
  else
    fake().failures.erase(function);
}
void fakecuda_fault(int status) {
  fake().fault = status;
}
void fakecuda_capture(int isCapturing) {
  fake().isCapturing = isCapturing;
}
int fakecuda_allocations(void) {
  return static_cast<int>(fake().allocations.size());
}
uint64_t fakecuda_global(const char *name) {
  std::lock_guard<std::mutex> lock(fake().mutex);
  return fake().modules.empty() ? 0 : fake().modules.back().globals[name];
}
void fakecuda_on_launch(fakecuda_kernel kernel) {
  fake().kernel = kernel;
}

// The function begins: it ends at once if it was told to fail.
#define ENTER(...)                                                                                                     \
  std::unique_lock<std::mutex> lock(fake().mutex);                                                                     \
  if (int status = fake().check(__func__, ##__VA_ARGS__))                                                              \
    return status;

int cuInit(unsigned) {
  ENTER();
  return fake().devices ? 0 : static_cast<int>(Status::NoDevice);
}
int cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
int cuGetErrorName(int status, const char **text) {
  static const std::map<int, const char *> names = {{1, "CUDA_ERROR_INVALID_VALUE"},
                                                    {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                    {100, "CUDA_ERROR_NO_DEVICE"},
                                                    {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                                                    {500, "CUDA_ERROR_NOT_FOUND"},
                                                    {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                    {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"},
                                                    {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                    {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"},
                                                    {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"}};
  auto known = names.find(status);
  if (known == names.end())
    return static_cast<int>(Status::InvalidValue);
  *text = known->second;
  return 0;
}
int cuDeviceGetCount(int *count) {
  ENTER();
  *count = fake().devices;
  return 0;
}
int cuDeviceGet(int *device, int ordinal) {
  ENTER();
  *device = ordinal;
  return ordinal < fake().devices ? 0 : static_cast<int>(Status::InvalidDevice);
}
int cuDeviceGetName(char *name, int bytes, int) {
  snprintf(name, bytes, "a GPU that is none");
  return 0;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER();
  switch (static_cast<DeviceAttribute>(attribute)) {
  case DeviceAttribute::MultiprocessorCount:
    *value = 4;
    return 0;
  case DeviceAttribute::ComputeCapabilityMajor:
    *value = fake().capability / 10;
    return 0;
  case DeviceAttribute::ComputeCapabilityMinor:
    *value = fake().capability % 10;
    return 0;
  case DeviceAttribute::L2CacheBytes:
    *value = 1 << 20;
    return 0;
  case DeviceAttribute::SharedBytesPerBlockOptin:
    *value = 227 << 10;
    return 0;
  }
  return static_cast<int>(Status::InvalidValue);
}
int cuDevicePrimaryCtxRetain(ContextHandle *context, int device) {
  ENTER();
  *context = reinterpret_cast<ContextHandle>(static_cast<uintptr_t>(0xc0 + device));
  return 0;
}
int cuCtxGetCurrent(ContextHandle *context) {
  ENTER();
  *context = fake().contexts.empty() ? nullptr : fake().contexts.back();
  return 0;
}
int cuCtxPushCurrent_v2(ContextHandle context) {
  ENTER();
  fake().contexts.push_back(context);
  return 0;
}
int cuCtxPopCurrent_v2(ContextHandle *context) {
  ENTER();
  if (fake().contexts.empty())
    return static_cast<int>(Status::InvalidContext);
  *context = fake().contexts.back();
  fake().contexts.pop_back();
  return 0;
}
int cuCtxSynchronize(void) {
  ENTER(true);
  fake().note("synchronize");
  return 0;
}
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, JitOption *options, void **values) {
  ENTER(true);
  const char *text = static_cast<const char *>(image);
  fake().note(isPtx(text) ? "assemble" : "load module");
  std::map<JitOption, void *> option;
  for (unsigned i = 0; i < count; ++i)
    option[options[i]] = values[i];
  const char *error = isPtx(text) ? std::strstr(text, "\nerror ") : nullptr;
  if (error && option.count(JitOption::ErrorLog)) {
    snprintf(static_cast<char *>(option[JitOption::ErrorLog]),
             reinterpret_cast<uintptr_t>(option[JitOption::ErrorLogBytes]), "%s", error + 7);
    return static_cast<int>(Status::InvalidPtx);
  }
  *module = fake().load(text);
  return 0;
}
int cuModuleUnload(void *) {
  ENTER(true);
  fake().note("unload");
  return 0;
}
int cuModuleGetFunction(void **function, Module *module, const char *name) {
  ENTER();
  *function = fake().find(*module, name);
  return *function ? 0 : static_cast<int>(Status::SymbolNotFound);
}
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, Module *module, const char *name) {
  ENTER();
  return get(module, name, address, bytes);
}
int cuFuncSetAttribute(Kernel *kernel, int attribute, int value) {
  ENTER();
  fake().note("set attribute %d of %s to %d", attribute, kernel->name.c_str(), value);
  return 0;
}
int cuLibraryLoadData(void **library, const void *image, int *, void **, unsigned, int *, void **, unsigned) {
  ENTER(true);
  fake().note("load library");
  *library = fake().load(static_cast<const char *>(image));
  return 0;
}
int cuLibraryUnload(void *) {
  ENTER(true);
  fake().note("unload");
  return 0;
}
int cuLibraryGetKernel(void **kernel, Module *library, const char *name) {
  ENTER();
  *kernel = fake().find(*library, name);
  return *kernel ? 0 : static_cast<int>(Status::SymbolNotFound);
}
int cuLibraryGetGlobal(uint64_t *address, size_t *bytes, Module *library, const char *name) {
  ENTER();
  return get(library, name, address, bytes);
}
int cuKernelGetFunction(void **function, void *kernel) {
  ENTER();
  *function = kernel;
  return 0;
}
int cuLaunchKernelEx(const LaunchConfig *config, Kernel *kernel, void **parameters, void **) {
  ENTER();
  if (fake().contexts.empty())
    return static_cast<int>(Status::InvalidContext);
  describe(*config, *kernel, parameters);
  fakecuda_kernel function = fake().kernel;
  lock.unlock();
  if (function)
    function(kernel->name.c_str(), config->grid, parameters);
  return 0;
}
// Few clusters of more than two blocks find a place.
int cuOccupancyMaxActiveClusters(int *clusters, Kernel *, const LaunchConfig *config) {
  ENTER(true);
  const uint32_t *cluster = config->attributes[0].value.cluster;
  *clusters = cluster[0] * cluster[1] * cluster[2] > 2 ? 1 : 8;
  return 0;
}
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  ENTER(true);
  void *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  fake().allocations.insert(memory);
  *address = reinterpret_cast<uint64_t>(memory);
  return 0;
}
int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned) {
  return cuMemAlloc_v2(address, bytes);
}
int cuMemFree_v2(uint64_t address) {
  ENTER(true);
  if (!fake().allocations.erase(reinterpret_cast<void *>(address)))
    return static_cast<int>(Status::InvalidValue);
  std::free(reinterpret_cast<void *>(address));
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  ENTER(true);
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  ENTER(true);
  std::memcpy(to, reinterpret_cast<void *>(from), bytes);
  return 0;
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, StreamHandle) {
  ENTER();
  std::memcpy(reinterpret_cast<void *>(to), from, bytes);
  return 0;
}
int cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  ENTER(true);
  *address = std::calloc(1, bytes);
  fake().allocations.insert(*address);
  return 0;
}
int cuMemFreeHost(void *address) {
  ENTER(true);
  fake().allocations.erase(address);
  std::free(address);
  return 0;
}
int cuMemHostGetDevicePointer_v2(uint64_t *address, void *host, unsigned) {
  ENTER();
  *address = reinterpret_cast<uint64_t>(host);
  return 0;
}
int cuPointerGetAttribute(void *value, int, uint64_t) {
  ENTER();
  *static_cast<int *>(value) = 0;
  return 0;
}
int cuStreamCreate(void **stream, unsigned) {
  ENTER();
  *stream = reinterpret_cast<void *>(fake().nextStream += 16);
  return 0;
}
int cuStreamSynchronize(StreamHandle stream) {
  ENTER(true);
  fake().note("synchronize stream %p", static_cast<void *>(stream));
  return 0;
}
int cuStreamIsCapturing(StreamHandle, int *status) {
  ENTER();
  *status = fake().isCapturing;
  return 0;
}
int cuThreadExchangeStreamCaptureMode(int *mode) {
  CaptureMode old = fake().mode;
  fake().mode = static_cast<CaptureMode>(*mode);
  *mode = static_cast<int>(old);
  return 0;
}
int cuMemsetD32Async(uint64_t at, unsigned value, size_t words, StreamHandle) {
  ENTER();
  fake().note("fill %zu words", words);
  std::fill_n(reinterpret_cast<uint32_t *>(at), words, value);
  return 0;
}
// An event is the number of lines of the log when it was recorded: a line takes a millisecond.
int cuEventCreate(size_t **event, unsigned) {
  ENTER();
  *event = new size_t(0);
  return 0;
}
int cuEventDestroy_v2(size_t *event) {
  delete event;
  return 0;
}
int cuEventRecord(size_t *event, StreamHandle) {
  ENTER();
  *event = std::count(fake().log.begin(), fake().log.end(), '\n');
  return 0;
}
int cuEventQuery(size_t *) {
  ENTER();
  return 0;
}
int cuEventElapsedTime(float *milliseconds, size_t *begin, size_t *end) {
  ENTER();
  *milliseconds = static_cast<float>(*end - *begin);
  return 0;
}
int cuTensorMapEncodeTiled(uint64_t *map, int element, uint32_t rank, void *address, const uint64_t *shape,
                           const uint64_t *strides, const uint32_t *box, const uint32_t *, int interleave, int swizzle,
                           int l2Promotion, int fill) {
  ENTER();
  if (fake().contexts.empty())
    return static_cast<int>(Status::InvalidContext);
  bool isAligned = reinterpret_cast<uintptr_t>(address) % 16 == 0;
  std::string text;
  for (uint32_t i = 0; i < rank; ++i) {
    isAligned &= !i || strides[i - 1] % 16 == 0;
    text += (i ? "x" : "") + std::to_string(shape[i]) + "/" + std::to_string(box[i]) + "@" +
            (i ? std::to_string(strides[i - 1]) : "0");
  }
  if (!isAligned)
    return static_cast<int>(Status::InvalidValue);
  fake().note("encode element %d %s interleave %d swizzle %d l2 %d fill %d", element, text.c_str(), interleave, swizzle,
              l2Promotion, fill);
  std::memset(map, 0, sizeof(TensorMap));
  map[0] = reinterpret_cast<uint64_t>(address);
  map[1] = shape[0];
  return 0;
}
}
