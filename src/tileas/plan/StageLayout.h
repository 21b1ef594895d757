// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_PLAN_STAGELAYOUT_H
#define TILEWRIGHT_TILEAS_PLAN_STAGELAYOUT_H

#include "layout/LinearLayout.h"

namespace tilewright::tileas {

/// How a tile that is copied from memory lies in shared memory: its lines as there, in groups of 16 bytes that change
/// places so that reading it in the wanted layouts meets as few bank conflicts as possible.
layout::LinearLayout chooseStageLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order,
                                       int64_t elementBytes, llvm::ArrayRef<layout::LinearLayout> wanted);

} // namespace tilewright::tileas

#endif
