// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/MmaRegisters.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

bool tilewright::agrees(Value value, const LinearLayout &needed) {
  if (isa<tileas::BufferType>(value.getType()))
    return true;
  const LinearLayout &has = tileas::layoutOf(value);
  llvm::DenseSet<uint64_t> elements;
  for (uint64_t reg = 0; reg != has.inputSize(Dim::Register); ++reg)
    elements.insert(has.applyFlat({{Dim::Register, reg}}));
  for (uint64_t reg = 0; reg != needed.inputSize(Dim::Register); ++reg)
    if (!elements.contains(needed.applyFlat({{Dim::Register, reg}})))
      return false;
  return has.basisOf(Dim::Lane) == needed.basisOf(Dim::Lane) && has.basisOf(Dim::Warp) == needed.basisOf(Dim::Warp);
}
