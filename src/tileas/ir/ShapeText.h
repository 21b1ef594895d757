// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_IR_SHAPETEXT_H
#define TILEWRIGHT_TILEAS_IR_SHAPETEXT_H

#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace tilewright::tileas {

/// "64x32", for messages.
std::string textOf(llvm::ArrayRef<int64_t> shape);

} // namespace tilewright::tileas

#endif
