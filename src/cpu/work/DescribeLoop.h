// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_WORK_DESCRIBELOOP_H
#define TILEWRIGHT_CPU_WORK_DESCRIBELOOP_H

#include "cpu/ir/Cpu.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "predict/Work.h"

namespace tilewright::cpu {

/// The dimension along which the elements of a tile lie one after another in memory, if there is one.
std::optional<unsigned> contiguousDim(mlir::Value tile);

/// The vector instructions of a loop over elements, which cpu-micro-tiles makes of the operation.
predict::Step describeLoop(mlir::linalg::GenericOp loop, const Plan &plan);
predict::Step describeFill(mlir::linalg::FillOp fill, const Plan &plan);
predict::Step describeScan(ScanOp scan, const Plan &plan);
predict::Step describePack(PackWordsOp pack, const Plan &plan);
/// A tile in scratch or in an array, copied to an array along whose contiguous dimension `along` is; nothing if none
/// is.
predict::Step describeCopy(mlir::Value tile, std::optional<unsigned> along, const Plan &plan);
/// Of a tile that is not all inside of an array, to scratch.
predict::Step describePartial(mlir::Value tile, const Plan &plan);
/// Without limits.
predict::Step describeProduct(MmaOp mma, const Plan &plan);

} // namespace tilewright::cpu

#endif
