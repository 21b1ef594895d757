// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the operations of one function, as the table of payloads says.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_WRITE_BODYWRITER_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_WRITE_BODYWRITER_H

#include "cuda_tile/bytecode/write/TableBuilder.h"

namespace tilewright::cuda_tile {

class Payload;
struct PayloadField;

/// Refuses an operation that the version lacks, and whatever it has that the version or bytecode lacks.
void checkVersion(TableBuilder &tables, mlir::Operation &op, const Payload &payload);

class BodyWriter {
public:
  /// `locations` gets the number of the location of each operation.
  BodyWriter(TableBuilder &tables, Output &out, std::vector<uint64_t> &locations)
      : tables(tables), out(out), locations(locations) {}

  void writeEntry(mlir::Block &block);

private:
  void writeOperations(mlir::Block &block, unsigned depth);
  void writeOperation(mlir::Operation &op, unsigned depth);
  void writeFlags(mlir::Operation &op, const Payload &payload);
  void writeAttributes(mlir::Operation &op, const Payload &payload);
  void writeOperands(mlir::Operation &op, const Payload &payload);
  void writeRegions(mlir::Operation &op, unsigned depth);
  void number(mlir::ValueRange values);

  TableBuilder &tables;
  Output &out;
  std::vector<uint64_t> &locations;
  llvm::DenseMap<mlir::Value, uint64_t> numbers;
  uint64_t nextNumber = 0;
};

} // namespace tilewright::cuda_tile

#endif
