// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that a program shares with its kernels.
#include "session/c_api/SharedMemory.h"

#include "options/Environment.h"
#include "session/Bundle.h"
#include "session/c_api/Error.h"

#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <map>

using namespace tilewright;
using namespace tilewright::c_api;

namespace {

constexpr size_t alignment = 256;
constexpr unsigned fromAnyStream = 1; // of cuMemAllocManaged

bool isChecked() {
  static const bool isChecked = environmentFlag("TILEWRIGHT_CHECK");
  return isChecked;
}

// The memory of the process, for checked mode.
class Allocations {
public:
  void add(void *memory, size_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    byAddress[reinterpret_cast<uint64_t>(memory)] = bytes;
  }
  void remove(void *memory) {
    std::lock_guard<std::mutex> lock(mutex);
    byAddress.erase(reinterpret_cast<uint64_t>(memory));
  }
  // Address and size of that which an address is in, or just behind.
  std::optional<std::pair<uint64_t, size_t>> find(uint64_t address) {
    std::lock_guard<std::mutex> lock(mutex);
    auto next = byAddress.upper_bound(address);
    if (next == byAddress.begin() || address > std::prev(next)->first + std::prev(next)->second)
      return std::nullopt;
    return *std::prev(next);
  }

private:
  std::mutex mutex;
  std::map<uint64_t, size_t> byAddress;
};

Allocations &allocations() {
  static Allocations &instance = *new Allocations();
  return instance;
}

// The same for all memory of the process.
cuda::Device *sharingDevice() {
  static cuda::Device *const device = session::deviceOfProgram();
  return device;
}

} // namespace

llvm::Expected<std::vector<interpreter::CheckedArray>> c_api::sharedArrays(const EntryInfo &info,
                                                                           llvm::ArrayRef<void *> values) {
  std::vector<interpreter::CheckedArray> arrays;
  for (auto [i, value] : llvm::enumerate(values)) {
    if (i >= info.parameters.size() || info.parameters[i].kind != EntryParameter::Kind::Pointer || !value)
      continue;
    const EntryParameter &parameter = info.parameters[i];
    uint64_t address = *static_cast<const uint64_t *>(value);
    auto found = address ? allocations().find(address) : std::nullopt;
    if (!found)
      return llvm::createStringError("parameter " + llvm::Twine(i) +
                                     " of the kernel points to other memory than that of "
                                     "tilewright::vector, which checked mode expects");
    auto known = llvm::find_if(arrays, [&](const auto &array) { return array.address == found->first; });
    if (known == arrays.end()) {
      known = arrays.emplace(arrays.end());
      known->name = "%arg" + std::to_string(i); // as in reports on modules
      known->address = found->first;
      known->elementBytes = std::max(1u, parameter.bits / 8);
      known->shape = {static_cast<int64_t>(found->second / known->elementBytes)};
      known->byteStrides = {known->elementBytes};
    }
    known->isWritten |= parameter.written;
  }
  return arrays;
}

extern "C" {

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
      if (*memory && isChecked())
        allocations().add(*memory, bytes);
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
  if (!device) {
    if (isChecked())
      allocations().remove(memory);
    return free(memory);
  }
  cuda::CurrentContext context(*device);
  device->driver.memoryFree(reinterpret_cast<cuda::DeviceAddress>(memory));
}

} // extern "C"
