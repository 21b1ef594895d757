// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decisions of tileas-unspecialized-pipeline for a loop without products, made before it is rewritten.
#ifndef TILEWRIGHT_TILEAS_PLAN_OWNSTAGECHOICE_H
#define TILEWRIGHT_TILEAS_PLAN_OWNSTAGECHOICE_H

#include "machine/Architecture.h"
#include "tileas/async/LoopLoads.h"

namespace tilewright::tileas {

/// The loads of a loop that each thread copies for itself, each with the buffer of a stage. A stage is filled again
/// as soon as its tile is in registers, so that there are as many stages as iterations that loads come ahead.
struct OwnStageChoice {
  llvm::SmallVector<TileLoad, 2> loads;
  llvm::SmallVector<BufferType, 2> buffers;
  int64_t distance = 0;
};

/// Whether a loop without products is one whose loads are prefetched: it walks over what the grid leaves (a block takes
/// every n-th row of n blocks), or a plan file asks for stages.
bool mayPrefetchRows(mlir::scf::ForOp loop);
/// Nothing where no load is to be prefetched; remarks say why.
std::optional<OwnStageChoice> chooseOwnStages(mlir::scf::ForOp loop, llvm::ArrayRef<TileLoad> loads,
                                              const nvidia::Architecture &architecture);

} // namespace tilewright::tileas

#endif
