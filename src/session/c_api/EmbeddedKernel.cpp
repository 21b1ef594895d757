// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that a program carries.
#include "session/Bundle.h"
#include "session/c_api/Entry.h"
#include "session/c_api/SharedMemory.h"

#include "options/Environment.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cstdlib>
#include <list>

using namespace tilewright;
using namespace tilewright::c_api;

namespace {

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
  // As long as the process: a record of a kernel lives as long as its program or library.
  static auto &entries = *new std::list<tilewright_entry>();
  entries.push_back({std::move(*code), session::ExecuteOptions::fromEnvironment(), ""});
  tilewright_entry *entry = &entries.back();
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

// A launch in checked mode needs to know where arrays end.
tilewright_error *launchChecked(const tilewright_entry &entry, const int64_t grid[3], void *const *values,
                                size_t numValues) {
  auto arrays = sharedArrays(*entry.code.info, llvm::ArrayRef(values, numValues));
  if (!arrays)
    return badArgument(llvm::toString(arrays.takeError()));
  tilewright_entry checked = entry;
  checked.execution.arrays = [&] { return *arrays; };
  return tilewright_entry_launch(&checked, grid, values, numValues, nullptr);
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
  if (error)
    return error;
  if (entry->execution.check && entry->code.get<session::InterpretedCode>())
    return launchChecked(*entry, grid, values, numValues);
  return tilewright_entry_launch(entry, grid, values, numValues, entry->code.isOnGpu() ? stream : nullptr);
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

} // extern "C"
