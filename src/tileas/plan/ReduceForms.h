// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts by which the lines of a tile are reduced: inside of warps, or in parts that warps have reduced before.
//
// Of a tile of 16x1024 by 8 warps, along dimension 1, with one part of a line in each warp:
//
//   partial results    16x8, {register: (1,0) (2,0) (4,0) (8,0), lane: 0 0 0 0 0, warp: (0,1) (0,2) (0,4)}
//   in registers       16x8, {register: (1,0) (2,0) (4,0) (8,0) (0,1) (0,2) (0,4), lane: 0 0 0 0 0, warp: 0 0 0}
//   in lanes           16x8, {register: (1,0) (2,0) (4,0) (8,0), lane: (0,1) (0,2) (0,4) 0 0, warp: 0 0 0}
//   in other threads   16x8, {register: (0,1) (0,2) (0,4), lane: (1,0) (2,0) (4,0) (8,0) 0, warp: 0 0 0}
#ifndef TILEWRIGHT_TILEAS_PLAN_REDUCEFORMS_H
#define TILEWRIGHT_TILEAS_PLAN_REDUCEFORMS_H

#include "layout/LinearLayout.h"

namespace tilewright::tileas {

/// Whether several warps have elements of one line.
bool areLinesShared(const layout::LinearLayout &tile, unsigned axis);

/// The layout with whole lines in each warp: bits of the warp's number that go along them change places with bits of
/// registers, or else of lanes, that do not. Those of vectors in memory stay. Nothing where there are too few.
std::optional<layout::LinearLayout> linesInWarps(const layout::LinearLayout &tile, unsigned axis);

/// Every thread has all partial results of its lines, in registers.
layout::LinearLayout partsInRegisters(const layout::LinearLayout &partial, unsigned axis);

/// Every warp has all partial results of its lines, in lanes that would hold copies of them; those for which there are
/// no such lanes in registers. Nothing where all lanes have lines of their own.
std::optional<layout::LinearLayout> partsInLanes(const layout::LinearLayout &partial, unsigned axis);

/// All threads have lines, each all partial results of its own. Nothing where a thread would not have fewer lines than
/// it has of the result.
std::optional<layout::LinearLayout> partsInOtherThreads(const layout::LinearLayout &partial, unsigned axis);

} // namespace tilewright::tileas

#endif
