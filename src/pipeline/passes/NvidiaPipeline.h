// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PIPELINE_PASSES_NVIDIAPIPELINE_H
#define TILEWRIGHT_PIPELINE_PASSES_NVIDIAPIPELINE_H

#include "machine/Architecture.h"
#include "target/nvidia/Switches.h"

#include "mlir/Pass/PassManager.h"

namespace tilewright {

/// tileaa to scheduled tileas, as `--emit=tileas` prints them.
void buildTileaaToTileas(mlir::OpPassManager &passes, const nvidia::Architecture &architecture, nvidia::LaunchAbi abi,
                         const nvidia::Switches &switches);

/// From there to final tileas: every operation is one that threads do, buffers have their places and barriers stand
/// where threads wait. Simulated kernels end here, and others go on from here. With `libdevice` precise
/// functions of f32 stay what they are, with `records` agents note what they do.
void buildTileasFinalization(mlir::OpPassManager &passes, const nvidia::Architecture &architecture,
                             nvidia::LaunchAbi abi, const nvidia::Switches &switches, bool libdevice = false,
                             bool records = false);

/// From tileas to kernels in the llvm and nvvm dialects, whose functions of f32 are that bitcode's if there is one.
void buildTileasToLlvm(mlir::OpPassManager &passes, const nvidia::Architecture &architecture, nvidia::LaunchAbi abi,
                       const nvidia::Switches &switches, llvm::StringRef libdevice, bool records = false);

} // namespace tilewright

#endif
