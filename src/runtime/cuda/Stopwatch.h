// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a GPU for the work on a stream between begin and end, by the driver's events.
#ifndef TILEWRIGHT_RUNTIME_CUDA_STOPWATCH_H
#define TILEWRIGHT_RUNTIME_CUDA_STOPWATCH_H

#include "runtime/cuda/Device.h"
#include <optional>

namespace tilewright::cuda {

class Stopwatch {
public:
  Stopwatch(Device &device, StreamHandle stream) : device(device), stream(stream) {}
  ~Stopwatch();
  Stopwatch(const Stopwatch &) = delete;

  // With a cold cache, memory of twice the size of the L2 cache is written first. That also keeps the GPU busy until
  // the work is there, which otherwise begins when the host has launched it.
  llvm::Error begin(bool isCacheCold);
  llvm::Error end();
  // Waits. None if the work still runs after so many seconds; 0 is no limit.
  llvm::Expected<std::optional<double>> seconds(double limit);

private:
  llvm::Error check(Status status) const;

  Device &device;
  StreamHandle stream;
  EventHandle first = nullptr, last = nullptr;
  DeviceAddress memory = 0;
  bool isRunning = false; // timed work is in flight; freeing would wait for it
};

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_STOPWATCH_H
