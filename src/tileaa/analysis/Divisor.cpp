// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/analysis/Divisor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace {

constexpr int64_t most = int64_t(1) << 30;
constexpr unsigned deepest = 12; // expressions of indices are short

int64_t powerOf(const APInt &value) {
  unsigned zeros = value.countr_zero();
  return zeros >= 30 || value.isZero() ? most : int64_t(1) << zeros;
}

int64_t divisorOf(Value value, unsigned depth);

int64_t smaller(Value a, Value b, unsigned depth) {
  return std::min(divisorOf(a, depth), divisorOf(b, depth));
}

// A loop's number is its start and steps.
int64_t divisorOfArgument(BlockArgument argument, unsigned depth) {
  auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument != loop.getInductionVar())
    return 1;
  return smaller(loop.getLowerBound(), loop.getStep(), depth);
}

int64_t divisorOf(Value value, unsigned depth) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return powerOf(constant);
  if (depth == 0)
    return 1;
  --depth;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return divisorOfArgument(argument, depth);
  return llvm::TypeSwitch<Operation *, int64_t>(value.getDefiningOp())
      .Case([&](tilewright::tileaa::AssumeDivByOp op) {
        return std::max(powerOf(APInt(64, op.getDivisor())), divisorOf(op.getValue(), depth));
      })
      .Case([&](arith::MulIOp op) {
        return std::min(most, divisorOf(op.getLhs(), depth) * divisorOf(op.getRhs(), depth));
      })
      .Case([&](arith::ShLIOp op) {
        APInt by;
        if (!matchPattern(op.getRhs(), m_ConstantInt(&by)) || by.uge(30))
          return divisorOf(op.getLhs(), depth);
        return std::min(most, divisorOf(op.getLhs(), depth) << by.getZExtValue());
      })
      .Case<arith::AddIOp, arith::SubIOp, arith::OrIOp, arith::XOrIOp, arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp,
            arith::MaxUIOp>([&](auto op) { return smaller(op.getLhs(), op.getRhs(), depth); })
      .Case([&](arith::SelectOp op) { return smaller(op.getTrueValue(), op.getFalseValue(), depth); })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(
          [&](auto op) { return divisorOf(op.getIn(), depth); })
      .Default(int64_t(1));
}

} // namespace

int64_t tilewright::tileaa::knownDivisor(Value value) {
  return divisorOf(value, deepest);
}
