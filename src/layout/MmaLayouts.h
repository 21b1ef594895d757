// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the matrix instructions of the warp (mma.sync) and the warpgroup (wgmma) spread their operands over registers.
// A is m x k, B is k x n, the accumulator m x n.
//
// One rule makes all of mma.sync's tables: a group of four lanes goes along k (along n in the accumulator), each with
// what 32 bits hold; eight groups go along m or n; further registers continue m first, then k.
#ifndef TILEWRIGHT_LAYOUT_MMALAYOUTS_H
#define TILEWRIGHT_LAYOUT_MMALAYOUTS_H

#include "layout/LinearLayout.h"

namespace tilewright::layout {

enum class MmaOperand { A, B, Accumulator };

// The shape of an instruction and the width of the elements of A and B: mma.m16n8k16 of bf16 is {16, 8, 16, 16}.
struct MmaShape {
  int64_t m, n, k;
  unsigned elementBits;
};

// Whether mma.sync has the shape: m16n8 with 16 or 32 bytes of k (PTX ISA 9.7.14.5), of f64 k from 4 to 16 and m8n8k4.
bool isMmaSync(MmaShape shape);

// Registers and lanes of one instruction.
LinearLayout mmaSync(MmaOperand operand, MmaShape shape);

// Registers, lanes and the four warps of a warpgroup in wgmma.m64nNk: the accumulator, and A where it comes from
// registers. PTX ISA 9.7.15.5.1.1.
LinearLayout wgmma(MmaOperand operand, MmaShape shape);

// The operand of a whole product m x n x k, computed by warpsM x warpsN warps (or warpgroups, each four warps along m),
// those along m counted first. Each warp holds the rows of A and columns of B that it needs, so warps hold copies.
struct MmaTiling {
  MmaShape shape;         // of the instruction; m is 64 for wgmma
  int64_t warpsM, warpsN; // warps or warpgroups
  int64_t m, n, k;        // of the tile
};
LinearLayout mmaTile(MmaOperand operand, const MmaTiling &tiling);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MMALAYOUTS_H
