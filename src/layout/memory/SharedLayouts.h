// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts of tiles in shared memory: Offset (in elements) -> the tile's dimensions. All are bijective; the inverse says
// where an element lies.
#ifndef TILEWRIGHT_LAYOUT_MEMORY_SHAREDLAYOUTS_H
#define TILEWRIGHT_LAYOUT_MEMORY_SHAREDLAYOUTS_H

#include "layout/LinearLayout.h"

namespace tilewright::layout {

constexpr unsigned kBanks = 32, kBankBytes = 4, kBankSpan = kBanks * kBankBytes;

// Element after element, the dimensions in `order`, fastest first.
LinearLayout plainShared(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order);

// In rows along the fastest dimension, groups of `vector` elements change places: those of row r go where their number
// xor (r / perPhase % maxPhase) says.
struct XorSwizzle {
  uint64_t vector, perPhase, maxPhase;
};
LinearLayout swizzledShared(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order, XorSwizzle swizzle);

// The swizzles that TMA and the descriptors of wgmma and tcgen05 know, by their span in bytes: units of 16 bytes change
// places within a span, as the number of the 128-byte line says. PTX ISA 5.5.7, 9.7.15.5.1.2.
enum class SwizzleMode { None = 16, B32 = 32, B64 = 64, B128 = 128 };
inline unsigned spanOf(SwizzleMode mode) {
  return unsigned(mode);
}

// The permutation of byte addresses by a mode: Offset -> Offset, its own inverse.
LinearLayout addressSwizzle(SwizzleMode mode, uint64_t bytes);
// The same to elements.
LinearLayout addressSwizzle(SwizzleMode mode, uint64_t elements, unsigned elementBits);

// The layout of a box in shared memory after a TMA copy: rows along the fastest dimension, one after another, swizzled.
// The row has to fit into the mode's span (any row without swizzle).
LinearLayout tmaBox(llvm::ArrayRef<int64_t> box, llvm::ArrayRef<unsigned> order, SwizzleMode mode,
                    unsigned elementBits);

// A tile that is copied as several boxes where its rows are longer than the span: box after box along the fastest
// dimension, each with all rows. The first begins at a multiple of 1024 bytes, since the hardware looks at addresses.
LinearLayout tmaTile(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order, SwizzleMode mode,
                     unsigned elementBits);
// The box of such a copy: the tile, cut to the span along the fastest dimension.
llvm::SmallVector<int64_t> tmaBoxShape(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order, SwizzleMode mode,
                                       unsigned elementBits);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MEMORY_SHAREDLAYOUTS_H
