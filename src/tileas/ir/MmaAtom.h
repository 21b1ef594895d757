// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layouts of a product's operands that follow from the layout of its result.
//
// A thread needs the rows of its results and their columns, over all of K. So the accumulator's layout says all: an
// operand has the atom's own registers, as many more as K is longer, and each further register, lane or warp bit of
// the accumulator without its part along the other operand's dimension:
//
//   accumulator   register ... (0,8) (32,0)   warp (16,0) (0,16)     m16n8k16 over 64x32, K = 32
//   lhs           register ... (0,16) (32,0)  warp (16,0) (0,0)      the second warp bit holds copies
//   rhs           register ... (16,0) (0,8)   warp (0,0) (0,16)
//
// Rows and columns of the atom that the tile does not have wrap: places hold copies, and compute copies. K does not
// wrap, since a sum would count them.
#ifndef TILEWRIGHT_TILEAS_IR_MMAATOM_H
#define TILEWRIGHT_TILEAS_IR_MMAATOM_H

#include "layout/MmaLayouts.h"
#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// One instruction's part of an operand or the accumulator, [m,k], [k,n] or [m,n], in the atom's registers and lanes.
layout::LinearLayout fragmentLayout(AtomAttr atom, layout::MmaOperand operand, unsigned elementBits);

/// The layout of the operand A or B of a product with that accumulator, which has rank 2 or, with a batch, 3.
layout::LinearLayout operandLayout(AtomAttr atom, layout::MmaOperand operand, const layout::LinearLayout &acc,
                                   int64_t depth, unsigned elementBits);

/// The scales of the operand A or B of such a product, of which each is for some neighbours along K: [m,blocks] or
/// [blocks,n].
layout::LinearLayout scaleLayout(AtomAttr atom, layout::MmaOperand operand, const layout::LinearLayout &acc,
                                 int64_t blocks, unsigned elementBits);

/// Whether the tensor core adds up products with fewer bits than the accumulator has, so that `wgmma` adds its sums to
/// it in parts: those of 8-bit floats have 14 bits on sm_90.
bool addsByParts(mlir::Type element, mlir::Type acc, bool fastAcc);

} // namespace tilewright::tileas

#endif
