// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of products that are exact is a chain of fused multiply-adds.
//
// Both factors come from narrow types, of so few significant bits that the sum's type has all those of the product: to
// round it, or not, is the same. Factors of f32 are left alone, whose products are rounded.
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUCONTRACTSUMS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// How many significant bits a float can have, at most.
unsigned significantBits(Value value) {
  if (auto wider = value.getDefiningOp<arith::ExtFOp>())
    return significantBits(wider.getIn());
  unsigned all = cast<FloatType>(value.getType()).getFPMantissaWidth();
  Operation *made = value.getDefiningOp();
  if (isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(made))
    return std::min(all, made->getOperand(0).getType().getIntOrFloatBitWidth());
  return all;
}

bool isExact(arith::MulFOp product) {
  unsigned all = cast<FloatType>(product.getType()).getFPMantissaWidth();
  return significantBits(product.getLhs()) + significantBits(product.getRhs()) <= all;
}

// The product that a sum adds to its accumulator.
arith::MulFOp addedProduct(arith::AddFOp sum, Value accumulator) {
  if (sum.getRhs() != accumulator && sum.getLhs() != accumulator)
    return {};
  Value element = sum.getLhs() == accumulator ? sum.getRhs() : sum.getLhs();
  if (auto mark = element.getDefiningOp<ElementOp>())
    element = mark.getValue();
  auto product = element.getDefiningOp<arith::MulFOp>();
  return product && product->hasOneUse() ? product : arith::MulFOp();
}

template <typename Op> void allowContraction(Op op) {
  op.setFastmath(op.getFastmath() | arith::FastMathFlags::contract);
}

void contract(linalg::GenericOp loop) {
  Block &body = *loop.getBody();
  for (OpOperand &result : body.getTerminator()->getOpOperands()) {
    auto sum = result.get().getDefiningOp<arith::AddFOp>();
    if (!sum || sum->getBlock() != &body)
      continue;
    Value accumulator = body.getArgument(loop.getNumDpsInputs() + result.getOperandNumber());
    arith::MulFOp product = addedProduct(sum, accumulator);
    if (!product || !isExact(product))
      continue;
    allowContraction(product);
    allowContraction(sum);
  }
}

struct CpuContractSums : tilewright::impl::CpuContractSumsBase<CpuContractSums> {
  void runOnOperation() override {
    getOperation().walk([](linalg::GenericOp loop) {
      if (loop.getNumReductionLoops() > 0)
        contract(loop);
    });
  }
};

} // namespace
