// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the operations of one function, as the table of payloads says.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_READ_BODYREADER_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_READ_BODYREADER_H

#include "cuda_tile/bytecode/Tables.h"

namespace tilewright::cuda_tile {

class Payload;

class BodyReader {
public:
  BodyReader(Tables &tables, Cursor &cursor, Tables::Locations &locations);

  /// All operations of the body, whose first values are the arguments of `block`.
  ParseResult readEntry(mlir::Block &block);

private:
  ParseResult readOperation(mlir::Block &block, unsigned depth);
  ParseResult readResultTypes(const Payload &payload, mlir::OperationState &state);
  ParseResult readAttributes(const Payload &payload, mlir::OperationState &state);
  ParseResult readOperands(const Payload &payload, mlir::OperationState &state);
  ParseResult readOperand(mlir::OperationState &state);
  ParseResult readOperandList(mlir::OperationState &state, uint64_t &count);
  ParseResult readRegions(mlir::Operation &op, unsigned depth);
  ParseResult readRegion(mlir::Region &region, mlir::Location location, unsigned depth);

  mlir::OperationName getName(const Payload &payload);
  mlir::StringAttr getKey(llvm::StringRef name);

  Tables &tables;
  Cursor &cursor;
  Tables::Locations &locations;
  /// By number; those of regions that are closed are gone.
  llvm::SmallVector<mlir::Value> values;
  /// The flag word of the operation being read, and how many of its bits are of attributes.
  uint64_t flags = 0;
  unsigned numAttributeFlags = 0;
  llvm::DenseMap<const Payload *, std::optional<mlir::OperationName>> names;
  llvm::DenseMap<const char *, mlir::StringAttr> keys;
};

} // namespace tilewright::cuda_tile

#endif
