// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of a kernel at the level tileas, once layouts, pipelines, agents and schedules are decided, in the form from
// which src/predict computes the time of a launch.
#ifndef TILEWRIGHT_TILEAS_WORK_DESCRIBEWORK_H
#define TILEWRIGHT_TILEAS_WORK_DESCRIBEWORK_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "predict/Work.h"

namespace tilewright::tileas {

predict::Work describeWork(mlir::func::FuncOp kernel);

} // namespace tilewright::tileas

#endif
