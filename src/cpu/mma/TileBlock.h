// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_MMA_TILEBLOCK_H
#define TILEWRIGHT_CPU_MMA_TILEBLOCK_H

#include "cpu/ir/Cpu.h"

#include "mlir/Dialect/AMX/AMXDialect.h"

namespace tilewright::cpu {

/// The register block of a product on the matrix unit. Of its eight registers four hold sums, 2x2 tiles, two the left
/// operand's tiles and two the right one's, so that each loaded tile is multiplied twice.
class TileBlock {
public:
  /// The product is on buffers; its right operand is packed to panels.
  explicit TileBlock(MmaOp mma);

  /// Of the block.
  int64_t getRows() const { return rows; }
  /// Elements that one step along K multiplies.
  int64_t getDepth() const { return depth; }

  mlir::SmallVector<mlir::Value> loadSums(mlir::OpBuilder &builder, mlir::Value row, mlir::Value column);
  void storeSums(mlir::OpBuilder &builder, mlir::Value row, mlir::Value column, mlir::ValueRange sums);
  /// `step` counts along K.
  mlir::SmallVector<mlir::Value> multiplyAdd(mlir::OpBuilder &builder, mlir::Value step, mlir::Value row,
                                             mlir::Value column, mlir::ValueRange sums);

private:
  mlir::Value index(mlir::OpBuilder &builder, int64_t value);
  mlir::Value shifted(mlir::OpBuilder &builder, mlir::Value base, int64_t by);
  /// Calls it with the place of each tile of sums.
  void forEachTile(mlir::OpBuilder &builder, mlir::Value row, mlir::Value column,
                   mlir::function_ref<void(mlir::ValueRange)> act);

  MmaOp mma;
  mlir::Location loc;
  int64_t rows, columns, depth, tileRows, tileColumns;
  mlir::amx::TileType sumType, leftType, rightType;
};

} // namespace tilewright::cpu

#endif
