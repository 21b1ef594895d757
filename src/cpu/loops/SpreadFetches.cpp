// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches between the loads of a loop's body: lines come from memory as fast as the processor asks for them one by
// one. Loads that follow each other without a prefetch between them are reordered by LLVM.
//
//   %v = vector.load %x[%i] : vector<64xf32>      %a = vector.load %x[%i] : vector<16xf32>
//   memref.prefetch %next[%i]                     memref.prefetch %next[%i]
//   memref.prefetch %next[%i + 16]          -->   %b = vector.load %x[%i + 16] : vector<16xf32>
//   ...                                           memref.prefetch %next[%i + 16]
#include "cpu/loops/VectorLoop.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// A vector of several registers as loads of one each, in order.
SmallVector<Operation *> splitLoad(vector::LoadOp load, const Plan &plan) {
  auto type = load.getVectorType();
  int64_t lanes = plan.vectorBits / std::max<int64_t>(8, type.getElementTypeBitWidth());
  if (type.getRank() != 1 || type.getNumElements() <= lanes || type.getNumElements() % lanes != 0)
    return {load};
  OpBuilder builder(load);
  Location loc = load.getLoc();
  auto part = VectorType::get({lanes}, type.getElementType());
  Value whole = ub::PoisonOp::create(builder, loc, type);
  SmallVector<Operation *> parts;
  for (int64_t at = 0; at < type.getNumElements(); at += lanes) {
    SmallVector<Value> indices(load.getIndices());
    Value ahead = arith::ConstantIndexOp::create(builder, loc, at);
    indices.back() = arith::AddIOp::create(builder, loc, indices.back(), ahead);
    Value loaded = vector::LoadOp::create(builder, loc, part, load.getBase(), indices);
    whole = vector::InsertStridedSliceOp::create(builder, loc, loaded, whole, at, 1);
    parts.push_back(loaded.getDefiningOp());
  }
  load.replaceAllUsesWith(whole);
  load.erase();
  return parts;
}

// A fence between this thread and its signals is no instruction.
void keepOrder(memref::PrefetchOp fetch) {
  OpBuilder builder(fetch->getContext());
  builder.setInsertionPointAfter(fetch);
  LLVM::FenceOp::create(builder, fetch.getLoc(), LLVM::AtomicOrdering::acq_rel, "singlethread");
}

// Each after its share of the loads behind the first of them, or where it is if that is later.
void spread(ArrayRef<memref::PrefetchOp> fetches, const Plan &plan) {
  SmallVector<Operation *> loads;
  for (vector::LoadOp load : llvm::make_early_inc_range(fetches.front()->getBlock()->getOps<vector::LoadOp>()))
    if (fetches.front()->isBeforeInBlock(load))
      llvm::append_range(loads, splitLoad(load, plan));
  if (loads.empty())
    return;
  for (auto [number, fetch] : llvm::enumerate(fetches)) {
    Operation *load = loads[number * loads.size() / fetches.size()];
    if (fetch->isBeforeInBlock(load))
      fetch->moveAfter(load);
    keepOrder(fetch);
  }
}

} // namespace

void cpu::spreadFetches(ArrayRef<memref::PrefetchOp> fetches, const Plan &plan) {
  llvm::MapVector<Block *, SmallVector<memref::PrefetchOp>> bodies;
  for (memref::PrefetchOp fetch : fetches)
    bodies[fetch->getBlock()].push_back(fetch);
  for (auto &[body, ofBody] : bodies)
    spread(ofBody, plan);
}
