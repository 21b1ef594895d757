// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_LOADUSES_H
#define TILEWRIGHT_TILEAS_ASYNC_LOADUSES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tileas {

/// Sinks operations between a loop's loads and its products: a permutation or reshape is folded into the load, and
/// elementwise operations move behind the layout conversion, so that they are computed in the layout of their use.
///
/// ```
/// %a = tileaa.load_view %x dims [0, 1, 2] -> 1x64x32, #l        %b = tileaa.load_view %x dims [1, 2] -> 64x32, #m
/// %b = tileaa.reshape %a to 64x32, #m                      -->  %c = tileas.convert_layout %b to #n
/// %c = tileaa.convert %b as f32 to tf32                         %d = tileaa.convert %c as f32 to tf32
/// %d = tileas.convert_layout %c to #n
/// ```
void bringLoadsToUses(mlir::scf::ForOp loop);

} // namespace tilewright::tileas

#endif
