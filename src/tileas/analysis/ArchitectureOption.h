// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ANALYSIS_ARCHITECTUREOPTION_H
#define TILEWRIGHT_TILEAS_ANALYSIS_ARCHITECTUREOPTION_H

#include "machine/Architecture.h"
#include "mlir/IR/Operation.h"

namespace tilewright::tileas {

/// The architecture that a pass's option `arch` names. Null where there is no such architecture, which is reported at
/// `op`.
const nvidia::Architecture *architectureOf(llvm::StringRef option, mlir::Operation *op);

} // namespace tilewright::tileas

#endif
