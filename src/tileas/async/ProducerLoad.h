// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_PRODUCERLOAD_H
#define TILEWRIGHT_TILEAS_ASYNC_PRODUCERLOAD_H

#include "tileas/analysis/TileSlopes.h"
#include "tileas/async/LoopLoads.h"
#include "tileas/async/StagedTile.h"
#include "tileas/async/TmaAccess.h"

namespace tilewright::tileas {

/// A buffer for products, and the write that fills it.
struct StagedBuffer {
  AllocOp alloc;
  WriteOp write;
};

/// A load that a producer can copy to a buffer for products in its own block or in nested loops, or from which threads
/// compute an operand of a product: they read the tile from the stage, in the layout in which they compute.
///
/// ```
/// %t = tileaa.load_view %weights[...] : 128x64xi8, #l      the stage has 8 KB of the weights, not their floats
/// %u = tileas.convert_layout %t to #n                      read = %u
/// %w = tileaa.convert %u to bf16
/// %d = tileas.mma %w, %b, %c
/// ```
///
/// Products may read one tile by several names, as those of attention whose values are its keys:
///
/// ```
/// %a = tileas.alloc : <512x32xbf16, #t>   tileas.write %transposed, %a     the buffer of the stage
/// %b = tileas.alloc : <32x512xbf16, #l>   tileas.write %tile, %b           the same bytes
/// ```
///
/// A tile whose rows are contiguous, of elements that products want in columns, is loaded and written by the producer's
/// threads:
///
/// ```
/// %t = tileaa.load_view %v[...] : 128x64xi8, #l            in columns of 128 bytes
/// %a = tileas.alloc : <128x64xi8, #columns>   tileas.write %t, %a
/// ```
struct ProducerLoad {
  StagedTile tile;            // by TMA
  tileaa::LoadPtrOp gathered; // or through addresses, by copies of the producer's threads
  BufferType buffer;          // of the stage
  // In the order of their writes, the stage's first; the others hold its bytes with the dimensions in another order.
  llvm::SmallVector<StagedBuffer, 2> buffers;
  std::optional<layout::LinearLayout> turning; // of the producer's threads, which write the tile to its buffer
  mlir::Value read;                            // in place of buffers: the tile in the threads' layout
  tileaa::ConvertOp rounding;                  // of the loaded tile, to tf32
  TmaAccess access;
  // The operations of its block in which it is read, first and last.
  mlir::Operation *firstUse, *lastUse;

  /// Whether all threads of the producer take part.
  bool isByThreads() const { return gathered || turning; }
  TileLoad load() const { return gathered ? TileLoad(gathered) : TileLoad(tile.load); }
};

/// Whether asynchronous copies by threads, of 4 bytes at least, can gather elements into a buffer.
bool canGather(tileaa::LoadPtrOp load, BufferType buffer, const TileSlopes &slopes);

/// The load whose tile is written to a buffer for products, if a producer can stage it; remarks say why not.
std::optional<ProducerLoad> producerLoad(AllocOp alloc, const TileSlopes &slopes);
/// A load in a loop from which threads compute an operand of a product of that loop; remarks say why not.
std::optional<ProducerLoad> producerLoad(tileaa::LoadViewOp load);

} // namespace tilewright::tileas

#endif
