// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of a kernel for a CPU in the form from which src/predict computes the time of a launch. It has a plan, its
// elementwise work is in loops, and cpu-pack-operands has run; loads and stores are still those of views.
#ifndef TILEWRIGHT_CPU_WORK_DESCRIBEWORK_H
#define TILEWRIGHT_CPU_WORK_DESCRIBEWORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "predict/Work.h"

namespace tilewright::cpu {

/// `joined`: its body for several blocks, of whose instructions a block has its share.
predict::Work describeWork(mlir::func::FuncOp kernel, mlir::func::FuncOp joined = {});

} // namespace tilewright::cpu

#endif
