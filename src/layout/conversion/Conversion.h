// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a tile gets from one distributed layout into another, as data. A later pass writes instructions
// from it; ExecuteConversion.h executes it on the host.
#ifndef TILEWRIGHT_LAYOUT_CONVERSION_CONVERSION_H
#define TILEWRIGHT_LAYOUT_CONVERSION_CONVERSION_H

#include "layout/memory/SharedAccess.h"

namespace tilewright::layout {

// Registers r and r ^ registers change places in the threads for which the parity of (lane & lanes) and (warp & warps)
// together is odd: one select per register.
struct SelectStage {
  Mask registers, lanes, warps;
};

// Each lane gets register `from` of another lane and keeps it as register `to`.
struct ShuffleRound {
  unsigned from, to;
  Mask laneXor;
};

// Values move inside each warp:
//  1. `before` permutes the registers of each lane so that all lanes send the same register in a round;
//  2. in a round, lane l of warp w reads from lane source(l, w) ^ laneXor, where source is linear, mostly the identity;
//  3. `after` puts what came to its places.
// This takes R (1 - 2^-k) shuffles and 2kR selects for R registers of which k bits trade places with lane bits, against
// kR/2 and kR with a butterfly.
struct WarpExchange {
  llvm::SmallVector<SelectStage> before, after;
  llvm::SmallVector<ShuffleRound> rounds;
  llvm::SmallVector<Mask> sourceOfLane, sourceOfWarp; // by bit

  unsigned sourceLane(unsigned lane, unsigned warp) const;
  bool isShuffle(const ShuffleRound &round) const; // else each thread keeps its value
};

struct SharedExchange {
  LinearLayout shared; // Offset (in elements) -> the tile, or the part of it that goes first
  SharedAccess store, load;
  // To need less memory, parts go one after another through the same addresses: the span of these register masks, of
  // the source and of the result, has a register to be added in all of a part's accesses.
  struct Part {
    Mask store, load;
  };
  llvm::SmallVector<Part> parts;
  bool acrossWarps = true; // else warps need not wait for each other
};

enum class ConversionKind { None, Registers, Warp, Shared };

// The instructions that one warp issues.
struct ConversionCost {
  unsigned selects = 0, shuffles = 0, accesses = 0, wavefronts = 0, barriers = 0;
  uint64_t sharedBytes = 0;
  // A rough measure to choose by: cycles of one warp where nothing else runs on its part of the multiprocessor.
  double cycles() const;
};

struct Conversion {
  ConversionKind kind = ConversionKind::None;
  // Registers that are copies take no part: bit i of a number of what is moved is bit source[i] of the source's number;
  // and a register of the result is the xor of `result` over its bits, as a number of what has come.
  llvm::SmallVector<unsigned> source;
  llvm::SmallVector<Mask> result;
  WarpExchange warp;     // Registers and Warp
  SharedExchange shared; // Shared
  ConversionCost cost;

  std::string str() const; // in one line
};

struct ConversionOptions {
  unsigned elementBits = 32;
  bool ldmatrix = true, stmatrix = true; // sm_75, sm_90
  bool shuffles = true, sharedMemory = true;
  uint64_t mostSharedBytes = 228 << 10; // a larger tile goes in parts, if its registers allow that
};

// The cheapest way. Both layouts are of the same tile and hold every element, in elements of 8 to 64 bits where shared
// memory is to be used. Nothing where blocks of a cluster would have to exchange values, or where the options leave no
// way.
std::optional<Conversion> chooseConversion(const LinearLayout &from, const LinearLayout &to,
                                           const ConversionOptions &options);

// The two ways, for layouts without copies in registers and with lanes and warps of the same number.
std::optional<WarpExchange> chooseWarpExchange(const LinearLayout &from, const LinearLayout &to);
std::optional<SharedExchange> chooseSharedExchange(const LinearLayout &from, const LinearLayout &to,
                                                   const ConversionOptions &options);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_CONVERSION_CONVERSION_H
