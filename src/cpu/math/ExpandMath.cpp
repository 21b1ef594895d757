// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/math/ExpandMath.h"
#include "cpu/Passes.h"
#include "cpu/plan/Plan.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUEXPANDMATH
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

struct CpuExpandMath : tilewright::impl::CpuExpandMathBase<CpuExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    int64_t vectorBits = cpu::Plan::of(getOperation()).vectorBits;
    cpu::WideVectorFunctions wide;
    const functions::TargetFunctions *target = vectorBits == 512 ? &wide : nullptr;
    functions::populateFunctions(patterns, target);
    functions::populateFlushedExp2(patterns, target);
    // Where tanh may be rough, upstream's quotient of polynomials is cheaper and within 5 units of the last place.
    populatePolynomialApproximateTanhPattern(patterns);
    cpu::populateBFloats(patterns, vectorBits);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
