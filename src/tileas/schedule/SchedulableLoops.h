// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that may have a schedule, which the text of a plan shows and replaces.
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_SCHEDULABLELOOPS_H
#define TILEWRIGHT_TILEAS_SCHEDULE_SCHEDULABLELOOPS_H

#include "tileas/schedule/LoopDependences.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/Error.h"

namespace tilewright::tileas {

/// In the order of the text.
llvm::SmallVector<mlir::scf::ForOp> schedulableLoops(mlir::func::FuncOp function);
/// `serial` where it has none.
std::string scheduleOf(mlir::scf::ForOp loop);
/// Why it has that schedule, or none.
std::string reasonOfSchedule(mlir::scf::ForOp loop);
llvm::Error setSchedule(mlir::scf::ForOp loop, llvm::StringRef text);

/// The order by the words of a schedule; an error where they are none of the loop, or break a dependence.
llvm::Expected<LoopSchedule> followItems(const LoopDependences &found, llvm::ArrayRef<ScheduleItem> items);

/// Splits each product into an asynchronous one and a wait, which is scheduled separately; and the reverse, if no
/// operation is between them.
void splitProducts(mlir::scf::ForOp loop);
void joinProducts(mlir::scf::ForOp loop);

} // namespace tilewright::tileas

#endif
