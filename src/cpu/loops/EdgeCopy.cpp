// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles that stick out of their array: copied into scratch with padding around, copied back without.
#include "cpu/loops/MicroTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

struct Copy {
  OpBuilder builder;
  Location loc;
  Value tile, box;           // the tile in scratch; the array up to where the part inside ends
  SmallVector<Value> before; // what of it is not inside, along each dimension; none: nothing
  int64_t lanes;

  Copy(Operation *op, Value tileBuffer, Value boxBuffer, ValueRange beforeBox, const Plan &plan)
      : builder(op), loc(op->getLoc()), before(beforeBox) {
    // Both in the array's order, so that a line of one is a line of the other.
    SmallVector<int64_t> order;
    box = withUnitStrideLast(builder, boxBuffer, order);
    tile = tileBuffer;
    if (box != boxBuffer) {
      SmallVector<unsigned> permutation(order.begin(), order.end());
      AffineMap map = AffineMap::getPermutationMap(permutation, builder.getContext());
      tile = memref::TransposeOp::create(builder, loc, tile, AffineMapAttr::get(map));
      if (!before.empty())
        applyPermutationToVector(before, order);
    }
    auto type = cast<MemRefType>(tile.getType());
    int64_t last = type.getShape().back();
    Type element = type.getElementType();
    lanes = 1;
    if (staticUnit(tile) && staticUnit(box))
      lanes = std::min(last, plan.lanes(element.getIntOrFloatBitWidth()));
  }

  static bool staticUnit(Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    return succeeded(type.getStridesAndOffset(strides, offset)) && (strides.empty() || strides.back() == 1);
  }

  Value index(OpBuilder &at, int64_t value) { return arith::ConstantIndexOp::create(at, loc, value); }
  int64_t rank() { return cast<MemRefType>(tile.getType()).getRank(); }
  Value boxExtent(OpBuilder &at, int64_t dim) { return memref::DimOp::create(at, loc, box, dim); }
  Value firstInside(OpBuilder &at, int64_t dim) { return before.empty() ? index(at, 0) : before[dim]; }

  // Of the lanes from `at` on, those before `extent` and not before the part.
  Value maskOf(OpBuilder &builder, Value at, Value extent) {
    auto type = VectorType::get({lanes}, builder.getI1Type());
    Value left = arith::SubIOp::create(builder, loc, extent, at);
    Value mask = vector::CreateMaskOp::create(builder, loc, type, left);
    APInt first;
    if (before.empty() || (matchPattern(before.back(), m_ConstantInt(&first)) && first.isZero()))
      return mask;
    Value missing = arith::SubIOp::create(builder, loc, before.back(), at);
    Value skipped = vector::CreateMaskOp::create(builder, loc, type, missing);
    Value all = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, true));
    return arith::AndIOp::create(builder, loc, mask, arith::XOrIOp::create(builder, loc, skipped, all));
  }
};

} // namespace

void cpu::emitCopyIn(CopyInOp op, const Plan &plan) {
  Copy copy(op, op.getDestination(), op.getSource(), op.getBefore(), plan);
  auto type = cast<MemRefType>(copy.tile.getType());
  int64_t rank = copy.rank();
  OpBuilder builder = copy.builder;
  Location loc = copy.loc;
  SmallVector<Value> indices;
  Value inside; // all outer indices are
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value extent = copy.boxExtent(builder, dim);
    bool last = dim == rank - 1;
    auto loop = scf::ForOp::create(builder, loc, copy.index(builder, 0), copy.index(builder, type.getDimSize(dim)),
                                   copy.index(builder, last ? copy.lanes : 1));
    builder = OpBuilder(loop.getBody()->getTerminator());
    indices.push_back(loop.getInductionVar());
    Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, indices.back(), extent);
    if (last && copy.lanes > 1) {
      // A load whose mask is false, of a page that is not there, takes as long as hundreds of others.
      Value some = inside ? arith::AndIOp::create(builder, loc, inside, fits).getResult() : fits;
      auto vector = VectorType::get({copy.lanes}, type.getElementType());
      Value padding = vector::BroadcastOp::create(builder, loc, vector, op.getPadding());
      auto choice = scf::IfOp::create(builder, loc, TypeRange(vector), some, true);
      OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
      Value mask = copy.maskOf(then, indices.back(), extent);
      scf::YieldOp::create(
          then, loc, vector::MaskedLoadOp::create(then, loc, vector, copy.box, indices, mask, padding).getResult());
      scf::YieldOp::create(otherwise, loc, padding);
      vector::StoreOp::create(builder, loc, choice.getResult(0), copy.tile, indices);
      break;
    }
    if (!copy.before.empty()) {
      Value begins = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, indices.back(), copy.before[dim]);
      fits = arith::AndIOp::create(builder, loc, fits, begins);
    }
    inside = inside ? arith::AndIOp::create(builder, loc, inside, fits).getResult() : fits;
    if (!last)
      continue;
    auto choice = scf::IfOp::create(builder, loc, TypeRange(type.getElementType()), inside, true);
    OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
    scf::YieldOp::create(then, loc, memref::LoadOp::create(then, loc, copy.box, indices).getResult());
    scf::YieldOp::create(otherwise, loc, op.getPadding());
    memref::StoreOp::create(builder, loc, choice.getResult(0), copy.tile, indices);
  }
  op.erase();
}

void cpu::emitCopyOut(CopyOutOp op, const Plan &plan) {
  Copy copy(op, op.getSource(), op.getDestination(), op.getBefore(), plan);
  auto type = cast<MemRefType>(copy.tile.getType());
  int64_t rank = copy.rank();
  OpBuilder builder = copy.builder;
  Location loc = copy.loc;
  SmallVector<Value> indices;
  for (int64_t dim = 0; dim < rank; ++dim) {
    Value extent = copy.boxExtent(builder, dim);
    bool last = dim == rank - 1;
    // Vectors begin where those of the tile do.
    Value first = last && copy.lanes > 1 ? copy.index(builder, 0) : copy.firstInside(builder, dim);
    auto loop = scf::ForOp::create(builder, loc, first, extent, copy.index(builder, last ? copy.lanes : 1));
    builder = OpBuilder(loop.getBody()->getTerminator());
    indices.push_back(loop.getInductionVar());
    if (!last)
      continue;
    if (copy.lanes == 1) {
      memref::StoreOp::create(builder, loc, memref::LoadOp::create(builder, loc, copy.tile, indices), copy.box,
                              indices);
      continue;
    }
    auto vector = VectorType::get({copy.lanes}, type.getElementType());
    Value mask = copy.maskOf(builder, indices.back(), extent);
    Value line = vector::LoadOp::create(builder, loc, vector, copy.tile, indices);
    vector::MaskedStoreOp::create(builder, loc, copy.box, indices, mask, line);
  }
  op.erase();
}
