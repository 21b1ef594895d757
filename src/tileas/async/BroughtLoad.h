// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_BROUGHTLOAD_H
#define TILEWRIGHT_TILEAS_ASYNC_BROUGHTLOAD_H

#include "tileas/analysis/TileSlopes.h"
#include "tileas/async/BroughtTile.h"
#include "tileas/async/LoopLoads.h"
#include "tileas/async/TmaAccess.h"

namespace tilewright::tileas {

/// A load that goes straight into a buffer, from which products read it: in its own block, or in loops further in. Or
/// that threads hold in another way for the left operand of a product, rounded to tf32.
struct BroughtLoad {
  BroughtTile tile;           // by the tensor memory accelerator
  tileaa::LoadPtrOp gathered; // or from addresses, by copies of the producer's threads
  BufferType buffer;
  WriteOp write;
  AllocOp alloc;
  ConvertLayoutOp read;       // in the place of the former
  tileaa::ConvertOp rounding; // of what was read, to tf32
  TmaAccess access;
  // The operations of its block in which it is read, first and last.
  mlir::Operation *firstUse, *lastUse;

  TileLoad load() const { return gathered ? TileLoad(gathered) : TileLoad(tile.load); }
};

/// Whether copies by threads, of 4 bytes at least, can bring what is at addresses into a buffer.
bool canGather(tileaa::LoadPtrOp load, BufferType buffer, const TileSlopes &slopes);

/// The load whose tile is written into a buffer for products, if a producer can make it in place of the threads that
/// multiply; remarks say why not.
std::optional<BroughtLoad> broughtLoad(AllocOp alloc, const TileSlopes &slopes);
/// The load whose tile changes its layout for a product.
std::optional<BroughtLoad> broughtLoad(ConvertLayoutOp read);

} // namespace tilewright::tileas

#endif
