// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu.mma as a register-blocked kernel: a block of the accumulator stays in registers while k runs, the elements of a
// column of lhs are broadcast and multiplied with a row of rhs.
//
// Example, 4x64 in f32 with 512-bit vectors: 16 accumulators, per k four vectors of rhs and four broadcasts for 16 fma.
#include "cpu/loops/MicroTiles.h"
#include "cpu/mma/TileBlock.h"

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

  void emit() {
    OpBuilder builder(mma);
    auto accType = cast<MemRefType>(mma.getAcc().getType());
    if (accType.getRank() == 3)
      return overBatch(builder, accType.getDimSize(0));
    lhs = mma.getLhs();
    rhs = mma.getRhs();
    acc = mma.getAcc();
    element = accType.getElementType();
    int64_t rows = accType.getDimSize(0), columns = accType.getDimSize(1);
    int64_t depth = mma.getDepth();
    auto rhsType = cast<MemRefType>(rhs.getType());
    panels = rhsType.getRank() == 3;
    word = mma.getWordElements();

    int64_t bits = element.getIntOrFloatBitWidth();
    lanes = std::min(plan.lanes(bits), columns);
    blockColumns = std::min(columns, std::max<int64_t>(lanes, plan.microTileN * 32 / bits));
    if (panels)
      blockColumns = rhsType.getDimSize(2) / word;
    vectors = blockColumns / lanes;
    // The registers that a narrow tile leaves free hold more rows.
    int64_t accumulators = plan.microTileM * plan.microTileN / plan.lanes(32);
    auto chooseRows = [&] {
      blockRows = std::min<int64_t>(rows, std::max<int64_t>(1, llvm::bit_floor<uint64_t>(accumulators / vectors)));
    };
    chooseRows();
    if (mma.hasTiles(plan)) {
      tiles.emplace(mma);
      blockRows = tiles->getRows();
    }

    Value rowBound = mma.getBounds().empty() ? index(builder, rows) : mma.getBounds()[0];
    Value columnBound = mma.getBounds().empty() ? index(builder, columns) : mma.getBounds()[1];
    Value depthBound = mma.getBounds().empty() ? index(builder, depth) : mma.getBounds()[2];
    if (int64_t atOnce = tiles ? tiles->getDepth() : word; atOnce > 1)
      depthBound = arith::DivUIOp::create(builder, loc,
                                          arith::AddIOp::create(builder, loc, depthBound, index(builder, atOnce - 1)),
                                          index(builder, atOnce));
    for (Value array : mma.getAhead())
      ahead.push_back(
          makeAhead(builder, array, llvm::divideCeil(rows, blockRows) * llvm::divideCeil(columns, blockColumns)));
    Value zero = index(builder, 0), wide = columnBound;
    // Where at most one vector of columns is left, the registers of the others hold more rows instead.
    bool hasNarrowRest = mma.getRagged() && vectors > 1 && !mma.getZeroInit() && !tiles;
    Value isNarrow;
    if (hasNarrowRest) {
      Value rest = arith::RemUIOp::create(builder, loc, columnBound, index(builder, blockColumns));
      Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, rest, index(builder, lanes));
      isNarrow = arith::AndIOp::create(builder, loc, fits,
                                       arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, rest, zero));
      wide = arith::SelectOp::create(builder, loc, fits, arith::SubIOp::create(builder, loc, columnBound, rest), wide);
    }
    auto overColumns = scf::ForOp::create(builder, loc, zero, wide, index(builder, blockColumns));
    OpBuilder inColumns(overColumns.getBody()->getTerminator());
    emitRows(inColumns, overColumns.getInductionVar(), rowBound, depthBound);
    if (hasNarrowRest) {
      auto narrow = scf::IfOp::create(builder, loc, isNarrow, /*withElseRegion=*/false);
      OpBuilder inNarrow(narrow.thenBlock()->getTerminator());
      vectors = 1;
      chooseRows();
      emitRows(inNarrow, wide, rowBound, depthBound);
    }
    // Parts of a fresh accumulator that no block covers are zero, not undefined.
    if (mma.getZeroInit() && !mma.getBounds().empty())
      clearRest(builder, rowBound, columnBound, rows, columns);
    mma.erase();
  }

private:
  void emitRows(OpBuilder &builder, Value column, Value rowBound, Value depthBound) {
    auto overRows = scf::ForOp::create(builder, loc, index(builder, 0), rowBound, index(builder, blockRows));
    OpBuilder inRows(overRows.getBody()->getTerminator());
    emitBlock(inRows, overRows.getInductionVar(), column, depthBound);
  }

  Value index(OpBuilder &builder, int64_t value) { return arith::ConstantIndexOp::create(builder, loc, value); }

  // A batch is a loop over products of two dimensions.
  void overBatch(OpBuilder &builder, int64_t batch) {
    auto loop = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, batch), index(builder, 1));
    OpBuilder inner(loop.getBody()->getTerminator());
    auto slice = [&](Value buffer) -> Value {
      auto type = cast<MemRefType>(buffer.getType());
      SmallVector<OpFoldResult> offsets(3, inner.getIndexAttr(0)), strides(3, inner.getIndexAttr(1)), sizes;
      offsets[0] = loop.getInductionVar();
      for (int64_t extent : type.getShape())
        sizes.push_back(inner.getIndexAttr(extent));
      sizes[0] = inner.getIndexAttr(1);
      auto sliced =
          memref::SubViewOp::inferRankReducedResultType(type.getShape().drop_front(), type, offsets, sizes, strides);
      return memref::SubViewOp::create(inner, loc, cast<MemRefType>(sliced), buffer, offsets, sizes, strides);
    };
    auto product = MmaOp::create(inner, loc, TypeRange(), slice(mma.getLhs()), slice(mma.getRhs()), slice(mma.getAcc()),
                                 ValueRange(), ValueRange(), mma.getZeroInit(), mma.getUnsignedLhs(),
                                 mma.getUnsignedRhs(), mma.getTransposedLhs(), mma.getRagged());
    mma.erase();
    emitMma(product, plan);
  }

  // An array to fetch: its lines, and how many of them in each group of k steps of each register block.
  struct Ahead {
    Value array; // unit stride last
    int64_t elementsPerLine, linesPerRow, linesPerGroup;
  };

  Ahead makeAhead(OpBuilder &builder, Value array, int64_t blocks) {
    SmallVector<int64_t> order;
    array = withUnitStrideLast(builder, array, order);
    auto type = cast<MemRefType>(array.getType());
    int64_t perLine = std::max<int64_t>(1, 8 * cacheLineBytes / std::max<int64_t>(8, type.getElementTypeBitWidth()));
    int64_t perRow = llvm::divideCeil(type.getShape().back(), perLine);
    int64_t lines = type.getNumElements() / type.getShape().back() * perRow;
    return {array, perLine, perRow, static_cast<int64_t>(llvm::divideCeil(lines, blocks * groups))};
  }

  // Some lines of each array: the part of the block at (row, column) and of the group of k steps.
  void fetchAhead(OpBuilder &builder, Value row, Value column, Value group) {
    Value rowBlock = arith::DivUIOp::create(builder, loc, row, index(builder, blockRows));
    Value columnBlock = arith::DivUIOp::create(builder, loc, column, index(builder, blockColumns));
    int64_t rows = cast<MemRefType>(acc.getType()).getDimSize(0);
    Value block = arith::AddIOp::create(
        builder, loc, rowBlock,
        arith::MulIOp::create(builder, loc, columnBlock, index(builder, llvm::divideCeil(rows, blockRows))));
    Value turn =
        arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, block, index(builder, groups)), group);
    for (const Ahead &each : ahead) {
      Value first = arith::MulIOp::create(builder, loc, turn, index(builder, each.linesPerGroup));
      for (int64_t i = 0; i < each.linesPerGroup; ++i) {
        Value line = shifted(builder, first, i);
        Value inRow = arith::RemUIOp::create(builder, loc, line, index(builder, each.linesPerRow));
        Value at = arith::DivUIOp::create(builder, loc, line, index(builder, each.linesPerRow));
        SmallVector<Value> indices(cast<MemRefType>(each.array.getType()).getRank(), index(builder, 0));
        indices.back() = arith::MulIOp::create(builder, loc, inRow, index(builder, each.elementsPerLine));
        if (indices.size() > 1)
          indices[indices.size() - 2] = at;
        memref::PrefetchOp::create(builder, loc, each.array, indices, /*isWrite=*/false, /*localityHint=*/2,
                                   /*isDataCache=*/true);
      }
    }
  }

  VectorType accVector() { return VectorType::get({lanes}, element); }

  Value shifted(OpBuilder &builder, Value base, int64_t by) {
    return by == 0 ? base : arith::AddIOp::create(builder, loc, base, index(builder, by)).getResult();
  }

  void emitBlock(OpBuilder &builder, Value row, Value column, Value depthBound) {
    if (tiles)
      return tiles->storeSums(builder, row, column,
                              overGroups(builder, depthBound, row, column, tiles->loadSums(builder, row, column)));
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
    ValueRange sums = overGroups(builder, depthBound, row, column, initial);
    for (int64_t i = 0; i < blockRows; ++i)
      for (int64_t j = 0; j < vectors; ++j)
        vector::StoreOp::create(builder, loc, sums[i * vectors + j], acc, ValueRange{rowsOf[i], columnsOf[j]});
  }

  // Many lines fetched at once would hold up the operands' own cache misses: they are spread over the k loop.
  ValueRange overGroups(OpBuilder &builder, Value depthBound, Value row, Value column, ValueRange initial) {
    if (ahead.empty())
      return overDepth(builder, index(builder, 0), depthBound, row, column, initial);
    Value steps = arith::CeilDivUIOp::create(builder, loc, depthBound, index(builder, groups));
    auto loop = scf::ForOp::create(builder, loc, index(builder, 0), index(builder, groups), index(builder, 1), initial);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    Value group = loop.getInductionVar();
    fetchAhead(inner, row, column, group);
    Value first = arith::MulIOp::create(inner, loc, group, steps);
    Value end = arith::MinUIOp::create(inner, loc, arith::AddIOp::create(inner, loc, first, steps), depthBound);
    scf::YieldOp::create(inner, loc, overDepth(inner, first, end, row, column, loop.getRegionIterArgs()));
    return loop.getResults();
  }

  ValueRange overDepth(OpBuilder &builder, Value first, Value end, Value row, Value column, ValueRange initial) {
    auto loop = scf::ForOp::create(builder, loc, first, end, index(builder, 1), initial);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    Value k = loop.getInductionVar();
    if (tiles) {
      scf::YieldOp::create(inner, loc, tiles->multiplyAdd(inner, k, row, column, loop.getRegionIterArgs()));
      return loop.getResults();
    }
    Value lhsK = word > 1 ? arith::MulIOp::create(inner, loc, k, index(inner, word)).getResult() : k;
    SmallVector<Value> right, next;
    for (int64_t j = 0; j < vectors; ++j)
      right.push_back(loadRight(inner, k, column, j));
    for (int64_t i = 0; i < blockRows; ++i) {
      Value left = loadLeft(inner, shifted(inner, row, i), lhsK);
      for (int64_t j = 0; j < vectors; ++j)
        next.push_back(multiplyAdd(inner, left, right[j], loop.getRegionIterArg(i * vectors + j)));
    }
    scf::YieldOp::create(inner, loc, next);
    return loop.getResults();
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

  // `column` is that of the block, `j` the vector within it.
  Value loadRight(OpBuilder &builder, Value k, Value column, int64_t j) {
    auto type = VectorType::get({lanes * word}, cast<MemRefType>(rhs.getType()).getElementType());
    SmallVector<Value> at{k, shifted(builder, column, j * lanes)};
    if (panels)
      at = {arith::DivUIOp::create(builder, loc, column, index(builder, blockColumns)), k,
            index(builder, j * lanes * word)};
    Value row = vector::LoadOp::create(builder, loc, type, rhs, at);
    return word > 1 ? row : widen(builder, row, mma.getUnsignedRhs());
  }

  Value loadLeft(OpBuilder &builder, Value row, Value k) {
    Type from = cast<MemRefType>(lhs.getType()).getElementType();
    if (word > 1) {
      // The neighbours of a word are one 32-bit broadcast.
      Type i32 = builder.getI32Type();
      Value some = vector::LoadOp::create(builder, loc, VectorType::get({word}, from), lhs, ValueRange{row, k});
      Value one = vector::BitCastOp::create(builder, loc, VectorType::get({1}, i32), some);
      Value all = vector::BroadcastOp::create(builder, loc, VectorType::get({lanes}, i32), one);
      return vector::BitCastOp::create(builder, loc, VectorType::get({lanes * word}, from), all);
    }
    SmallVector<Value> at{row, k};
    if (mma.getTransposedLhs())
      std::swap(at[0], at[1]);
    Value scalar = widen(builder, memref::LoadOp::create(builder, loc, lhs, at), mma.getUnsignedLhs());
    return vector::BroadcastOp::create(builder, loc, accVector(), scalar);
  }

  // The instruction for words of these elements: those that are packed, PackOperands.cpp packs for it.
  const WordProduct &product() {
    const VectorUnit &unit = plan.unit();
    if (isa<FloatType>(element))
      return unit.bfloatPairs;
    if (word == 2)
      return unit.shortPairs;
    return mma.getUnsignedRhs() ? unit.unsignedByteQuads : unit.byteQuads;
  }

  Value addWords(OpBuilder &builder, Value left, Value right, Value sum) {
    auto call = [&](ValueRange operands) {
      StringAttr name = builder.getStringAttr(product().intrinsic);
      return LLVM::CallIntrinsicOp::create(builder, loc, accVector(), name, operands).getResult(0);
    };
    if (product().takesSum)
      return call({sum, left, right});
    return arith::AddIOp::create(builder, loc, sum, call({left, right}));
  }

  Value multiplyAdd(OpBuilder &builder, Value left, Value right, Value sum) {
    if (word > 1)
      return addWords(builder, left, right, sum);
    if (isa<FloatType>(element))
      return vector::FMAOp::create(builder, loc, left, right, sum);
    return arith::AddIOp::create(builder, loc, sum, arith::MulIOp::create(builder, loc, left, right));
  }

  void clearRest(OpBuilder &builder, Value rowBound, Value columnBound, int64_t rows, int64_t columns) {
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
      vector::StoreOp::create(inColumns, loc, zeros, acc,
                              ValueRange{overRows.getInductionVar(), overColumns.getInductionVar()});
    };
    Value doneRows = roundUp(rowBound, blockRows);
    clear(index(builder, 0), doneRows, roundUp(columnBound, blockColumns));
    clear(doneRows, index(builder, rows), index(builder, 0));
  }

  MmaOp mma;
  const Plan &plan;
  Location loc;
  Value lhs, rhs, acc;
  SmallVector<Ahead> ahead;
  Type element;
  static constexpr int64_t groups = 4; // of k steps, between which lines are fetched
  int64_t lanes = 1, vectors = 1, blockRows = 1, blockColumns = 1;
  bool panels = false;            // rhs is [N/blockColumns, K/word, blockColumns * word]
  int64_t word = 1;               // elements along K that are multiplied at once
  std::optional<TileBlock> tiles; // where the matrix unit multiplies
};

} // namespace

void cpu::emitMma(MmaOp mma, const Plan &plan) {
  MmaLoop(mma, plan).emit();
}
