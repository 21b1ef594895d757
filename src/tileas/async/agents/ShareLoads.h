// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_AGENTS_SHARELOADS_H
#define TILEWRIGHT_TILEAS_ASYNC_AGENTS_SHARELOADS_H

#include "tileas/ir/Tileas.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright::tileas {

/// Lets the CTAs of a cluster copy together the tiles that their producers load alike: each copies a share of the boxes
/// to all of them. Whether two load alike is known when they run, by what their indices are computed from:
///
///   scf.for %i = %number to %all step %count {                %x = %i * 2 + %rank            of this CTA
///     %x = %i * 2 + %rank                                     %n = %x divui %height
///     %n = %x divui %height                                   %y = %i * 2 + (%rank xor 1)    of the other one
///     scf.for %k ... {                                  -->   %m = %y divui %height
///       tma_load %b[%k, %n] into %p[1] split 1 by 4           %same = %n == %m
///                                                             scf.for %k ... {
///                                                               tma_load ... split 1 by 4 shared %same
///
/// Their pipelines get the attribute `cluster`. Gives the reason where no tile is shared, as the end of a sentence.
std::string shareLoads(mlir::func::FuncOp function, AgentsOp agents);

} // namespace tilewright::tileas

#endif
