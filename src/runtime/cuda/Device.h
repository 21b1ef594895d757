// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU of this machine as launches see it. Everything happens in its primary context, which PyTorch, CuPy and JAX
// share.
#ifndef TILEWRIGHT_RUNTIME_CUDA_DEVICE_H
#define TILEWRIGHT_RUNTIME_CUDA_DEVICE_H

#include "machine/Architecture.h"
#include "runtime/cuda/Driver.h"
#include "runtime/cuda/DriverError.h"
#include <array>
#include <atomic>
#include <mutex>
#include <vector>

namespace tilewright::cuda {

class HostRecords;
struct GpuEntry;

class Device {
public:
  // By the driver's number, the same object every time.
  static llvm::Expected<Device &> get(int ordinal);
  // Those that were asked for so far.
  static std::vector<Device *> known();

  const Driver &driver;
  const int ordinal;
  ContextHandle context = nullptr;
  std::string name;
  const nvidia::Architecture *architecture = nullptr; // code of no other runs there
  unsigned multiprocessors = 0;
  uint32_t sharedBytesPerBlock = 0;

  // An error if code of that architecture does not run there.
  llvm::Error checkArchitecture(llvm::StringRef name) const;

  // As in "GPU 0 (NVIDIA H100)".
  std::string text() const;

  // A launch is recorded, so that a later error can name the kernels that may have caused it.
  void note(const GpuEntry &entry) {
    recent[nextRecent.fetch_add(1, std::memory_order_relaxed) % recent.size()].store(&entry, std::memory_order_relaxed);
  }
  // The names of the last kernels that were launched, the newest first.
  std::vector<std::string> recentKernels() const;

  // The buffers of loaded modules, which stay loaded.
  void add(HostRecords &records);
  std::vector<HostRecords *> hostRecords() const;

  // Copies at once, on a stream that has nothing to do with others: also while some stream is captured.
  Status copyNow(DeviceAddress to, const void *from, size_t bytes);
  // Waits for the stream; false if that is impossible.
  bool synchronize(StreamHandle stream);

  // A copy of these words in device memory, made on first use: the tables of lists. The address is valid until so many
  // other tables were requested that no running launch can use it.
  llvm::Expected<DeviceAddress> tableFor(llvm::ArrayRef<int64_t> words);

private:
  Device(const Driver &driver, int ordinal) : driver(driver), ordinal(ordinal) {}
  static llvm::Expected<Device *> create(int ordinal);

  std::array<std::atomic<const GpuEntry *>, 8> recent{};
  std::atomic<size_t> nextRecent{0};
  mutable std::mutex mutex;
  std::vector<HostRecords *> records;
  struct Table {
    std::vector<int64_t> words;
    DeviceAddress address;
    uint64_t lastUse;
  };
  std::vector<Table> tables;
  uint64_t tableUses = 0;
  std::mutex copying;
  StreamHandle copyStream = nullptr;
};

// The device's context is this thread's meanwhile.
class CurrentContext {
public:
  explicit CurrentContext(const Device &device) : driver(device.driver) {
    ContextHandle current = nullptr;
    status = driver.contextGetCurrent(&current);
    if (status == Status::Success && current != device.context) {
      status = driver.contextPush(device.context);
      isPushed = status == Status::Success;
    }
  }
  ~CurrentContext() {
    ContextHandle popped;
    if (isPushed)
      driver.contextPop(&popped);
  }
  CurrentContext(const CurrentContext &) = delete;

  Status status;

private:
  const Driver &driver;
  bool isPushed = false;
};

// Memory may be allocated and modules loaded meanwhile, although some stream is being captured: nothing of that becomes
// part of the graph.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const Driver &driver) : driver(driver) { driver.exchangeCaptureMode(&mode); }
  ~RelaxedCapture() { driver.exchangeCaptureMode(&mode); }
  RelaxedCapture(const RelaxedCapture &) = delete;

private:
  const Driver &driver;
  CaptureMode mode = CaptureMode::Relaxed;
};

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_DEVICE_H
