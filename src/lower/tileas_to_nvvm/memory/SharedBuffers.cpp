// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/MemoryPatterns.h"
#include "lower/tileas_to_nvvm/memory/SharedTransfer.h"

#include "tileas/verify/ThreadElements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

namespace {

// Writes to buffers that are read past the caches of the threads: their writes have to be made visible by a proxy
// fence.
class WritesForHardware {
public:
  explicit WritesForHardware(Operation *function) {
    function->walk([&](tileas::WriteOp write) {
      if (llvm::any_of(write.getBuffer().getUsers(), readsByHardware))
        writes.insert(write);
    });
  }
  bool contains(tileas::WriteOp write) const { return writes.contains(write); }

private:
  static bool readsByHardware(Operation *user) {
    return isa<tileas::TmaStoreOp>(user) || tileas::multipliesByHardware(user);
  }
  DenseSet<Operation *> writes;
};

struct AllocPattern : TilePattern<tileas::AllocOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::AllocOp alloc, Adaptor, ThreadBuilder &thread) const override {
    if (!alloc.getOffset())
      return thread.fail(alloc, "it has no place in shared memory"); // tileas-allocate-shared
    return thread.replace(alloc, thread.i32(*alloc.getOffset()));
  }
};

struct WritePattern : TilePatternWith<tileas::WriteOp, WritesForHardware> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileas::WriteOp write, Adaptor adaptor, ThreadBuilder &thread) const override {
    storeShared(adaptor.getTile(), tileas::layoutOf(write.getTile()), write.getBuffer().getType(),
                adaptor.getBuffer()[0], thread);
    if (facts->contains(write))
      showToHardware(thread);
    return thread.replace(write);
  }
};

struct ReadPattern : TilePattern<tileas::ReadOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::ReadOp read, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (tileas::Fault fault = tileas::faultOf(read); !fault.empty())
      return thread.fail(read, fault);
    tileas::BufferType buffer = read.getBuffer().getType();
    layout::LinearLayout layout = tileas::layoutOf(read.getTile());
    Value base = adaptor.getBuffer()[0];
    if (!read.getOffsets().empty()) {
      ArrayRef<int64_t> shape = buffer.getShape();
      for (unsigned dim = 0; dim != shape.size(); ++dim)
        layout = layout.extendOutput(layout::tileDim(dim), shape[dim]);
      base = partOf(base, buffer, scalarsOf(adaptor.getOffsets()), thread);
    }
    return thread.replace(read, SharedLoader(layout, buffer, base, thread).getAll());
  }

private:
  // Where elements lie row by row, a part is the first one moved. Its offsets are multiples of its extents, so they
  // keep what is aligned in it.
  static Value partOf(Value base, tileas::BufferType buffer, ArrayRef<Value> offsets, ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    ArrayRef<int64_t> shape = buffer.getShape();
    int64_t stride = bytesOf(buffer.getElementType());
    for (unsigned dim = shape.size(); dim-- != 0; stride *= shape[dim]) {
      Value offset = b.createOrFold<arith::IndexCastOp>(thread.loc, b.getI32Type(), offsets[dim]);
      offset = b.createOrFold<arith::MulIOp>(thread.loc, offset, thread.i32(stride));
      base = b.createOrFold<arith::AddIOp>(thread.loc, base, offset);
    }
    return base;
  }
};

} // namespace

void tilewright::populateSharedBufferPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<AllocPattern, ReadPattern>(kernel);
  patterns.add<WritePattern>(kernel, std::make_shared<WritesForHardware>(kernel.function));
}
