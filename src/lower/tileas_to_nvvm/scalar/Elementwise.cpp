// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pattern for everything that works on each element alone: the operation on scalars, for each register.
#include "lower/tileas_to_nvvm/scalar/ScalarPatterns.h"

using namespace mlir;
using namespace tilewright;

namespace {

// A pattern of any operation: one of a trait would be listed under each of the context's operations that have it, which
// takes longer than the conversion of a small kernel.
struct ElementwisePattern : ConversionPattern {
  explicit ElementwisePattern(KernelContext &kernel)
      : ConversionPattern(kernel.types, MatchAnyOpTypeTag(), /*benefit=*/1, kernel.function.getContext()),
        kernel(kernel) {}

  // Tiles have as many registers as their layouts, which are equal (the rule equal-layouts of verify-tileas). A view is
  // selected part by part; of a token there is nothing to compute.
  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op->hasTrait<OpTrait::Elementwise>())
      return failure();
    SmallVector<SmallVector<Type>> types(op->getNumResults());
    for (auto [result, registers] : llvm::zip_equal(op->getResultTypes(), types))
      if (failed(kernel.types.convertType(result, registers)))
        return failure();
    size_t count = types.front().size();
    for (auto [operand, registers] : llvm::zip_equal(op->getOperands(), operands))
      if (isExpanded(operand.getType()) && registers.size() != count)
        return ThreadBuilder(rewriter, op, kernel)
            .fail(op, "an operand has " + Twine(registers.size()) + " registers, the result " + Twine(count));
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    for (size_t reg = 0; reg != count; ++reg)
      for (auto [result, value] : llvm::zip_equal(results, clone(op, operands, types, reg, rewriter)->getResults()))
        result.push_back(value);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  static Operation *clone(Operation *op, ArrayRef<ValueRange> operands, ArrayRef<SmallVector<Type>> types, size_t reg,
                          OpBuilder &b) {
    SmallVector<Value> elements;
    for (auto [operand, registers] : llvm::zip_equal(op->getOperands(), operands))
      elements.push_back(registers[isExpanded(operand.getType()) ? reg : 0]);
    auto results = llvm::map_to_vector(types, [&](const SmallVector<Type> &registers) { return registers[reg]; });
    return b.insert(Operation::create(op->getLoc(), op->getName(), results, elements,
                                      op->getDiscardableAttrDictionary(), op->getPropertiesStorage()));
  }

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
