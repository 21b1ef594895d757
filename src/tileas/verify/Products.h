// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products: their atoms, types, and the layouts of accumulators and operands. Each predicate gives the fault
// (Verifier.h), which is empty where the lowering has what it needs.
#ifndef TILEWRIGHT_TILEAS_VERIFY_PRODUCTS_H
#define TILEWRIGHT_TILEAS_VERIFY_PRODUCTS_H

#include "tileas/verify/Verifier.h"

namespace tilewright::tileas {

/// Whether the threads of a tile have the elements that they need by a layout: registers may stand in any order.
bool agrees(const layout::LinearLayout &tile, const layout::LinearLayout &needed);

/// The architecture has the instruction, for elements of so many bits. The other predicates take for granted that it
/// does.
Fault faultOfAtom(AtomAttr atom, unsigned elementBits, const nvidia::Architecture &architecture);

/// The instruction multiplies numbers of this type.
Fault faultOfType(MmaOp mma);
Fault faultOfType(TmemMmaOp mma);

/// The accumulator's registers and lanes are the atom's, repeated.
Fault faultOfAccumulator(AtomAttr atom, mlir::RankedTensorType acc, unsigned elementBits);

/// Threads or descriptors find in the operands what the accumulator needs.
Fault faultOfOperands(MmaOp mma);
Fault faultOfOperands(ScaledMmaOp mma);
Fault faultOfOperands(TmemMmaOp mma);

/// An asynchronous product can be waited for: the wait names its registers.
Fault faultOf(MmaWaitOp wait);

/// The tile has the layout of a load from tensor memory, or of a store to it, by so many warps.
Fault faultOfAccess(mlir::RankedTensorType tile, TmemType tmem, int64_t warps);

} // namespace tilewright::tileas

#endif
