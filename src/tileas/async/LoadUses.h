// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_LOADUSES_H
#define TILEWRIGHT_TILEAS_ASYNC_LOADUSES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tileas {

/// What stands between a loop's loads and its products becomes part of the load, or goes behind the change of layout: a
/// tile that has only its dimensions changed is loaded as it is wanted, and what is computed element by element is
/// computed in the layout in which it is wanted.
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
