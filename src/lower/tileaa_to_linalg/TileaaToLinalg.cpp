// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileaa_to_linalg/TileaaToLinalg.h"
#include "cpu/ir/Cpu.h"
#include "lower/tileaa_to_linalg/Lowerings.h"
#include "lower/tileaa_to_linalg/TileExpression.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEAATOLINALG
#include "lower/tileaa_to_linalg/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

void lower(Operation *op, Materializer &tiles) {
  if (op->getNumResults() == 1 && isa<RankedTensorType>(op->getResult(0).getType()) && isExpression(op->getResult(0))) {
    tiles.storeInPlace(op);
    return;
  }
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tileaa::LoadPtrOp load) { lowerLoadPtr(load, tiles); })
      .Case([&](tileaa::StorePtrOp store) { lowerStorePtr(store, tiles); })
      .Case([&](tileaa::AtomicRmwOp atomic) { lowerAtomicRmw(atomic, tiles); })
      .Case([&](tileaa::AtomicCasOp atomic) { lowerAtomicCas(atomic, tiles); })
      .Case([&](tileaa::ReshapeOp reshape) { lowerReshape(reshape, tiles); })
      .Case([&](tileaa::ExtractOp extract) { lowerExtract(extract, tiles); })
      .Case([&](tileaa::InsertOp insert) { lowerInsert(insert, tiles); })
      .Case([&](tileaa::CatOp cat) { lowerCat(cat, tiles); })
      .Case([&](tileaa::ReduceOp reduce) { lowerReduce(reduce, tiles); })
      .Case([&](tileaa::ScanOp scan) { lowerScan(scan, tiles); })
      .Case([&](tileaa::MmaOp mma) { lowerMma(mma, tiles); })
      .Default([&](Operation *other) {
        // Anything else that takes a tile takes it from memory.
        for (OpOperand &operand : other->getOpOperands())
          if (isa<RankedTensorType>(operand.get().getType()) && isExpression(operand.get()))
            operand.set(tiles.materialize(operand.get(), other));
      });
}

struct TileaaToLinalg : tilewright::impl::TileaaToLinalgBase<TileaaToLinalg> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!tileaa::isKernel(function))
      return;
    Materializer tiles(function);
    // In program order, without the combining functions of reductions and scans, which are loop bodies already.
    SmallVector<Block *> blocks;
    function.walk<WalkOrder::PreOrder>([&](Block *block) {
      if (!isa<tileaa::ReduceOp, tileaa::ScanOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      for (Operation &op : llvm::make_early_inc_range(*block))
        lower(&op, tiles);
    tiles.eraseExpressions();
  }
};

} // namespace
