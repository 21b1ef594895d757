// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable description of the matrix unit, after the pseudocode of Intel's manual: of bf16 the sums of even and of
// odd elements along K begin at zero, are added to each other, then to the accumulator. Only its treatment of
// subnormals is left out: the unit takes and returns them as zero.
#include "cpu/mma/TileModel.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace {

Value index(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value loadRow(OpBuilder &builder, Location loc, VectorType type, Value buffer, Value row) {
  return vector::LoadOp::create(builder, loc, type, buffer, ValueRange{row, index(builder, loc, 0)});
}

VectorType rowType(amx::TileType tile) {
  return VectorType::get({tile.getDimSize(1)}, tile.getElementType());
}

Value zeros(OpBuilder &builder, Location loc, VectorType type) {
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

// A register of its own, in the function's entry.
Value allocate(Operation *op, amx::TileType tile) {
  OpBuilder entry = OpBuilder::atBlockBegin(&op->getParentOfType<func::FuncOp>().getBody().front());
  return memref::AllocaOp::create(entry, op->getLoc(), MemRefType::get(tile.getShape(), tile.getElementType()));
}

// `body` gets the row.
void overRows(OpBuilder &builder, Location loc, int64_t rows, function_ref<void(OpBuilder &, Value)> body) {
  auto loop =
      scf::ForOp::create(builder, loc, index(builder, loc, 0), index(builder, loc, rows), index(builder, loc, 1));
  OpBuilder inner(loop.getBody()->getTerminator());
  body(inner, loop.getInductionVar());
}

SmallVector<Value> atRow(OpBuilder &builder, Location loc, ValueRange indices, Value row) {
  SmallVector<Value> at(indices);
  Value &outer = at[at.size() - 2];
  outer = arith::AddIOp::create(builder, loc, outer, row);
  return at;
}

struct Zero : OpConversionPattern<amx::TileZeroOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(amx::TileZeroOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    amx::TileType tile = op.getTileType();
    Value place = allocate(op, tile);
    overRows(rewriter, op.getLoc(), tile.getDimSize(0), [&](OpBuilder &inner, Value row) {
      vector::StoreOp::create(inner, op.getLoc(), zeros(inner, op.getLoc(), rowType(tile)), place,
                              ValueRange{row, index(inner, op.getLoc(), 0)});
    });
    rewriter.replaceOp(op, place);
    return success();
  }
};

struct Load : OpConversionPattern<amx::TileLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(amx::TileLoadOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getStride())
      return failure();
    Location loc = op.getLoc();
    amx::TileType tile = op.getTileType();
    Value place = allocate(op, tile);
    overRows(rewriter, loc, tile.getDimSize(0), [&](OpBuilder &inner, Value row) {
      Value line = vector::LoadOp::create(inner, loc, rowType(tile), operands.getBase(),
                                          atRow(inner, loc, operands.getIndices(), row));
      vector::StoreOp::create(inner, loc, line, place, ValueRange{row, index(inner, loc, 0)});
    });
    rewriter.replaceOp(op, place);
    return success();
  }
};

struct Store : OpConversionPattern<amx::TileStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(amx::TileStoreOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getStride())
      return failure();
    Location loc = op.getLoc();
    amx::TileType tile = op.getTileType();
    overRows(rewriter, loc, tile.getDimSize(0), [&](OpBuilder &inner, Value row) {
      Value line = loadRow(inner, loc, rowType(tile), operands.getVal(), row);
      vector::StoreOp::create(inner, loc, line, operands.getBase(), atRow(inner, loc, operands.getIndices(), row));
    });
    rewriter.eraseOp(op);
    return success();
  }
};

// The elements of each word by their place in it: of pairs two vectors, of quads four.
SmallVector<Value> splitWords(OpBuilder &builder, Location loc, Value row, int64_t elements) {
  if (elements == 1)
    return {row};
  auto halves = vector::DeinterleaveOp::create(builder, loc, row);
  SmallVector<Value> even = splitWords(builder, loc, halves.getRes1(), elements / 2),
                     odd = splitWords(builder, loc, halves.getRes2(), elements / 2), all;
  for (auto [first, second] : llvm::zip(even, odd))
    llvm::append_values(all, first, second);
  return all;
}

// `sums += left * right` by rows of sums: `term` adds the product of an element of the left operand and of the elements
// of the right one that it meets to a sum, of which there is one for each place in a word; `add` joins those.
template <typename Term, typename Add>
void multiply(OpBuilder &builder, Location loc, amx::TileType leftType, amx::TileType rightType, amx::TileType sumType,
              Value left, Value right, Value sums, Term term, Add add) {
  int64_t words = rightType.getDimSize(0), elements = leftType.getDimSize(1) / words;
  overRows(builder, loc, sumType.getDimSize(0), [&](OpBuilder &inRow, Value row) {
    SmallVector<Value> none(elements, zeros(inRow, loc, rowType(sumType)));
    auto loop =
        scf::ForOp::create(inRow, loc, index(inRow, loc, 0), index(inRow, loc, words), index(inRow, loc, 1), none);
    OpBuilder inWord = OpBuilder::atBlockEnd(loop.getBody());
    Value word = loop.getInductionVar();
    SmallVector<Value> parts = splitWords(inWord, loc, loadRow(inWord, loc, rowType(rightType), right, word), elements);
    Value first = arith::MulIOp::create(inWord, loc, word, index(inWord, loc, elements));
    SmallVector<Value> next;
    for (int64_t i = 0; i < elements; ++i) {
      Value k = arith::AddIOp::create(inWord, loc, first, index(inWord, loc, i));
      Value element = memref::LoadOp::create(inWord, loc, left, ValueRange{row, k});
      next.push_back(term(inWord, element, parts[i], loop.getRegionIterArg(i)));
    }
    scf::YieldOp::create(inWord, loc, next);
    Value total = loop.getResult(0);
    for (Value part : loop.getResults().drop_front())
      total = add(inRow, total, part);
    total = add(inRow, loadRow(inRow, loc, rowType(sumType), sums, row), total);
    vector::StoreOp::create(inRow, loc, total, sums, ValueRange{row, index(inRow, loc, 0)});
  });
}

struct MultiplyFloats : OpConversionPattern<amx::TileMulFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(amx::TileMulFOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType sums = rowType(op.getTileType());
    multiply(
        rewriter, loc, op.getLhsTileType(), op.getRhsTileType(), op.getTileType(), operands.getLhs(), operands.getRhs(),
        operands.getAcc(),
        [&](OpBuilder &builder, Value left, Value right, Value sum) -> Value {
          Value wide = arith::ExtFOp::create(builder, loc, sums.getElementType(), left);
          return vector::FMAOp::create(builder, loc, vector::BroadcastOp::create(builder, loc, sums, wide),
                                       arith::ExtFOp::create(builder, loc, sums, right), sum);
        },
        [&](OpBuilder &builder, Value left, Value right) -> Value {
          return arith::AddFOp::create(builder, loc, left, right);
        });
    rewriter.replaceOp(op, operands.getAcc());
    return success();
  }
};

struct MultiplyBytes : OpConversionPattern<amx::TileMulIOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(amx::TileMulIOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType sums = rowType(op.getTileType());
    auto widen = [&](OpBuilder &builder, Type type, Value value, bool isUnsigned) -> Value {
      if (isUnsigned)
        return arith::ExtUIOp::create(builder, loc, type, value);
      return arith::ExtSIOp::create(builder, loc, type, value);
    };
    auto add = [&](OpBuilder &builder, Value left, Value right) -> Value {
      return arith::AddIOp::create(builder, loc, left, right);
    };
    multiply(
        rewriter, loc, op.getLhsTileType(), op.getRhsTileType(), op.getTileType(), operands.getLhs(), operands.getRhs(),
        operands.getAcc(),
        [&](OpBuilder &builder, Value left, Value right, Value sum) -> Value {
          Value wide = widen(builder, sums.getElementType(), left, op.getIsZextLhs());
          Value all = vector::BroadcastOp::create(builder, loc, sums, wide);
          Value product = arith::MulIOp::create(builder, loc, all, widen(builder, sums, right, op.getIsZextRhs()));
          return add(builder, sum, product);
        },
        add);
    rewriter.replaceOp(op, operands.getAcc());
    return success();
  }
};

} // namespace

void tilewright::cpu::populateTileModel(const TypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<Zero, Load, Store, MultiplyFloats, MultiplyBytes>(types, patterns.getContext());
}
