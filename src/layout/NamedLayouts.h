// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layouts by name, for the command line and for tests.
#ifndef TILEWRIGHT_LAYOUT_NAMEDLAYOUTS_H
#define TILEWRIGHT_LAYOUT_NAMEDLAYOUTS_H

#include "layout/LinearLayout.h"
#include "llvm/Support/Error.h"

namespace tilewright::layout {

// A layout's text, or the name of one:
//   mma.m16n8k16.f16.a   operands a, b and the accumulator c of mma.sync (types by width: f16, bf16, tf32, i8, ...)
//   wgmma.m64n16k16.f16.c
//   ldmatrix.x4.f16, ldmatrix.x2.trans
//   tcgen05.16x64b.x4
//   blocked.64x64.f16.w4   of so many warps, for a row-major tile
//   rows.8x64, columns.8x64, tma.8x64.f16.128B   in shared memory
llvm::Expected<LinearLayout> layoutByName(llvm::StringRef name);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_NAMEDLAYOUTS_H
