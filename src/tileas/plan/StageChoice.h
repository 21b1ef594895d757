// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The decisions of tileas-unspecialized-pipeline for a loop, made before it is rewritten.
#ifndef TILEWRIGHT_TILEAS_PLAN_STAGECHOICE_H
#define TILEWRIGHT_TILEAS_PLAN_STAGECHOICE_H

#include "machine/Architecture.h"
#include "tileas/async/LoopLoads.h"

namespace tilewright::tileas {

/// A load, and the buffer that its tile has in each stage.
struct StagedLoad {
  TileLoad load;
  BufferType buffer;
  /// The elements that each thread copies.
  layout::LinearLayout copier;
  /// It was written to a buffer of its own in this iteration, whose place the stage takes.
  WriteOp write;
  /// The known alignment is less than the narrowest copy needs.
  bool throughRegisters = false;
};

struct StageChoice {
  llvm::SmallVector<StagedLoad, 2> loads;
  int64_t stages = 0;
  /// By how many iterations loads come ahead.
  int64_t distance = 0;
  /// The product that is left running, if any.
  MmaOp running;
};

/// Of at most so many stages. Nothing where none of the loads is to be staged; remarks say why.
std::optional<StageChoice> chooseStages(mlir::scf::ForOp loop, llvm::ArrayRef<TileLoad> loads,
                                        const nvidia::Architecture &architecture, int64_t mostStages);

} // namespace tilewright::tileas

#endif
