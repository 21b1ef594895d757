// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_PLAN_CLUSTERS_GUARDSTORES_H
#define TILEWRIGHT_TILEAS_PLAN_CLUSTERS_GUARDSTORES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::tileas {

/// CTAs for which the condition is false do what others do, and store nothing:
///
///   %u = tileaa.store_view %x, ...  -->  %u = scf.if %condition { store, and yield its token } else { yield that
///   before }
void guardStores(mlir::scf::ForOp loop, mlir::Value condition);

} // namespace tilewright::tileas

#endif
