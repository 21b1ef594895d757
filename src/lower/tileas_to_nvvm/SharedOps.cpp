// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Distributed.h"
#include "layout/memory/SharedLayouts.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/SharedTransfer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

// Whether it is read past the caches of the threads: what they wrote has to be brought there.
static bool isReadByHardware(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    return isa<tileas::TmaStoreOp>(user) || tileas::multipliesByHardware(user);
  });
}

LogicalResult tilewright::lowerAlloc(tileas::AllocOp alloc, TileRegisters &tiles) {
  if (!alloc.getOffset())
    return alloc.emitError() << "internal error: a buffer has no place in shared memory";
  tiles.set(alloc, tiles.i32(*alloc.getOffset()));
  return success();
}

LogicalResult tilewright::lowerWrite(tileas::WriteOp write, TileRegisters &tiles) {
  storeShared(tiles.get(write.getTile()), tileas::layoutOf(write.getTile()), write.getBuffer().getType(),
              tiles.get(write.getBuffer())[0], tiles);
  if (isReadByHardware(write.getBuffer()))
    showToHardware(tiles);
  return success();
}

LogicalResult tilewright::lowerRead(tileas::ReadOp read, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  tileas::BufferType buffer = read.getBuffer().getType();
  layout::LinearLayout layout = tileas::layoutOf(read.getTile());
  Value base = tiles.get(read.getBuffer())[0];
  if (!read.getOffsets().empty()) {
    // Where elements lie row by row, a part is the first one moved. Its offsets are multiples of its extents, so they
    // keep what is aligned in it.
    ArrayRef<int64_t> shape = buffer.getShape();
    if (buffer.getLayout().getLayout() != layout::plainShared(shape, layout::rowMajorOrder(shape.size())))
      return read.emitError() << "internal error: a part is read of a buffer that is not row by row";
    int64_t stride = bytesOf(buffer.getElementType());
    for (unsigned dim = shape.size(); dim-- != 0; stride *= shape[dim]) {
      layout = layout.extendOutput(layout::tileDim(dim), shape[dim]);
      Value offset = b.createOrFold<arith::IndexCastOp>(tiles.loc, b.getI32Type(), read.getOffsets()[dim]);
      offset = b.createOrFold<arith::MulIOp>(tiles.loc, offset, tiles.i32(stride));
      base = b.createOrFold<arith::AddIOp>(tiles.loc, base, offset);
    }
  }
  tiles.set(read.getTile(), SharedLoader(layout, buffer, base, tiles).getAll());
  return success();
}
