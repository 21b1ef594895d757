// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operation records as a table, for readers, writers and version checks by number.
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPTABLE_H
#define TILEWRIGHT_CUDA_TILE_IR_OPTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace tilewright::cuda_tile {

struct OpRecord {
  /// Without `cuda_tile.`.
  llvm::StringLiteral mnemonic;
  uint16_t opcode;
  /// First Tile IR version that has the operation, or `preview`.
  llvm::StringLiteral since;
  llvm::StringLiteral group;
};

/// All operations, sorted by name.
llvm::ArrayRef<OpRecord> getOpRecords();

/// Null if no operation has this number.
const OpRecord *lookupOpByOpcode(uint16_t opcode);

} // namespace tilewright::cuda_tile

#endif
