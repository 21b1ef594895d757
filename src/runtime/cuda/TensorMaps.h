// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor maps of one kernel parameter, encoded on first use and cached by address, extents and strides.
#ifndef TILEWRIGHT_RUNTIME_CUDA_TENSORMAPS_H
#define TILEWRIGHT_RUNTIME_CUDA_TENSORMAPS_H

#include "runtime/cuda/Driver.h"
#include "runtime/cuda/GpuImage.h"
#include <array>
#include <mutex>

namespace tilewright::cuda {

class TensorMaps {
public:
  TensorMaps(const Driver &driver, const GpuEntry &entry, const TensorMapInfo &info)
      : driver(driver), entry(entry), info(info) {}

  // For a launch with these values of the entry's parameters. Empty, or why the hardware cannot have such a tensor.
  llvm::StringRef encode(void *const *parameters, TensorMap &map);

  size_t numEncoded() const { return encodings; }

private:
  struct Tensor {
    uint64_t address;
    uint64_t shape[5], strides[4];
    bool operator==(const Tensor &other) const;
  };
  struct Slot {
    bool isUsed = false;
    Tensor tensor;
    TensorMap map;
    std::string problem;
  };
  Tensor evaluate(void *const *parameters) const;
  int64_t evaluate(const LaunchNumber &number, void *const *parameters) const;
  void encode(Slot &slot) const;
  std::string findProblem(const Tensor &tensor) const;

  const Driver &driver;
  const GpuEntry &entry;
  const TensorMapInfo &info;
  std::mutex mutex;
  std::array<Slot, 32> slots; // by hash
  size_t encodings = 0;
};

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_TENSORMAPS_H
