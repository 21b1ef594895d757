// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of the C interface: of this process, or of the session's GPU.
#include "runtime/cuda/Device.h"
#include "session/c_api/Session.h"

#include <cstdlib>
#include <cstring>

using namespace tilewright;
using namespace tilewright::c_api;

namespace {

// `use` with the driver, in the context of the session's GPU; `purpose` is for the message.
template <typename Use>
tilewright_error *onDevice(const tilewright_session &session, const llvm::Twine &purpose, Use use) {
  auto device = cuda::Device::get(session.snapshot().settings.device);
  if (!device)
    return convert(device.takeError());
  cuda::CurrentContext context(*device);
  cuda::Status status = context.status;
  if (status == cuda::Status::Success)
    status = use(device->driver);
  if (status == cuda::Status::Success)
    return nullptr;
  return convert(cuda::failed(device->driver, status, purpose + " on " + device->text()));
}

} // namespace

extern "C" {

tilewright_error *tilewright_memory_allocate(tilewright_session *session, size_t bytes, void **memory) {
  return guarded([&]() -> tilewright_error * {
    if (!session || !memory)
      return badArgument("a session and a place for the address are expected, one of them is null");
    *memory = nullptr;
    bytes = std::max<size_t>(bytes, 1);
    if (!session->isOnGpu()) {
      constexpr size_t alignment = 256;
      if (bytes <= SIZE_MAX - alignment)
        *memory = aligned_alloc(alignment, llvm::alignTo(bytes, alignment));
      return *memory ? nullptr : makeError(TILEWRIGHT_OUT_OF_MEMORY, "no memory for " + llvm::Twine(bytes) + " bytes");
    }
    return onDevice(*session, "allocating " + llvm::Twine(bytes) + " bytes", [&](const cuda::Driver &driver) {
      cuda::DeviceAddress address = 0;
      cuda::Status status = driver.memoryAllocate(&address, bytes);
      *memory = reinterpret_cast<void *>(address);
      return status;
    });
  });
}

void tilewright_memory_free(tilewright_session *session, void *memory) {
  if (!session || !memory)
    return;
  if (!session->isOnGpu())
    return free(memory);
  tilewright_error_free(guarded([&] {
    return onDevice(*session, "freeing memory", [&](const cuda::Driver &driver) {
      return driver.memoryFree(reinterpret_cast<cuda::DeviceAddress>(memory));
    });
  }));
}

tilewright_error *tilewright_memory_write(tilewright_session *session, void *memory, const void *from, size_t bytes) {
  return guarded([&]() -> tilewright_error * {
    if (!session || (bytes && (!memory || !from)))
      return badArgument("a session and two addresses are expected, one of them is null");
    if (!bytes)
      return nullptr;
    if (session->isOnGpu())
      return onDevice(*session, "copying to memory", [&](const cuda::Driver &driver) {
        return driver.copyToDevice(reinterpret_cast<cuda::DeviceAddress>(memory), from, bytes);
      });
    memmove(memory, from, bytes);
    return nullptr;
  });
}

tilewright_error *tilewright_memory_read(tilewright_session *session, void *to, const void *memory, size_t bytes) {
  return guarded([&]() -> tilewright_error * {
    if (!session || (bytes && (!memory || !to)))
      return badArgument("a session and two addresses are expected, one of them is null");
    if (!bytes)
      return nullptr;
    if (!session->isOnGpu()) {
      memmove(to, memory, bytes);
      return nullptr;
    }
    if (tilewright_error *error = tilewright_synchronize())
      return error;
    return onDevice(*session, "copying from memory", [&](const cuda::Driver &driver) {
      return driver.copyToHost(to, reinterpret_cast<cuda::DeviceAddress>(memory), bytes);
    });
  });
}

} // extern "C"
