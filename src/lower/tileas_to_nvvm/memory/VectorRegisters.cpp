// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/VectorRegisters.h"

#include "lower/tileas_to_nvvm/ThreadBuilder.h"
#include "tileas/analysis/PointerMemory.h"

using namespace mlir;
using namespace tilewright;

static VectorRegisters vectorOf(Value addresses, Value mask, Type element, const tileas::TileSlopes &slopes) {
  VectorRegisters vector;
  if (auto memory = tileas::memoryOf(addresses, mask, bytesOf(element), slopes))
    for (unsigned bit : layout::vectorRegisters(tileas::layoutOf(addresses), *memory))
      vector.masks.push_back(1u << bit);
  return vector;
}

PointerVectors::PointerVectors(Operation *function) {
  tileas::TileSlopes slopes(function);
  function->walk([&](Operation *op) {
    if (auto load = dyn_cast<tileaa::LoadPtrOp>(op))
      vectors[op] = vectorOf(load.getAddresses(), load.getMask(), getElementTypeOrSelf(load.getTile()), slopes);
    else if (auto store = dyn_cast<tileaa::StorePtrOp>(op))
      vectors[op] = vectorOf(store.getAddresses(), store.getMask(), getElementTypeOrSelf(store.getTile()), slopes);
    else if (auto copy = dyn_cast<tileas::AsyncLoadPtrOp>(op))
      vectors[op] = vectorOf(copy.getAddresses(), copy.getMask(),
                             copy.getPipeline().getType().getBuffers()[copy.getIndex()].getElementType(), slopes);
  });
}
