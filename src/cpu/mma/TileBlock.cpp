// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products on the matrix unit, of bf16 and of bytes. A tile has at most 16 rows of 64 bytes: 16x16 sums, 16 rows by 32
// bf16 of the left operand, and of the right one 16 rows, each of 16 columns by a word of 2 bf16. cpu-lower-tiles gives
// them instructions.
#include "cpu/mma/TileBlock.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

TileBlock::TileBlock(MmaOp mma) : mma(mma), loc(mma.getLoc()) {
  auto sums = cast<MemRefType>(mma.getAcc().getType()), right = cast<MemRefType>(mma.getRhs().getType());
  int64_t word = mma.getWordElements();
  rows = std::min(sums.getDimSize(0), 2 * matrixRows);
  columns = right.getDimSize(2) / word;
  depth = std::min(mma.getDepth(), matrixRows * word);
  tileRows = std::min(rows, matrixRows);
  tileColumns = std::min(columns, matrixRows);
  sumType = amx::TileType::get({tileRows, tileColumns}, sums.getElementType());
  leftType = amx::TileType::get({tileRows, depth}, cast<MemRefType>(mma.getLhs().getType()).getElementType());
  rightType = amx::TileType::get({depth / word, tileColumns * word}, right.getElementType());
}

Value TileBlock::index(OpBuilder &builder, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value TileBlock::shifted(OpBuilder &builder, Value base, int64_t by) {
  return by == 0 ? base : arith::AddIOp::create(builder, loc, base, index(builder, by)).getResult();
}

void TileBlock::forEachTile(OpBuilder &builder, Value row, Value column, function_ref<void(ValueRange)> act) {
  for (int64_t i = 0; i < rows; i += tileRows)
    for (int64_t j = 0; j < columns; j += tileColumns)
      act({shifted(builder, row, i), shifted(builder, column, j)});
}

SmallVector<Value> TileBlock::loadSums(OpBuilder &builder, Value row, Value column) {
  SmallVector<Value> sums;
  forEachTile(builder, row, column, [&](ValueRange at) {
    if (mma.getZeroInit())
      sums.push_back(amx::TileZeroOp::create(builder, loc, sumType));
    else
      sums.push_back(amx::TileLoadOp::create(builder, loc, sumType, mma.getAcc(), at));
  });
  return sums;
}

void TileBlock::storeSums(OpBuilder &builder, Value row, Value column, ValueRange sums) {
  forEachTile(builder, row, column, [&](ValueRange at) {
    amx::TileStoreOp::create(builder, loc, mma.getAcc(), at, sums.front());
    sums = sums.drop_front();
  });
}

SmallVector<Value> TileBlock::multiplyAdd(OpBuilder &builder, Value step, Value row, Value column, ValueRange sums) {
  Value k = arith::MulIOp::create(builder, loc, step, index(builder, depth));
  Value word = arith::MulIOp::create(builder, loc, step, index(builder, rightType.getShape()[0]));
  Value panel = arith::DivUIOp::create(builder, loc, column, index(builder, columns));
  SmallVector<Value> right, result;
  // A tile is loaded just before its first product: so many loads between two products cost nothing.
  for (int64_t i = 0; i < rows; i += tileRows) {
    Value left = amx::TileLoadOp::create(builder, loc, leftType, mma.getLhs(), ValueRange{shifted(builder, row, i), k});
    for (int64_t j = 0; j < columns; j += tileColumns) {
      if (i == 0) {
        SmallVector<Value> at{panel, word, index(builder, j * mma.getWordElements())};
        right.push_back(amx::TileLoadOp::create(builder, loc, rightType, mma.getRhs(), at));
      }
      Value sum = sums[result.size()], other = right[j / tileColumns];
      if (isa<FloatType>(sumType.getElementType()))
        result.push_back(amx::TileMulFOp::create(builder, loc, sumType, left, other, sum));
      else
        result.push_back(amx::TileMulIOp::create(builder, loc, sumType, left, other, sum, mma.getUnsignedLhs(),
                                                 mma.getUnsignedRhs()));
    }
  }
  return result;
}
