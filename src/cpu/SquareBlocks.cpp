// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A buffer contiguous along one dimension and another along a second: transposing 16x16 in registers beats any order
// of single elements.
#include "cpu/VectorLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

constexpr int64_t blockSize = 16;

class SquareBlocks : LoopNest {
public:
  explicit SquareBlocks(const LoopNest &loop) : LoopNest(loop) {}

  // Whether the loop is one for blocks; then its lanes and the dimension across them are chosen.
  bool choose() {
    if (reductionDim != none || laneDim == none || sizes[laneDim] % blockSize != 0 || op.getNumDpsInits() != 1)
      return false;
    for (const LoopAccess &access : accesses)
      if (auto type = dyn_cast<MemRefType>(access.buffer.getType()); type && type.getElementType().isInteger(1))
        return false;
    for (Operation &inner : *body)
      if (isa<PtrLoadOp, PtrStoreOp, linalg::IndexOp>(inner))
        return false;
    laneDim = none;
    for (int64_t dim = 0; dim < (int64_t)sizes.size(); ++dim)
      if (sizes[dim] > 1 && outAccess(0).strideAlong(dim) == 1)
        laneDim = dim;
    if (laneDim == none || sizes[laneDim] % blockSize != 0)
      return false;
    for (const LoopAccess &access : accesses) {
      if (!isa<MemRefType>(access.buffer.getType()))
        continue;
      int64_t along = access.strideAlong(laneDim);
      if (along == 0 || along == 1)
        continue;
      for (int64_t dim = 0; dim < (int64_t)sizes.size(); ++dim)
        if (dim != laneDim && sizes[dim] % blockSize == 0 && access.strideAlong(dim) == 1)
          crossDim = dim;
    }
    return crossDim != none;
  }

  void emit() {
    OpBuilder builder(op);
    indices.assign(sizes.size(), Value());
    SmallVector<int64_t> outer;
    for (int64_t dim = 0; dim < (int64_t)sizes.size(); ++dim)
      if (dim != laneDim && dim != crossDim)
        outer.push_back(dim);
    nest(builder, outer, [&](OpBuilder &inner) {
      auto overCross =
          scf::ForOp::create(inner, loc, index(inner, 0), index(inner, sizes[crossDim]), index(inner, blockSize));
      OpBuilder cross(overCross.getBody()->getTerminator());
      indices[crossDim] = overCross.getInductionVar();
      auto overLane =
          scf::ForOp::create(cross, loc, index(cross, 0), index(cross, sizes[laneDim]), index(cross, blockSize));
      OpBuilder lane(overLane.getBody()->getTerminator());
      indices[laneDim] = overLane.getInductionVar();
      emitBlock(lane);
    });
    op.erase();
  }

private:
  // [cross][lane]
  void emitBlock(OpBuilder &builder) {
    IRMapping mapping;
    for (unsigned i = 0; i < op.getNumDpsInputs(); ++i)
      mapping.map(body->getArgument(i), loadBlock(builder, accesses[i]));
    for (Operation &inner : body->without_terminator())
      cloneOp(builder, &inner, mapping, VectorType::get({blockSize, blockSize}, builder.getI1Type()));
    Value yielded = body->getTerminator()->getOperand(0);
    Value value = mapping.lookupOrNull(yielded);
    if (!value)
      value = yielded;
    value = toBlock(builder, value);
    const LoopAccess &out = outAccess(0);
    for (int64_t row = 0; row < blockSize; ++row) {
      SmallVector<Value> shifted(indices);
      shifted[crossDim] = arith::AddIOp::create(builder, loc, indices[crossDim], index(builder, row));
      Value line = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{row});
      vector::StoreOp::create(builder, loc, line, out.buffer, out.indices(builder, loc, shifted));
    }
  }

  Value toBlock(OpBuilder &builder, Value value) {
    auto vector = dyn_cast<VectorType>(value.getType());
    Type element = vector ? vector.getElementType() : value.getType();
    auto type = VectorType::get({blockSize, blockSize}, element);
    return value.getType() == type ? value : vector::BroadcastOp::create(builder, loc, type, value).getResult();
  }

  Value loadBlock(OpBuilder &builder, const LoopAccess &access) {
    if (!isa<MemRefType>(access.buffer.getType()))
      return toBlock(builder, access.buffer);
    Type element = access.type().getElementType();
    auto line = VectorType::get({blockSize}, element);
    bool alongLane = access.dependsOn(laneDim), alongCross = access.dependsOn(crossDim);
    if (!alongLane && !alongCross)
      return toBlock(builder,
                     memref::LoadOp::create(builder, loc, access.buffer, access.indices(builder, loc, indices)));
    auto loadLine = [&](int64_t contiguous, int64_t other, int64_t row) -> Value {
      SmallVector<Value> shifted(indices);
      if (other != none)
        shifted[other] = arith::AddIOp::create(builder, loc, indices[other], index(builder, row));
      if (access.strideAlong(contiguous) == 1)
        return vector::LoadOp::create(builder, loc, line, access.buffer, access.indices(builder, loc, shifted));
      SmallVector<Value> scalars;
      for (int64_t lane = 0; lane < blockSize; ++lane) {
        SmallVector<Value> at(shifted);
        at[contiguous] = arith::AddIOp::create(builder, loc, shifted[contiguous], index(builder, lane));
        scalars.push_back(memref::LoadOp::create(builder, loc, access.buffer, access.indices(builder, loc, at)));
      }
      return vector::FromElementsOp::create(builder, loc, line, scalars);
    };
    if (!alongCross)
      return toBlock(builder, loadLine(laneDim, none, 0));
    if (!alongLane) {
      Value block = toBlock(builder, loadLine(crossDim, none, 0));
      return vector::TransposeOp::create(builder, loc, block, ArrayRef<int64_t>{1, 0});
    }
    bool transposed = access.strideAlong(laneDim) != 1 && access.strideAlong(crossDim) == 1;
    if (transposed && element.getIntOrFloatBitWidth() == 32)
      return loadTransposed(builder, access);
    Value block = ub::PoisonOp::create(builder, loc, VectorType::get({blockSize, blockSize}, element));
    for (int64_t row = 0; row < blockSize; ++row) {
      Value values = transposed ? loadLine(crossDim, laneDim, row) : loadLine(laneDim, crossDim, row);
      block = vector::InsertOp::create(builder, loc, values, block, ArrayRef<int64_t>{row});
    }
    return transposed ? vector::TransposeOp::create(builder, loc, block, ArrayRef<int64_t>{1, 0}).getResult() : block;
  }

  // Quarters of lines come from memory into quarters of registers, which costs no shuffle unit; what is left is to
  // transpose 4x4 within quarters, twice two shuffles for two results. Four stages over whole lines were twice the
  // shuffles, and their masks of 16 lanes took a third of the time of code generation (docs/performance.md).
  Value loadTransposed(OpBuilder &builder, const LoopAccess &access) {
    constexpr int64_t quarter = blockSize / 4;
    Type element = access.type().getElementType();
    auto part = VectorType::get({quarter}, element);
    auto load = [&](int64_t line, int64_t first) -> Value {
      SmallVector<Value> at(indices);
      at[laneDim] = arith::AddIOp::create(builder, loc, indices[laneDim], index(builder, line));
      at[crossDim] = arith::AddIOp::create(builder, loc, indices[crossDim], index(builder, first));
      return vector::LoadOp::create(builder, loc, part, access.buffer, access.indices(builder, loc, at));
    };
    auto join = [&](Value left, Value right) -> Value {
      int64_t lanes = 2 * cast<VectorType>(left.getType()).getNumElements();
      return vector::ShuffleOp::create(builder, loc, left, right, llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
    };
    // The same choice in each quarter: 0..3 are lanes of `left`, 4..7 of `right`.
    auto pick = [&](Value left, Value right, ArrayRef<int64_t> lanes) -> Value {
      SmallVector<int64_t> mask;
      for (int64_t base = 0; base < blockSize; base += quarter)
        for (int64_t lane : lanes)
          mask.push_back(base + (lane < quarter ? lane : lane - quarter + blockSize));
      return vector::ShuffleOp::create(builder, loc, left, right, mask);
    };
    Value block = ub::PoisonOp::create(builder, loc, VectorType::get({blockSize, blockSize}, element));
    for (int64_t first = 0; first < blockSize; first += quarter) {
      // Quarter q of lines[r] is line 4q + r of the buffer.
      SmallVector<Value> lines;
      for (int64_t r = 0; r < quarter; ++r)
        lines.push_back(join(join(load(r, first), load(quarter + r, first)),
                             join(load(2 * quarter + r, first), load(3 * quarter + r, first))));
      for (int64_t half = 0; half < 2; ++half) {
        Value even = pick(lines[0], lines[1], {2 * half, 4 + 2 * half, 2 * half + 1, 5 + 2 * half});
        Value odd = pick(lines[2], lines[3], {2 * half, 4 + 2 * half, 2 * half + 1, 5 + 2 * half});
        Value low = pick(even, odd, {0, 1, 4, 5}), high = pick(even, odd, {2, 3, 6, 7});
        block = vector::InsertOp::create(builder, loc, low, block, ArrayRef<int64_t>{first + 2 * half});
        block = vector::InsertOp::create(builder, loc, high, block, ArrayRef<int64_t>{first + 2 * half + 1});
      }
    }
    return block;
  }

  int64_t crossDim = none;
};

} // namespace

bool cpu::emitSquareBlocks(const LoopNest &loop) {
  SquareBlocks blocks(loop);
  if (!blocks.choose())
    return false;
  blocks.emit();
  return true;
}
