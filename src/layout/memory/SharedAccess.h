// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a warp loads or stores what it holds of a tile, where the tile lies in shared memory: which registers go into
// which instruction, and how many wavefronts that takes.
#ifndef TILEWRIGHT_LAYOUT_MEMORY_SHAREDACCESS_H
#define TILEWRIGHT_LAYOUT_MEMORY_SHAREDACCESS_H

#include "layout/LinearLayout.h"

namespace tilewright::layout {

// Numbers of registers, lanes and warps are vectors over F2 as well: a mask of bits.
using Mask = uint32_t;

struct SharedAccess {
  enum Kind {
    Vector,           // ld.shared / st.shared of 1 to 16 bytes
    Matrix,           // ldmatrix / stmatrix
    MatrixTransposed, // the same with .trans
  } kind = Vector;
  // Register masks. An instruction covers the span of `inner`; each element of the span of `outer` is an instruction (a
  // register is the xor of one of each). Of a vector, inner[i] is the element at 2^i; of matrices, inner has the bits
  // inside 32 bits first, then those of the number of the matrix.
  llvm::SmallVector<Mask> inner, outer;
  // Lanes and warps with one of these bits hold copies and do not store.
  Mask idleLanes = 0, idleWarps = 0;
  // Register, Lane, Warp -> Offset (in elements): the address of a vector is that of its register, with no other of the
  // instruction's; of a row of a matrix, that of the lane and register that have its first element.
  LinearLayout offsets;
  unsigned wavefronts = 0; // of a warp, for all instructions

  unsigned instructions() const { return 1u << outer.size(); }
  unsigned elements() const { return 1u << inner.size(); }
  // Less is better: wavefronts first, then instructions.
  unsigned score() const { return 2 * wavefronts + instructions(); }
};

enum class SharedDirection { Load, Store };

// The access of that kind, if the layouts allow it. `layout` is without copies in registers; `shared` is Offset (in
// elements) -> the tile. Elements have 8 to 64 bits.
std::optional<SharedAccess> chooseSharedAccess(const LinearLayout &layout, const LinearLayout &shared,
                                               SharedDirection direction, unsigned elementBits,
                                               SharedAccess::Kind kind);
// The best of all kinds, or of vectors only.
SharedAccess chooseSharedAccess(const LinearLayout &layout, const LinearLayout &shared, SharedDirection direction,
                                unsigned elementBits, bool matrices = true);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MEMORY_SHAREDACCESS_H
