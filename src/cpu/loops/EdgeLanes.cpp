// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of tiles that stick out of their arrays: which are inside, and accesses of those alone.
#include "cpu/loops/LoopNest.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

static bool isZero(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) && number.isZero();
}

// The number of elements along a dimension that lie before the part inside; null where none do.
static Value beforeOf(const LoopAccess &access, int64_t dim) {
  return access.before.empty() || isZero(access.before[dim]) ? Value() : access.before[dim];
}

static std::optional<int64_t> endingDim(linalg::GenericOp loop) {
  auto dim = loop->getAttrOfType<IntegerAttr>(endAttr);
  return dim ? std::optional(dim.getInt()) : std::nullopt;
}

bool LoopNest::hasEdges() const {
  return endingDim(op) == laneDim ||
         llvm::any_of(accesses, [](const LoopAccess &access) { return access.edge != nullptr; });
}

Value LoopNest::endOf(OpBuilder &builder, int64_t dim) const {
  if (op->hasAttr(boundsAttr))
    return accesses[2 * dim + 1].buffer;
  return endingDim(op) == dim ? accesses[0].buffer : index(builder, sizes[dim]);
}

// Whether an element is, but for one dimension of the buffer; null where it always is.
Value LoopNest::isInside(OpBuilder &builder, const LoopAccess &access, ValueRange at,
                         std::optional<int64_t> exceptFor) const {
  Value result;
  auto require = [&](arith::CmpIPredicate predicate, Value position, Value bound) {
    Value holds = arith::CmpIOp::create(builder, loc, predicate, position, bound);
    result = result ? arith::AndIOp::create(builder, loc, result, holds).getResult() : holds;
  };
  for (int64_t dim = 0; dim < access.type().getRank(); ++dim) {
    if (dim == exceptFor)
      continue;
    if (access.type().isDynamicDim(dim))
      require(arith::CmpIPredicate::slt, at[dim], memref::DimOp::create(builder, loc, access.buffer, dim));
    if (Value before = beforeOf(access, dim))
      require(arith::CmpIPredicate::sge, at[dim], before);
  }
  return result;
}

// The dimension of a buffer that the lanes run along: the last one, by `findAccesses`.
static int64_t dimOfLanes(const LoopAccess &access) {
  return access.type().getRank() - 1;
}

Value LoopNest::lanesInside(OpBuilder &builder, const LoopAccess &access) const {
  Value all = index(builder, sizes[laneDim]);
  if (!access.edge)
    return all;
  bool alongLanes = access.dependsOn(laneDim);
  std::optional<int64_t> laneOfBuffer;
  if (alongLanes)
    laneOfBuffer = dimOfLanes(access);
  // A dimension without an index here, as one that is reduced inside of the lanes' loop, counts as a whole.
  auto isInsideAt = [&](bool last) {
    SmallVector<Value> at(indices);
    for (auto [dim, position] : llvm::enumerate(at))
      if (!position)
        position = index(builder, last ? sizes[dim] - 1 : 0);
    return isInside(builder, access, access.indices(builder, loc, at), laneOfBuffer);
  };
  bool hasWhole = llvm::any_of(llvm::enumerate(indices), [&](auto entry) {
    return !entry.value() && int64_t(entry.index()) != laneDim && access.dependsOn(entry.index());
  });
  Value length = alongLanes ? memref::DimOp::create(builder, loc, access.buffer, *laneOfBuffer).getResult() : all;
  Value isIn = isInsideAt(/*last=*/false);
  if (isIn && hasWhole)
    isIn = arith::AndIOp::create(builder, loc, isIn, isInsideAt(/*last=*/true));
  return isIn ? arith::SelectOp::create(builder, loc, isIn, length, index(builder, 0)).getResult() : length;
}

// A loop that only writes tiles with an edge ends where the last of them does.
Value LoopNest::endOfLanes(OpBuilder &builder) const {
  linalg::GenericOp loop = op;
  ArrayRef<LoopAccess> results = ArrayRef(accesses).drop_front(loop.getNumDpsInputs());
  bool allHaveEdges = llvm::all_of(results, [&](const LoopAccess &out) { return out.edge && isContiguous(out); });
  if (endingDim(op) == laneDim || reductionDim != none || results.empty() || !allHaveEdges ||
      !llvm::all_of(*body, [](Operation &inner) { return isMemoryEffectFree(&inner); }))
    return endOf(builder, laneDim);
  Value end;
  for (const LoopAccess &out : results) {
    Value inside = lanesInside(builder, out);
    end = end ? arith::MaxSIOp::create(builder, loc, end, inside).getResult() : inside;
  }
  return end;
}

Value LoopNest::lanesInside(OpBuilder &builder) const {
  Value result = endOfLanes(builder);
  for (const LoopAccess &access : accesses) {
    if (!access.edge)
      continue;
    // Vectors that are read or written other than by a mask stay in the guarded part.
    if (access.dependsOn(laneDim) && !isContiguous(access))
      return index(builder, 0);
    Value inside = lanesInside(builder, access);
    if (Value before = access.dependsOn(laneDim) ? beforeOf(access, dimOfLanes(access)) : Value()) {
      Value none = index(builder, 0);
      Value isFromStart = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, before, none);
      inside = arith::SelectOp::create(builder, loc, isFromStart, inside, none);
    }
    result = arith::MinSIOp::create(builder, loc, result, inside);
  }
  return result;
}

// The lanes of the vector at the current indices that are inside.
Value LoopNest::maskOf(OpBuilder &builder, const LoopAccess &access) const {
  auto type = VectorType::get({lanes}, builder.getI1Type());
  Value first = access.indices(builder, loc, indices)[dimOfLanes(access)];
  auto upTo = [&](Value end) {
    return vector::CreateMaskOp::create(builder, loc, type,
                                        arith::SubIOp::create(builder, loc, end, first).getResult());
  };
  Value mask = upTo(lanesInside(builder, access));
  Value before = beforeOf(access, dimOfLanes(access));
  if (!before)
    return mask;
  Value all = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, true));
  return arith::AndIOp::create(builder, loc, mask, arith::XOrIOp::create(builder, loc, upTo(before), all));
}

Value LoopNest::loadElement(OpBuilder &builder, const LoopAccess &access, ValueRange at) const {
  Value isIn = isGuarded(access) ? isInside(builder, access, at) : Value();
  if (!isIn)
    return memref::LoadOp::create(builder, loc, access.buffer, at);
  auto choice = scf::IfOp::create(builder, loc, TypeRange(access.type().getElementType()), isIn, /*withElse=*/true);
  OpBuilder then = choice.getThenBodyBuilder(), otherwise = choice.getElseBodyBuilder();
  scf::YieldOp::create(then, loc, memref::LoadOp::create(then, loc, access.buffer, at).getResult());
  scf::YieldOp::create(otherwise, loc, access.edge.getPadding());
  return choice.getResult(0);
}

void LoopNest::storeElement(OpBuilder &builder, const LoopAccess &access, Value value, ValueRange at) const {
  OpBuilder then = builder;
  if (Value isIn = isGuarded(access) ? isInside(builder, access, at) : Value())
    then = scf::IfOp::create(builder, loc, TypeRange(), isIn, /*withElse=*/false).getThenBodyBuilder();
  memref::StoreOp::create(then, loc, value, access.buffer, at);
}
