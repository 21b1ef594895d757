// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pattern for everything that works on each element alone: the operation on scalars, for each register.
#include "lower/tileas_to_nvvm/scalar/ScalarPatterns.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct ElementwisePattern : OpTraitConversionPattern<OpTrait::Elementwise> {
  explicit ElementwisePattern(KernelContext &kernel)
      : OpTraitConversionPattern(kernel.types, kernel.function.getContext()), kernel(kernel) {}

  // Tiles have as many registers as their layouts, which are equal (tileas-legalize-elementwise, tileaa-to-tileas).
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    int64_t count = registerCount(op->getResult(0).getType());
    for (auto [operand, registers] : llvm::zip_equal(op->getOperands(), operands))
      if (isa<RankedTensorType>(operand.getType()) && int64_t(registers.size()) != count)
        return ThreadBuilder(rewriter, op, kernel)
            .fail(op, "an operand has " + Twine(registers.size()) + " registers, the result " + Twine(count));
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(getElementTypeOrSelf(type));
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    SmallVector<Value> elements(operands.size());
    for (int64_t reg = 0; reg != count; ++reg) {
      for (auto [index, operand] : llvm::enumerate(op->getOperands()))
        elements[index] = operands[index][isa<RankedTensorType>(operand.getType()) ? reg : 0];
      Operation *scalar =
          rewriter.insert(Operation::create(op->getLoc(), op->getName(), types, elements,
                                            op->getDiscardableAttrDictionary(), op->getPropertiesStorage()));
      for (auto [result, value] : llvm::zip_equal(results, scalar->getResults()))
        result.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  KernelContext &kernel;
};

// The divisors of tiles have been asked for before the conversion (PointerVectors).
struct AssumePattern : TilePattern<tileaa::AssumeDivByOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::AssumeDivByOp assume, Adaptor adaptor, ThreadBuilder &thread) const override {
    return thread.replace(assume, adaptor.getValue());
  }
};

} // namespace

void tilewright::populateElementwisePattern(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<ElementwisePattern, AssumePattern>(kernel);
}
