// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain accesses through tiles of addresses: vectors where addresses are known to lie one after another and masks to be
// equal there.
#include "lower/tileas_to_nvvm/GlobalMemory.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/VectorRegisters.h"
#include "tileas/analysis/PointerMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

VectorRegisters tilewright::chooseVector(Value addresses, Value mask, int64_t bytes, TileRegisters &tiles) {
  VectorRegisters vector;
  if (auto memory = tileas::memoryOf(addresses, mask, bytes, tiles.slopes))
    for (unsigned bit : layout::vectorRegisters(tileas::layoutOf(cast<RankedTensorType>(addresses.getType())), *memory))
      vector.masks.push_back(1u << bit);
  return vector;
}

LogicalResult tilewright::lowerLoadPtr(tileaa::LoadPtrOp load, TileRegisters &tiles) {
  if (load.getOrdering())
    return lowerOrderedLoad(load, tiles);
  OpBuilder &b = tiles.builder;
  Type element = getElementTypeOrSelf(load.getTile().getType());
  VectorRegisters vector = chooseVector(load.getAddresses(), load.getMask(), bytesOf(element), tiles);
  SmallVector<Value> addresses = tiles.get(load.getAddresses()), registers(addresses.size());
  for (unsigned start : vector.starts(addresses.size())) {
    Value mask = tiles.elementOf(load.getMask(), start);
    SmallVector<Value> loaded = loadGlobal(tiles.globalPointer(addresses[start]), element, vector.width(),
                                           vector.width() * bytesOf(element), mask, tiles);
    for (auto [reg, value] : llvm::zip_equal(vector.from(start), loaded)) {
      Value padding = mask ? tiles.elementOf(load.getPadding(), reg) : Value();
      registers[reg] = padding ? arith::SelectOp::create(b, tiles.loc, mask, value, padding).getResult() : value;
    }
  }
  tiles.replace(load.getTile(), registers);
  return success();
}

LogicalResult tilewright::lowerStorePtr(tileaa::StorePtrOp store, TileRegisters &tiles) {
  if (store.getOrdering())
    return lowerOrderedStore(store, tiles);
  Type type = store.getTile().getType();
  int64_t bytes = bytesOf(getElementTypeOrSelf(type));
  VectorRegisters vector = chooseVector(store.getAddresses(), store.getMask(), bytes, tiles);
  SmallVector<Value> addresses = tiles.get(store.getAddresses()), values = tiles.get(store.getTile());
  auto tile = dyn_cast<RankedTensorType>(type);
  uint64_t copies = tile ? tileas::layoutOf(tile).redundantBits(layout::Dim::Register) : 0;
  Value original = tiles.isOriginal(type);
  for (unsigned start : vector.starts(addresses.size())) {
    if (start & copies)
      continue;
    SmallVector<Value> stored;
    for (unsigned reg : vector.from(start))
      stored.push_back(values[reg]);
    storeGlobal(stored, tiles.globalPointer(addresses[start]), vector.width() * bytes,
                tiles.both(original, tiles.elementOf(store.getMask(), start)), tiles);
  }
  return success();
}
