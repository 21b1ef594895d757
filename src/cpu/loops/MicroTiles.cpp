// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/loops/MicroTiles.h"
#include "cpu/Passes.h"

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUMICROTILES
#define GEN_PASS_DEF_CPUVERIFYMICROTILES
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// memref.copy, of which bufferization makes some, is an elementwise loop like any other.
linalg::GenericOp asGeneric(Operation *op) {
  IRRewriter rewriter(op);
  if (auto generic = dyn_cast<linalg::GenericOp>(op))
    return generic;
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto named = linalg::CopyOp::create(rewriter, op->getLoc(), copy.getSource(), copy.getTarget());
    op->erase();
    op = named;
  }
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
  return succeeded(generic) ? *generic : linalg::GenericOp();
}

struct CpuMicroTiles : tilewright::impl::CpuMicroTilesBase<CpuMicroTiles> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    Plan plan = Plan::of(function);
    SmallVector<Operation *> work;
    function.walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp, MmaOp, PackWordsOp, ScanOp, CopyInOp, CopyOutOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work)
      if (failed(emit(op, plan)))
        return signalPassFailure();
    SmallVector<Operation *> scalar;
    function.walk([&](Operation *op) {
      if (isa<PtrLoadOp, PtrStoreOp, AtomicRmwOp, AtomicCasOp>(op))
        scalar.push_back(op);
    });
    for (Operation *op : scalar)
      emitElementAccess(op);
  }

  static LogicalResult emit(Operation *op, const Plan &plan) {
    if (auto mma = dyn_cast<MmaOp>(op))
      emitMma(mma, plan);
    else if (auto pack = dyn_cast<PackWordsOp>(op))
      emitPackWords(pack, plan);
    else if (auto scan = dyn_cast<ScanOp>(op))
      emitScan(scan, plan);
    else if (auto copy = dyn_cast<CopyInOp>(op))
      emitCopyIn(copy, plan);
    else if (auto copy = dyn_cast<CopyOutOp>(op))
      emitCopyOut(copy, plan);
    else if (linalg::GenericOp loop = asGeneric(op))
      return emitVectorLoop(loop, plan);
    else
      return op->emitOpError("is not lowered for cpu yet");
    return success();
  }
};

struct CpuVerifyMicroTiles : tilewright::impl::CpuVerifyMicroTilesBase<CpuVerifyMicroTiles> {
  void runOnOperation() override {
    Plan plan = Plan::of(getOperation());
    bool ok = true;
    // A transposition holds a square block.
    int64_t most = std::max<int64_t>(plan.vectorBits * plan.loopVectors * 2, 16 * 16 * 64);
    getOperation().walk([&](Operation *op) {
      if (isa<memref::AllocOp>(op)) {
        op->emitOpError("allocates in a kernel, expected an offset in scratch");
        ok = false;
      }
      for (Type type : op->getResultTypes()) {
        auto vector = dyn_cast<VectorType>(type);
        if (!vector || !vector.getElementType().isIntOrFloat())
          continue;
        int64_t bits = vector.getNumElements() * vector.getElementTypeBitWidth();
        if (bits > most) {
          op->emitOpError() << "has a vector of " << bits << " bits, expected at most " << most;
          ok = false;
        }
      }
    });
    if (!ok)
      signalPassFailure();
  }
};

} // namespace
