// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/OpTable.h"
#include "llvm/ADT/STLExtras.h"

using llvm::ArrayRef;

namespace tilewright::cuda_tile {

#define GET_OpRecords_IMPL
#include "cuda_tile/ir/CudaTileOpTable.inc"

ArrayRef<OpRecord> getOpRecords() {
  return OpRecords;
}

} // namespace tilewright::cuda_tile
