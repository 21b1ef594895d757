// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/CopyWidth.h"

#include "tileas/analysis/PointerMemory.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

int64_t tileas::neighboursIn(const LinearLayout &places, ArrayRef<unsigned> registers) {
  uint64_t inside = 0, outside = 0;
  int64_t count = 1;
  auto offset = [&](unsigned reg) { return places.applyFlat({{Dim::Register, reg}}); };
  for (size_t step = 1; step < registers.size(); step *= 2) {
    if ((offset(registers[step]) ^ offset(registers[0])) != step)
      break;
    inside |= registers[step] ^ registers[0];
    count *= 2;
  }
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
    for (auto [bit, basis] : llvm::enumerate(places.basisOf(in)))
      if (in != Dim::Register || !(inside >> bit & 1))
        outside |= basis;
  while (count > 1 && outside & (count - 1))
    count /= 2;
  return count;
}

int64_t tileas::bytesOfCopy(Value addresses, Value mask, BufferType buffer, const TileSlopes &slopes) {
  int64_t bytes = std::max(1u, buffer.getElementType().getIntOrFloatBitWidth() / 8);
  auto memory = memoryOf(addresses, mask, bytes, slopes);
  if (!memory)
    return bytes;
  const LinearLayout &copier = layoutOf(cast<RankedTensorType>(addresses.getType()));
  SmallVector<unsigned> registers{0};
  for (unsigned bit : layout::vectorRegisters(copier, *memory))
    for (unsigned reg : SmallVector<unsigned>(registers))
      registers.push_back(reg ^ 1u << bit);
  return bytes * neighboursIn(copier.then(buffer.getLayout().getLayout().inverse()), registers);
}
