// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain accesses through thread of addresses: vectors where addresses are known to lie one after another and masks to
// be equal there.
#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"
#include "lower/tileas_to_nvvm/memory/MemoryPatterns.h"
#include "lower/tileas_to_nvvm/memory/VectorRegisters.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

// Whether a mask leaves zeros there, as loadGlobal does in any case.
static bool isZero(Value padding) {
  return matchPattern(padding, m_PosZeroFloat()) || matchPattern(padding, m_Zero());
}

namespace {

struct LoadPtrPattern : TilePattern<tileaa::LoadPtrOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::LoadPtrOp load, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (load.getOrdering())
      return failure();
    OpBuilder &b = thread.builder;
    Type element = getElementTypeOrSelf(load.getTile().getType());
    const VectorRegisters &vector = kernel.vectors.of(load);
    ValueRange addresses = adaptor.getAddresses();
    SmallVector<Value> registers(addresses.size());
    for (unsigned start : vector.starts(addresses.size())) {
      Value mask = elementOf(adaptor.getMask(), start);
      SmallVector<Value> loaded = loadGlobal(thread.globalPointer(addresses[start]), element, vector.width(),
                                             vector.width() * bytesOf(element), mask, thread, load.getCache());
      for (auto [reg, value] : llvm::zip_equal(vector.from(start), loaded)) {
        Value padding = mask ? elementOf(adaptor.getPadding(), reg) : Value();
        bool isPadded = padding && !isZero(padding);
        registers[reg] = isPadded ? arith::SelectOp::create(b, thread.loc, mask, value, padding).getResult() : value;
      }
    }
    return thread.replace(load, registers);
  }
};

struct StorePtrPattern : TilePattern<tileaa::StorePtrOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::StorePtrOp store, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (store.getOrdering())
      return failure();
    Type type = store.getTile().getType();
    int64_t bytes = bytesOf(getElementTypeOrSelf(type));
    const VectorRegisters &vector = kernel.vectors.of(store);
    ValueRange addresses = adaptor.getAddresses(), values = adaptor.getTile();
    auto tile = dyn_cast<RankedTensorType>(type);
    uint64_t copies = tile ? tileas::layoutOf(tile).redundantBits(layout::Dim::Register) : 0;
    Value original = thread.isOriginal(type);
    for (unsigned start : vector.starts(addresses.size())) {
      if (start & copies)
        continue;
      SmallVector<Value> stored;
      for (unsigned reg : vector.from(start))
        stored.push_back(values[reg]);
      storeGlobal(stored, thread.globalPointer(addresses[start]), vector.width() * bytes,
                  thread.both(original, elementOf(adaptor.getMask(), start)), thread, store.getCache());
    }
    return thread.replace(store);
  }
};

} // namespace

void tilewright::populatePointerAccessPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<LoadPtrPattern, StorePtrPattern>(kernel);
}
