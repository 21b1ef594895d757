// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Stopwatch.h"

#include <chrono>
#include <thread>

using namespace llvm;

namespace tilewright::cuda {

Error Stopwatch::check(Status status) const {
  if (status == Status::Success)
    return Error::success();
  return failed(device.driver, status, "measuring on " + device.text());
}

Stopwatch::~Stopwatch() {
  CurrentContext current(device);
  if (first)
    device.driver.eventDestroy(first);
  if (last)
    device.driver.eventDestroy(last);
  if (memory && !isRunning)
    device.driver.memoryFree(memory);
}

Error Stopwatch::begin(bool isCacheCold) {
  CurrentContext current(device);
  Status status = current.status;
  for (EventHandle *event : {&first, &last})
    if (status == Status::Success)
      status = device.driver.eventCreate(event, 0);
  if (isCacheCold && status == Status::Success) {
    DeviceHandle handle = 0;
    int bytes = 0;
    status = device.driver.deviceGet(&handle, device.ordinal);
    if (status == Status::Success)
      status = device.driver.deviceAttribute(&bytes, DeviceAttribute::L2CacheBytes, handle);
    size_t words = std::max<size_t>(bytes, 1 << 20) / 2; // of four bytes: twice as many bytes
    if (status == Status::Success)
      status = device.driver.memoryAllocate(&memory, 4 * words);
    if (status == Status::Success)
      status = device.driver.fillAsync(memory, 0, words, stream);
  }
  if (status == Status::Success)
    status = device.driver.eventRecord(first, stream);
  return check(status);
}

Error Stopwatch::end() {
  CurrentContext current(device);
  isRunning = true;
  return check(current.status == Status::Success ? device.driver.eventRecord(last, stream) : current.status);
}

Expected<std::optional<double>> Stopwatch::seconds(double limit) {
  using Clock = std::chrono::steady_clock;
  CurrentContext current(device);
  Status status = current.status;
  auto start = Clock::now();
  while (status == Status::Success && (status = device.driver.eventQuery(last)) == Status::NotReady) {
    std::chrono::duration<double> passed = Clock::now() - start;
    if (limit > 0 && passed.count() > limit)
      return std::nullopt;
    if (passed.count() > 1e-3) // short work is waited for as closely as possible
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    status = Status::Success;
  }
  isRunning = false;
  float milliseconds = 0;
  if (status == Status::Success)
    status = device.driver.eventElapsed(&milliseconds, first, last);
  if (Error error = check(status))
    return error;
  return milliseconds * 1e-3;
}

} // namespace tilewright::cuda
