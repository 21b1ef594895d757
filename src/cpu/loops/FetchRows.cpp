// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches of rows that a loop reads by index: the processor runs ahead along a row, but knows no row before its
// index is loaded and the loop is there.
//
//   row = rows[i]                      row = rows[i], later = rows[min(i + 2, last)]
//   for j: out[i, j] = x[row, j]  -->  for j: out[i, j] = x[row, j]; if x is large: prefetch x[later, j]
#include "cpu/loops/LaneValues.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

// The innermost dimension other than that of the lanes whose index selects an element of a buffer that a value depends
// on; nothing if none does, or if it is computed from what is loaded in the body.
static std::optional<int64_t> dimOfIndex(const LoopNest &nest, Value value) {
  std::optional<int64_t> dim;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t next = 0; next < values.size(); ++next) {
    value = values[next];
    if (value.getParentBlock() != nest.body)
      continue;
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument && !isPure(value.getDefiningOp()))
      return std::nullopt;
    if (!argument) {
      values.insert_range(value.getDefiningOp()->getOperands());
      continue;
    }
    const LoopAccess &access = nest.accesses[argument.getArgNumber()];
    for (int64_t each = 0; isa<MemRefType>(access.buffer.getType()) && each < (int64_t)nest.sizes.size(); ++each)
      if (each != nest.laneDim && nest.sizes[each] > 1 && access.dependsOn(each))
        dim = std::max(dim, std::optional(each));
  }
  return dim;
}

// The bound that a mask compares such an index with: how many rows there are. Null if it compares none.
static Value boundOfIndex(const LoopNest &nest, Value mask) {
  Operation *op = mask.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    Value left = boundOfIndex(nest, both.getLhs());
    return left ? left : boundOfIndex(nest, both.getRhs());
  }
  auto comparison = dyn_cast_or_null<arith::CmpIOp>(op);
  using Predicate = arith::CmpIPredicate;
  bool isBelow = comparison && llvm::is_contained({Predicate::ult, Predicate::slt}, comparison.getPredicate());
  return isBelow && dimOfIndex(nest, comparison.getLhs()) && comparison.getRhs().getParentBlock() != nest.body
             ? comparison.getRhs()
             : Value();
}

// Rows of a table that the cache holds, and those of a line or two, are there as soon as the processor wants them.
void LaneValues::fetchLaterRow(OpBuilder &builder, PtrLoadOp access, int64_t bytes) {
  constexpr int64_t bytesAhead = 3072, leastRows = 2, fewLines = 2 * cacheLineBytes;
  std::optional<int64_t> dim = dimOfIndex(nest, access.getAddress());
  Value bound = boundOfIndex(nest, access.getMask());
  int64_t rowBytes = nest.sizes[nest.laneDim] * bytes, tableBytes = nest.plan.streamBytes;
  int64_t ahead = std::max(leastRows, bytesAhead / rowBytes);
  if (!dim || !bound || !bound.getType().isInteger() || bound.getType().getIntOrFloatBitWidth() < 32 ||
      tableBytes == 0 || rowBytes <= fewLines || nest.plan.prefetchTiles == 0 || nest.fetchedSteps == 0 ||
      ahead >= nest.sizes[*dim])
    return;
  Value rows =
      arith::ConstantOp::create(builder, nest.loc, builder.getIntegerAttr(bound.getType(), tableBytes / rowBytes));
  Value isLarge = arith::CmpIOp::create(builder, nest.loc, arith::CmpIPredicate::sge, bound, rows);
  OpBuilder then = scf::IfOp::create(builder, nest.loc, isLarge, /*withElseRegion=*/false).getThenBodyBuilder();
  Value place = arith::AddIOp::create(then, nest.loc, nest.indices[*dim], nest.index(then, ahead));
  place = arith::MinSIOp::create(then, nest.loc, place, nest.index(then, nest.sizes[*dim] - 1));
  llvm::SaveAndRestore<Value> there(nest.indices[*dim], place);
  llvm::SaveAndRestore<bool> mayEnd(nest.mayBeOutside, true); // this row is inside, and a later one need not be
  Value address = LaneValues(nest, order).firstLane(then, access.getAddress());
  for (int64_t byte = 0; byte < nest.lanes * nest.fetchedSteps * bytes; byte += cacheLineBytes) {
    Value distance = arith::ConstantIntOp::create(then, nest.loc, byte, 64);
    Value line = arith::AddIOp::create(then, nest.loc, address, distance);
    LLVM::Prefetch::create(then, nest.loc, pointer(then, line), /*rw=*/0, /*hint=*/3, /*cache=*/1);
  }
}
