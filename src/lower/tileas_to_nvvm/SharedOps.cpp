// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/SharedTransfer.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

// Whether it is read past the caches of the threads: what they wrote has to be brought there.
static bool isReadByHardware(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    auto mma = dyn_cast<tileas::MmaOp>(user);
    return isa<tileas::TmaStoreOp>(user) || (mma && mma.getAtom().getKind() == tileas::AtomKind::Wgmma);
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
    NVVM::FenceProxyOp::create(tiles.builder, tiles.loc,
                               NVVM::ProxyKindAttr::get(write.getContext(), NVVM::ProxyKind::async_shared),
                               NVVM::SharedSpaceAttr::get(write.getContext(), NVVM::SharedSpace::shared_cta));
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
