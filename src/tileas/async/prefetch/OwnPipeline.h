// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches loads of a loop without products: each thread copies the elements that it will hold, and waits for its own
// copies only.
//
//   copies of iterations 0 to D-1 into stages 0 to D-1    each a group, none where the loop has fewer iterations
//   for iteration i:
//     wait for the own copies of group i                  D-1 groups are younger
//     read stage i % D                                    the same bytes, so no other thread is waited for
//     copies of iteration i+D into stage i % D            its tile is in registers by now
//     group, even if it is empty
#ifndef TILEWRIGHT_TILEAS_ASYNC_OWNPIPELINE_H
#define TILEWRIGHT_TILEAS_ASYNC_OWNPIPELINE_H

#include "tileas/plan/OwnStageChoice.h"

namespace tilewright::tileas {

void prefetchByOwnThreads(mlir::scf::ForOp loop, const LoopLoads &found, const OwnStageChoice &choice);

} // namespace tilewright::tileas

#endif
