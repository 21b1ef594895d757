// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_PLAN_MMACHOICE_H
#define TILEWRIGHT_TILEAS_PLAN_MMACHOICE_H

#include "machine/Architecture.h"
#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// How a product is computed by the warps of a block.
struct MmaChoice {
  AtomAttr atom;
  layout::LinearLayout acc;
  /// Of a tile in registers, or, where it is in a buffer, of that: Offset -> the tile.
  layout::LinearLayout lhs, rhs;
  bool lhsInBuffer, rhsInBuffer;
};

/// mma.sync where the architecture multiplies the types and K has a step of it, with the longest step that K and the
/// registers of a thread (hint `occupancy`) have; small
/// extents of M and N are computed with copies. Else fma, from buffers. The warps are spread over the batch, then over
/// M and N so that the fewest copies are computed, and of such ways the one that loads the fewest bytes of operands.
/// Precondition: extents are powers of two.
MmaChoice chooseMma(tileaa::MmaOp mma, const nvidia::Architecture &architecture, int64_t warps);

/// A product with block scales, by mma.sync.
struct ScaledMmaChoice {
  AtomAttr atom;
  layout::LinearLayout acc, lhs, rhs, lhsScale, rhsScale;
};

/// Preconditions: extents are powers of two, and legalize-core has expanded operands without an instruction.
ScaledMmaChoice chooseScaledMma(tileaa::MmaScaledOp mma, int64_t warps);

} // namespace tilewright::tileas

#endif
