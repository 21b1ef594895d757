// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/SharedTransfer.h"

using namespace mlir;
using namespace tilewright;

LogicalResult tilewright::lowerAlloc(tileas::AllocOp alloc, TileRegisters &tiles) {
  if (!alloc.getOffset())
    return alloc.emitError() << "internal error: a buffer has no place in shared memory";
  tiles.set(alloc, tiles.i32(*alloc.getOffset()));
  return success();
}

LogicalResult tilewright::lowerWrite(tileas::WriteOp write, TileRegisters &tiles) {
  storeShared(tiles.get(write.getTile()), tileas::layoutOf(write.getTile()), write.getBuffer().getType(),
              tiles.get(write.getBuffer())[0], tiles);
  return success();
}

LogicalResult tilewright::lowerRead(tileas::ReadOp read, TileRegisters &tiles) {
  if (!read.getOffsets().empty())
    return read.emitError() << "internal error: a part of a buffer is read";
  SharedLoader loader(tileas::layoutOf(read.getTile()), read.getBuffer().getType(), tiles.get(read.getBuffer())[0],
                      tiles);
  tiles.set(read.getTile(), loader.getAll());
  return success();
}
