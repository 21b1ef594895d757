// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu.mma as a register-blocked kernel: a block of the accumulator stays in registers while k runs, the elements of a
// column of lhs are broadcast and multiplied with a row of rhs.
//
// Example, 4x64 in f32 with 512-bit vectors: 16 accumulators, per k four vectors of rhs and four broadcasts for 16 fma.
#include "cpu/MicroTiles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

class MmaLoop {
public:
  MmaLoop(MmaOp mma, const Plan &plan) : mma(mma), plan(plan), loc(mma.getLoc()) {}

  LogicalResult emit() {
    OpBuilder builder(mma);
    auto accType = cast<MemRefType>(mma.getAcc().getType());
    if (accType.getRank() == 3)
      return overBatch(builder, accType.getDimSize(0));
    lhs = mma.getLhs();
    rhs = mma.getRhs();
    acc = mma.getAcc();
    element = accType.getElementType();
    int64_t rows = accType.getDimSize(0), columns = accType.getDimSize(1);
    int64_t depth = cast<MemRefType>(lhs.getType()).getDimSize(1);
    pairs = cast<MemRefType>(rhs.getType()).getDimSize(0) * 2 == depth && depth > 1 &&
            cast<MemRefType>(rhs.getType()).getDimSize(1) == columns * 2;

    int64_t bits = element.getIntOrFloatBitWidth();
    lanes = std::min(plan.lanes(bits), columns);
    int64_t blockColumns = std::min(columns, std::max<int64_t>(lanes, plan.microTileN * 32 / bits));
    vectors = blockColumns / lanes;
    // The registers that a narrow tile leaves free hold more rows.
    int64_t accumulators = plan.microTileM * plan.microTileN / plan.lanes(32);
    blockRows = std::min<int64_t>(rows, std::max<int64_t>(1, llvm::bit_floor<uint64_t>(accumulators / vectors)));

    Value one = index(builder, 1);
    Value rowBound = mma.getBounds().empty() ? index(builder, rows) : mma.getBounds()[0];
    Value columnBound = mma.getBounds().empty() ? index(builder, columns) : mma.getBounds()[1];
    Value depthBound = mma.getBounds().empty() ? index(builder, depth) : mma.getBounds()[2];
    if (pairs) {
      Value two = index(builder, 2);
      depthBound = arith::DivUIOp::create(builder, loc, arith::AddIOp::create(builder, loc, depthBound, one), two);
    }
    Value zero = index(builder, 0);
    auto overColumns = scf::ForOp::create(builder, loc, zero, columnBound, index(builder, blockColumns));
    OpBuilder inColumns(overColumns.getBody()->getTerminator());
    auto overRows = scf::ForOp::create(inColumns, loc, zero, rowBound, index(inColumns, blockRows));
    OpBuilder inRows(overRows.getBody()->getTerminator());
    emitBlock(inRows, overRows.getInductionVar(), overColumns.getInductionVar(), depthBound);
    // Parts of a fresh accumulator that no block covers are zero, not undefined.
    if (mma.getZeroInit() && !mma.getBounds().empty())
      clearRest(builder, rowBound, columnBound, rows, columns, blockColumns);
    mma.erase();
    return success();
  }

private:
  Value index(OpBuilder &builder, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  // A batch is a loop over products of two dimensions.
  LogicalResult overBatch(OpBuilder &builder, int64_t batch) {
    auto loop = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, batch), index(builder, 1));
    OpBuilder inner(loop.getBody()->getTerminator());
    auto slice = [&](Value buffer) -> Value {
      auto type = cast<MemRefType>(buffer.getType());
      SmallVector<OpFoldResult> offsets(3, inner.getIndexAttr(0)), strides(3, inner.getIndexAttr(1)), sizes;
      offsets[0] = loop.getInductionVar();
      for (int64_t extent : type.getShape())
        sizes.push_back(inner.getIndexAttr(extent));
      sizes[0] = inner.getIndexAttr(1);
      auto sliced = memref::SubViewOp::inferRankReducedResultType(type.getShape().drop_front(), type, offsets, sizes, strides);
      return memref::SubViewOp::create(inner, loc, cast<MemRefType>(sliced), buffer, offsets, sizes, strides);
    };
    auto product = MmaOp::create(inner, loc, TypeRange(), slice(mma.getLhs()), slice(mma.getRhs()), slice(mma.getAcc()),
                                 ValueRange(), mma.getZeroInit(), mma.getUnsignedLhs(), mma.getUnsignedRhs());
    mma.erase();
    return emitMma(product, plan);
  }

  VectorType accVector() { return VectorType::get({lanes}, element); }

  Value shifted(OpBuilder &builder, Value base, int64_t by) {
    return by == 0 ? base : arith::AddIOp::create(builder, loc, base, index(builder, by)).getResult();
  }

  void emitBlock(OpBuilder &builder, Value row, Value column, Value depthBound) {
    SmallVector<Value> rowsOf, columnsOf, initial;
    for (int64_t i = 0; i < blockRows; ++i)
      rowsOf.push_back(shifted(builder, row, i));
    for (int64_t j = 0; j < vectors; ++j)
      columnsOf.push_back(shifted(builder, column, j * lanes));
    for (Value i : rowsOf)
      for (Value j : columnsOf) {
        if (mma.getZeroInit())
          initial.push_back(arith::ConstantOp::create(builder, loc, builder.getZeroAttr(accVector())));
        else
          initial.push_back(vector::LoadOp::create(builder, loc, accVector(), acc, ValueRange{i, j}));
      }
    auto loop = scf::ForOp::create(builder, loc, index(builder, 0), depthBound, index(builder, 1), initial);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    Value k = loop.getInductionVar();
    Value lhsK = pairs ? arith::MulIOp::create(inner, loc, k, index(inner, 2)).getResult() : k;
    SmallVector<Value> right, next;
    for (Value j : columnsOf)
      right.push_back(loadRight(inner, k, j));
    for (int64_t i = 0; i < blockRows; ++i) {
      Value left = loadLeft(inner, rowsOf[i], lhsK);
      for (int64_t j = 0; j < vectors; ++j)
        next.push_back(multiplyAdd(inner, left, right[j], loop.getRegionIterArg(i * vectors + j)));
    }
    scf::YieldOp::create(inner, loc, next);
    for (int64_t i = 0; i < blockRows; ++i)
      for (int64_t j = 0; j < vectors; ++j)
        vector::StoreOp::create(builder, loc, loop.getResult(i * vectors + j), acc, ValueRange{rowsOf[i], columnsOf[j]});
  }

  Value widen(OpBuilder &builder, Value value, bool isUnsigned) {
    Type from = getElementTypeOrSelf(value.getType());
    if (from == element)
      return value;
    Type type = element;
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      type = VectorType::get(vector.getShape(), element);
    if (isa<FloatType>(element))
      return arith::ExtFOp::create(builder, loc, type, value);
    if (isUnsigned)
      return arith::ExtUIOp::create(builder, loc, type, value);
    return arith::ExtSIOp::create(builder, loc, type, value);
  }

  Value loadRight(OpBuilder &builder, Value k, Value column) {
    if (pairs) {
      auto type = VectorType::get({lanes * 2}, cast<MemRefType>(rhs.getType()).getElementType());
      Value doubled = arith::MulIOp::create(builder, loc, column, index(builder, 2));
      return vector::LoadOp::create(builder, loc, type, rhs, ValueRange{k, doubled});
    }
    auto type = VectorType::get({lanes}, cast<MemRefType>(rhs.getType()).getElementType());
    return widen(builder, vector::LoadOp::create(builder, loc, type, rhs, ValueRange{k, column}), mma.getUnsignedRhs());
  }

  Value loadLeft(OpBuilder &builder, Value row, Value k) {
    Type from = cast<MemRefType>(lhs.getType()).getElementType();
    if (pairs) {
      // Two neighbours are one 32-bit broadcast.
      Type i32 = builder.getI32Type();
      Value two = vector::LoadOp::create(builder, loc, VectorType::get({2}, from), lhs, ValueRange{row, k});
      Value word = vector::BitCastOp::create(builder, loc, VectorType::get({1}, i32), two);
      Value all = vector::BroadcastOp::create(builder, loc, VectorType::get({lanes}, i32), word);
      return vector::BitCastOp::create(builder, loc, VectorType::get({lanes * 2}, from), all);
    }
    Value scalar = widen(builder, memref::LoadOp::create(builder, loc, lhs, ValueRange{row, k}), mma.getUnsignedLhs());
    return vector::BroadcastOp::create(builder, loc, accVector(), scalar);
  }

  Value multiplyAdd(OpBuilder &builder, Value left, Value right, Value sum) {
    if (pairs)
      return LLVM::CallIntrinsicOp::create(builder, loc, accVector(),
                                           builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
                                           ValueRange{sum, left, right})
          .getResult(0);
    if (isa<FloatType>(element))
      return vector::FMAOp::create(builder, loc, left, right, sum);
    return arith::AddIOp::create(builder, loc, sum, arith::MulIOp::create(builder, loc, left, right));
  }

  void clearRest(OpBuilder &builder, Value rowBound, Value columnBound, int64_t rows, int64_t columns, int64_t blockColumns) {
    auto roundUp = [&](Value bound, int64_t to) -> Value {
      Value step = index(builder, to);
      return arith::MulIOp::create(builder, loc, arith::CeilDivUIOp::create(builder, loc, bound, step), step);
    };
    Value zeros = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(accVector()));
    auto clear = [&](Value fromRow, Value toRow, Value fromColumn) {
      auto overRows = scf::ForOp::create(builder, loc, fromRow, toRow, index(builder, 1));
      OpBuilder inRows(overRows.getBody()->getTerminator());
      auto overColumns = scf::ForOp::create(inRows, loc, fromColumn, index(inRows, columns), index(inRows, lanes));
      OpBuilder inColumns(overColumns.getBody()->getTerminator());
      vector::StoreOp::create(inColumns, loc, zeros, acc, ValueRange{overRows.getInductionVar(), overColumns.getInductionVar()});
    };
    Value doneRows = roundUp(rowBound, blockRows);
    clear(index(builder, 0), doneRows, roundUp(columnBound, blockColumns));
    clear(doneRows, index(builder, rows), index(builder, 0));
  }

  MmaOp mma;
  const Plan &plan;
  Location loc;
  Value lhs, rhs, acc;
  Type element;
  int64_t lanes = 1, vectors = 1, blockRows = 1;
  bool pairs = false;
};

} // namespace

LogicalResult cpu::emitMma(MmaOp mma, const Plan &plan) { return MmaLoop(mma, plan).emit(); }

// [K,N] to [K/2, 2N]: a row of the result is two rows of the source, element by element.
LogicalResult cpu::emitPackPairs(PackPairsOp pack, const Plan &plan) {
  OpBuilder builder(pack);
  Location loc = pack.getLoc();
  SmallVector<int64_t> order;
  Value source = withUnitStrideLast(builder, pack.getSource(), order);
  auto type = cast<MemRefType>(pack.getSource().getType());
  int64_t depth = type.getDimSize(0), columns = type.getDimSize(1);
  auto index = [&](OpBuilder &at, int64_t value) -> Value { return arith::ConstantIndexOp::create(at, loc, value); };
  int64_t lanes = std::min(plan.lanes(32), columns);
  Value destination = pack.getDestination();
  if (llvm::is_sorted(order)) {
    auto overPairs = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, depth), index(builder, 2));
    OpBuilder inPairs(overPairs.getBody()->getTerminator());
    Value k = overPairs.getInductionVar();
    Value next = arith::AddIOp::create(inPairs, loc, k, index(inPairs, 1));
    Value pair = arith::DivUIOp::create(inPairs, loc, k, index(inPairs, 2));
    auto overColumns = scf::ForOp::create(inPairs, loc, index(inPairs, 0), index(inPairs, columns), index(inPairs, lanes));
    OpBuilder inner(overColumns.getBody()->getTerminator());
    Value column = overColumns.getInductionVar();
    auto row = VectorType::get({lanes}, type.getElementType());
    Value even = vector::LoadOp::create(inner, loc, row, source, ValueRange{k, column});
    Value odd = vector::LoadOp::create(inner, loc, row, source, ValueRange{next, column});
    Value both = vector::InterleaveOp::create(inner, loc, even, odd);
    Value at = arith::MulIOp::create(inner, loc, column, index(inner, 2));
    vector::StoreOp::create(inner, loc, both, destination, ValueRange{pair, at});
    pack.erase();
    return success();
  }
  // Columns are contiguous in memory: a pair is one 32-bit word, and packing transposes words.
  int64_t block = std::min<int64_t>({16, columns, depth / 2});
  auto overPairs = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, depth / 2), index(builder, block));
  OpBuilder inPairs(overPairs.getBody()->getTerminator());
  auto overColumns = scf::ForOp::create(inPairs, loc, index(inPairs, 0), index(inPairs, columns), index(inPairs, block));
  OpBuilder inner(overColumns.getBody()->getTerminator());
  Value pair = overPairs.getInductionVar(), column = overColumns.getInductionVar();
  Value k = arith::MulIOp::create(inner, loc, pair, index(inner, 2));
  Type i32 = builder.getI32Type();
  Value words = arith::ConstantOp::create(inner, loc, inner.getZeroAttr(VectorType::get({block, block}, i32)));
  for (int64_t i = 0; i < block; ++i) {
    Value at = arith::AddIOp::create(inner, loc, column, index(inner, i));
    // `source` has its dimensions exchanged.
    Value line = vector::LoadOp::create(inner, loc, VectorType::get({block * 2}, type.getElementType()), source, ValueRange{at, k});
    Value word = vector::BitCastOp::create(inner, loc, VectorType::get({block}, i32), line);
    words = vector::InsertOp::create(inner, loc, word, words, ArrayRef<int64_t>{i});
  }
  words = vector::TransposeOp::create(inner, loc, words, ArrayRef<int64_t>{1, 0});
  Value doubled = arith::MulIOp::create(inner, loc, column, index(inner, 2));
  for (int64_t i = 0; i < block; ++i) {
    Value line = vector::ExtractOp::create(inner, loc, words, ArrayRef<int64_t>{i});
    Value halves = vector::BitCastOp::create(inner, loc, VectorType::get({block * 2}, type.getElementType()), line);
    Value at = arith::AddIOp::create(inner, loc, pair, index(inner, i));
    vector::StoreOp::create(inner, loc, halves, destination, ValueRange{at, doubled});
  }
  pack.erase();
  return success();
}
