// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of the format: tag, version, and for those without a payload the type itself.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_TYPETABLE_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_TYPETABLE_H

#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/bytecode/Format.h"

namespace tilewright::cuda_tile {

struct TypeRecord {
  format::TypeTag tag;
  llvm::StringLiteral name;
  llvm::StringLiteral since;
  bool (*isa)(mlir::Type type);
  /// Null for a type with a payload.
  mlir::Type (*get)(mlir::MLIRContext *context);
};

llvm::ArrayRef<TypeRecord> getTypeRecords();
const TypeRecord *lookupTypeByTag(uint64_t tag);
/// Null for a type that bytecode does not have.
const TypeRecord *lookupType(mlir::Type type);

/// The type for a message, never longer than a line: a function type may name thousands of others.
std::string describeType(mlir::Type type);

} // namespace tilewright::cuda_tile

#endif
