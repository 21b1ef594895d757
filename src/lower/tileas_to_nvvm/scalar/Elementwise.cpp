// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One pattern for everything that works on each element alone: the operation on scalars, for each register, or on two
// of 16 bits, for which there are instructions.
#include "lower/tileas_to_nvvm/scalar/ScalarPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

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
    if (count % 2 == 0 && hasInstructionOfPairs(op)) {
      for (size_t reg = 0; reg != count; reg += 2)
        appendPair(op, operands, reg, rewriter, results.front());
      rewriter.replaceOpWithMultiple(op, std::move(results));
      return success();
    }
    for (size_t reg = 0; reg != count; ++reg)
      for (auto [result, value] : llvm::zip_equal(results, clone(op, operands, types, reg, rewriter)->getResults()))
        result.push_back(value);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  // PTX ISA 9.7.4: f16x2, and bf16x2 from sm_90 on.
  bool hasInstructionOfPairs(Operation *op) const {
    if (!isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(op))
      return false;
    Type element = getElementTypeOrSelf(op->getResult(0).getType());
    return element.isF16() || (element.isBF16() && kernel.architecture.number >= 90);
  }

  static void appendPair(Operation *op, ArrayRef<ValueRange> operands, size_t reg, OpBuilder &b,
                         SmallVectorImpl<Value> &results) {
    Location loc = op->getLoc();
    auto pair = VectorType::get(2, getElementTypeOrSelf(op->getResult(0).getType()));
    Value first = arith::ConstantIntOp::create(b, loc, 0, 32), second = arith::ConstantIntOp::create(b, loc, 1, 32);
    SmallVector<Value> pairs;
    for (ValueRange registers : operands) {
      Value whole = LLVM::PoisonOp::create(b, loc, pair);
      whole = LLVM::InsertElementOp::create(b, loc, whole, registers[reg], first);
      pairs.push_back(LLVM::InsertElementOp::create(b, loc, whole, registers[reg + 1], second));
    }
    Operation *both = b.insert(Operation::create(loc, op->getName(), pair, pairs, op->getDiscardableAttrDictionary(),
                                                 op->getPropertiesStorage()));
    for (Value at : {first, second})
      results.push_back(LLVM::ExtractElementOp::create(b, loc, both->getResult(0), at));
  }

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
