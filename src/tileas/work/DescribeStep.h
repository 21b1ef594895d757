// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_WORK_DESCRIBESTEP_H
#define TILEWRIGHT_TILEAS_WORK_DESCRIBESTEP_H

#include "machine/Architecture.h"
#include "predict/Work.h"
#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

/// The instructions that a warp issues for an operation that computes, moves values between threads or multiplies;
/// nothing where it is none of these, or costs nothing. `warps` are those of the operation's agent.
std::optional<predict::Step> describeStep(mlir::Operation *op, unsigned warps,
                                          const nvidia::Architecture &architecture);

} // namespace tilewright::tileas

#endif
