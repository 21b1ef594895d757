// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches of rows that a loop reads by index: the processor runs ahead along a row, but knows no row before its
// index is loaded and the loop is there.
//
//   row = rows[i]                      row = rows[i], later = rows[min(i + 2, last)]
//   for j: out[i, j] = x[row, j]  -->  for j: out[i, j] = x[row, j]; prefetch x[later, j]
//
// Only loops whose results are larger than the cache do: rows of a table that it holds, and those of a line or two, are
// there as soon as the processor wants them.
#include "cpu/loops/LaneValues.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {
// An index that a value depends on: an element of a buffer, and the innermost dimension, other than that of the lanes,
// that selects it.
struct RowIndex {
  unsigned argument;
  int64_t dim;
};
} // namespace

// Nothing if there is none, or if the value is computed from what is loaded in the body.
static std::optional<RowIndex> indexOf(const LoopNest &nest, Value value) {
  std::optional<RowIndex> index;
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
    for (int64_t dim = 0; isa<MemRefType>(access.buffer.getType()) && dim < (int64_t)nest.sizes.size(); ++dim)
      if (dim != nest.laneDim && nest.sizes[dim] > 1 && access.dependsOn(dim) && (!index || dim > index->dim))
        index = {argument.getArgNumber(), dim};
  }
  return index;
}

// The input that has the same indices of the next block; null if there is none.
static const LoopAccess *ofNextBlock(LoopNest &nest, const LoopAccess &access) {
  int64_t inputs = nest.op.getNumDpsInputs();
  for (int64_t input = inputs - countFetched(nest.op); input < inputs; ++input) {
    const LoopAccess &next = nest.accesses[input];
    if (next.map == access.map && next.type().getElementType() == access.type().getElementType())
      return &next;
  }
  return nullptr;
}

// The index some rows ahead, at most as many as a block has: of this block or, where there is one, of the next, else
// the last one.
static Value laterIndex(LoopNest &nest, OpBuilder &builder, RowIndex index, int64_t ahead) {
  Location loc = nest.loc;
  const LoopAccess &access = nest.accesses[index.argument], *next = ofNextBlock(nest, access);
  int64_t rows = nest.sizes[index.dim];
  Value place = arith::AddIOp::create(builder, loc, nest.indices[index.dim], nest.index(builder, ahead));
  auto loadAt = [&](OpBuilder &at, const LoopAccess &from, Value row) {
    llvm::SaveAndRestore<Value> there(nest.indices[index.dim], row);
    llvm::SaveAndRestore<bool> mayEnd(nest.mayBeOutside, true); // this row is inside, and a later one need not be
    return nest.load(at, from);
  };
  if (!next) {
    place = arith::MinSIOp::create(builder, loc, place, nest.index(builder, rows - 1));
    return loadAt(builder, access, place);
  }
  Value isNext = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, place, nest.index(builder, rows));
  auto choice = scf::IfOp::create(builder, loc, access.type().getElementType(), isNext, /*withElseRegion=*/true);
  OpBuilder then = OpBuilder::atBlockEnd(choice.thenBlock()), otherwise = OpBuilder::atBlockEnd(choice.elseBlock());
  Value behind = arith::SubIOp::create(then, loc, place, nest.index(then, rows));
  scf::YieldOp::create(then, loc, loadAt(then, *next, behind));
  scf::YieldOp::create(otherwise, loc, loadAt(otherwise, access, place));
  return choice.getResult(0);
}

void LaneValues::fetchLaterRow(OpBuilder &builder, PtrLoadOp access, int64_t bytes) {
  constexpr int64_t bytesAhead = 3072, leastRows = 2, fewLines = 2 * cacheLineBytes;
  std::optional<RowIndex> index = indexOf(nest, access.getAddress());
  if (!index || !nest.op->hasAttr(streamAttr) || nest.plan.prefetchTiles == 0 || nest.fetchedSteps == 0)
    return;
  int64_t rowBytes = nest.sizes[nest.laneDim] * bytes, rows = nest.sizes[index->dim];
  int64_t ahead = std::max(leastRows, bytesAhead / rowBytes);
  bool hasNext = ofNextBlock(nest, nest.accesses[index->argument]) != nullptr;
  if (rowBytes <= fewLines || ahead >= rows + hasNext)
    return;
  LaneValues there(nest, order);
  there.setArgument(nest.body->getArgument(index->argument), laterIndex(nest, builder, *index, ahead));
  Value address = there.firstLane(builder, access.getAddress());
  for (int64_t byte = 0; byte < nest.lanes * nest.fetchedSteps * bytes; byte += cacheLineBytes) {
    Value distance = arith::ConstantIntOp::create(builder, nest.loc, byte, 64);
    Value line = arith::AddIOp::create(builder, nest.loc, address, distance);
    LLVM::Prefetch::create(builder, nest.loc, pointer(builder, line), /*rw=*/0, /*hint=*/3, /*cache=*/1);
  }
}
