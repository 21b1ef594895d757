// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/TensorMaps.h"

#include "runtime/cuda/DriverError.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"
#include <cstring>

using namespace llvm;

namespace tilewright::cuda {

// Threads access what the hardware cannot describe.
constexpr StringLiteral withoutTma = "compile the kernel with allow_tma=False in its loads and stores of the array";

bool TensorMaps::Tensor::operator==(const Tensor &other) const {
  return !std::memcmp(this, &other, sizeof(Tensor));
}

int64_t TensorMaps::evaluate(const LaunchNumber &number, void *const *parameters) const {
  if (number.parameter < 0)
    return number.constant;
  int64_t value = 0;
  unsigned bits = entry.parameters[number.parameter].bits;
  std::memcpy(&value, parameters[number.parameter], (bits + 7) / 8);
  value = bits < 64 ? SignExtend64(value, bits) : value;
  return divideCeilSigned(value * number.factor, number.divisor) + number.constant;
}

TensorMaps::Tensor TensorMaps::evaluate(void *const *parameters) const {
  Tensor tensor{};
  std::memcpy(&tensor.address, parameters[info.pointer], sizeof(tensor.address));
  tensor.address += evaluate(info.offset, parameters);
  for (auto [i, extent] : enumerate(info.shape))
    tensor.shape[i] = evaluate(extent, parameters);
  for (auto [i, stride] : enumerate(info.strides))
    tensor.strides[i] = evaluate(stride, parameters);
  return tensor;
}

// CUDA driver API, cuTensorMapEncodeTiled: arguments that it refuses without a message.
std::string TensorMaps::findProblem(const Tensor &tensor) const {
  uint64_t unit = info.interleave == TensorMapInfo::Interleave::B32 ? 32 : 16;
  auto refuse = [](const char *what, uint64_t value, const Twine &expected, StringRef fix) {
    return (Twine(what) + " is " + Twine(value) + ", expected " + expected + "; " + fix).str();
  };
  // Accesses of threads are as wide as the module says that arrays are aligned.
  auto refuseAlignment = [&](const char *what, uint64_t value) {
    return refuse(what, value, "a multiple of " + Twine(unit),
                  "copy the array, or compile the kernel for arrays without that alignment");
  };
  if (tensor.address % unit)
    return refuseAlignment("its address", tensor.address);
  for (size_t i = 0; i < info.shape.size(); ++i)
    if (tensor.shape[i] < 1 || tensor.shape[i] > mostTensorMapExtent)
      return refuse("an extent", tensor.shape[i], "1 to 2**31 - 2**16", withoutTma);
  for (size_t i = 0; i < info.strides.size(); ++i) {
    if (tensor.strides[i] % unit)
      return refuseAlignment("a stride in bytes", tensor.strides[i]);
    if (tensor.strides[i] >= uint64_t(1) << 40)
      return refuse("a stride in bytes", tensor.strides[i], "less than 2**40", withoutTma);
  }
  return "";
}

void TensorMaps::encode(Slot &slot) const {
  slot.problem =
      driver.tensorMapEncode ? findProblem(slot.tensor) : ("the driver is older than CUDA 12; " + withoutTma).str();
  if (!slot.problem.empty())
    return;
  uint32_t steps[5] = {1, 1, 1, 1, 1};
  copy(info.steps, steps);
  Status status = driver.tensorMapEncode(
      &slot.map, static_cast<int>(info.element), info.shape.size(), reinterpret_cast<void *>(slot.tensor.address),
      slot.tensor.shape, slot.tensor.strides, info.box.data(), steps, static_cast<int>(info.interleave),
      static_cast<int>(info.swizzle), static_cast<int>(info.l2Promotion), static_cast<int>(info.fill));
  if (status != Status::Success)
    slot.problem = "the driver does not take its tensor map: " + nameOf(driver, status) + "; " + withoutTma.str();
}

StringRef TensorMaps::encode(void *const *parameters, TensorMap &map) {
  Tensor tensor = evaluate(parameters);
  uint64_t hash = xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(&tensor), sizeof(tensor)));
  std::lock_guard<std::mutex> lock(mutex);
  Slot &slot = slots[hash % slots.size()];
  if (!slot.isUsed || !(slot.tensor == tensor)) {
    slot.isUsed = true;
    slot.tensor = tensor;
    ++encodings;
    encode(slot);
  }
  map = slot.map;
  return slot.problem;
}

} // namespace tilewright::cuda
