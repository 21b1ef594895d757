// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that a program carries, and the memory that it shares with them.
#include "runtime/cuda/Device.h"
#include "session/Bundle.h"
#include "session/c_api/Entry.h"

#include "options/Environment.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

#include <cstdlib>

using namespace tilewright;
using namespace tilewright::c_api;

namespace {

constexpr size_t alignment = 256;
constexpr unsigned fromAnyStream = 1; // of cuMemAllocManaged

// Loaded by the first of the threads that launch it.
llvm::Expected<tilewright_entry *> entryOf(tilewright_embedded_kernel &kernel) {
  if (void *known = __atomic_load_n(&kernel.loaded, __ATOMIC_ACQUIRE))
    return static_cast<tilewright_entry *>(known);
  static std::mutex &mutex = *new std::mutex();
  std::lock_guard<std::mutex> lock(mutex);
  if (kernel.loaded)
    return static_cast<tilewright_entry *>(kernel.loaded);
  auto code = session::loadBundled({static_cast<const char *>(kernel.bundle), kernel.size}, kernel.name);
  if (!code)
    return code.takeError();
  auto *entry = new tilewright_entry{std::move(*code), session::ExecuteOptions::fromEnvironment(), ""};
  __atomic_store_n(&kernel.loaded, entry, __ATOMIC_RELEASE);
  return entry;
}

std::string defaultCacheFolder() {
  if (isSetInEnvironment("TILEWRIGHT_CACHE_DIR"))
    return environmentText("TILEWRIGHT_CACHE_DIR");
  const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  llvm::SmallString<128> folder(base && *base ? base : home ? home : "");
  if (!base || !*base)
    llvm::sys::path::append(folder, ".cache");
  llvm::sys::path::append(folder, "tilewright");
  return llvm::sys::path::is_absolute(folder) ? folder.str().str() : "";
}

// The same for all memory of the process.
cuda::Device *sharingDevice() {
  static cuda::Device *const device = session::deviceOfProgram();
  return device;
}

} // namespace

extern "C" {

tilewright_error *tilewright_embedded_kernel_launch(tilewright_embedded_kernel *kernel, const int64_t grid[3],
                                                    void *const *values, size_t numValues, void *stream) {
  tilewright_entry *entry = nullptr;
  tilewright_error *error = guarded([&]() -> tilewright_error * {
    if (!kernel)
      return badArgument("the kernel is null");
    auto found = entryOf(*kernel);
    if (!found)
      return convert(found.takeError());
    entry = *found;
    return nullptr;
  });
  return error ? error
               : tilewright_entry_launch(entry, grid, values, numValues, entry->code.isOnGpu() ? stream : nullptr);
}

const char *tilewright_default_target(void) {
  static const std::string &target = *new std::string([] {
    std::string wanted = environmentText("TILEWRIGHT_TARGET");
    return !wanted.empty() ? wanted : session::deviceOfProgram() ? "nvidia" : "cpu";
  }());
  return target.c_str();
}

const char *tilewright_default_cache(void) {
  static const std::string &folder = *new std::string(defaultCacheFolder());
  return folder.c_str();
}

tilewright_error *tilewright_shared_memory_allocate(size_t bytes, void **memory) {
  return guarded([&]() -> tilewright_error * {
    if (!memory)
      return badArgument("the place for the address is null");
    *memory = nullptr;
    bytes = std::max<size_t>(bytes, 1);
    cuda::Device *device = sharingDevice();
    if (!device) {
      if (bytes <= SIZE_MAX - alignment)
        *memory = aligned_alloc(alignment, llvm::alignTo(bytes, alignment));
      return *memory ? nullptr : makeError(TILEWRIGHT_OUT_OF_MEMORY, "no memory for " + llvm::Twine(bytes) + " bytes");
    }
    cuda::CurrentContext context(*device);
    cuda::DeviceAddress address = 0;
    cuda::Status status = context.status;
    if (status == cuda::Status::Success)
      status = device->driver.memoryAllocateManaged(&address, bytes, fromAnyStream);
    if (status != cuda::Status::Success)
      return convert(
          cuda::failed(device->driver, status,
                       "allocating " + llvm::Twine(bytes) + " bytes for " + device->text() + " and the program"));
    *memory = reinterpret_cast<void *>(address);
    return nullptr;
  });
}

void tilewright_shared_memory_free(void *memory) {
  cuda::Device *device = memory ? sharingDevice() : nullptr;
  if (!device)
    return free(memory);
  cuda::CurrentContext context(*device);
  device->driver.memoryFree(reinterpret_cast<cuda::DeviceAddress>(memory));
}

} // extern "C"
