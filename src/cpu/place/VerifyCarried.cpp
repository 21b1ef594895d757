// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUVERIFYCARRIED
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace {

/// The first tile among the operands and results of an operation.
Value tileOf(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  auto *tile = llvm::find_if(values, [](Value value) { return isa<RankedTensorType>(value.getType()); });
  return tile == values.end() ? Value() : *tile;
}

struct CpuVerifyCarried : tilewright::impl::CpuVerifyCarriedBase<CpuVerifyCarried> {
  void runOnOperation() override {
    bool ok = true;
    getOperation().walk([&](Operation *op) {
      if (!isa<scf::SCFDialect>(op->getDialect()))
        return;
      if (Value tile = tileOf(op)) {
        op->emitOpError() << "carries a tile " << tile.getType() << " as a value, expected a buffer";
        ok = false;
      }
    });
    if (!ok)
      signalPassFailure();
  }
};

} // namespace
