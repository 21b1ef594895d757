// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of integers wraps. An undefined operation has the result that docs/semantics.md defines, as on the CPU
// target; a monitor is notified.
#include "interpreter/ops/Elementwise.h"

using namespace tilewright::cuda_tile;
using llvm::Error;

namespace tilewright::interpreter {

// Results before wrapping.
using Wide = __int128;
using UnsignedWide = unsigned __int128;

namespace {

/// Two operands of one integer type.
struct Operands {
  const Tile &lhs, &rhs;
  unsigned width;

  Operands(Context &context, mlir::Operation *op)
      : lhs(context.tile(op->getOperand(0))), rhs(context.tile(op->getOperand(1))), width(bitWidth(lhs.element)) {}

  int64_t signedLhs(int64_t i) const { return llvm::SignExtend64(lhs.bits[i], width); }
  int64_t signedRhs(int64_t i) const { return llvm::SignExtend64(rhs.bits[i], width); }
};

} // namespace

static bool fitsSigned(Wide value, unsigned width) {
  Wide half = Wide(1) << (width - 1);
  return -half <= value && value < half;
}
/// A negative one has wrapped to a very large one.
static bool fitsUnsigned(UnsignedWide value, unsigned width) {
  return value >> width == 0;
}

//===- Wrapping arithmetic --------------------------------------------------------------===//

/// Reports a result that does not fit although the operation promised it would. `exact` computes it without wrapping
/// from operands read as signed or unsigned numbers.
template <typename Op, typename Function>
static void reportOverflow(Op op, Context &context, const Operands &operands, Function exact) {
  auto promises = op.getOverflow();
  if (promises == IntegerOverflow::NSW || promises == IntegerOverflow::NW) {
    reportUndefined(context, op, "signed overflow, which the operation promised would not happen,", [&](int64_t i) {
      return !fitsSigned(exact(Wide(operands.signedLhs(i)), Wide(operands.signedRhs(i))), operands.width);
    });
  }
  if (promises == IntegerOverflow::NUW || promises == IntegerOverflow::NW) {
    reportUndefined(context, op, "unsigned overflow, which the operation promised would not happen,", [&](int64_t i) {
      return !fitsUnsigned(exact(UnsignedWide(operands.lhs.bits[i]), UnsignedWide(operands.rhs.bits[i])),
                           operands.width);
    });
  }
}

template <typename Op, typename Function> static Error wrapping(Op op, Context &context, Function compute) {
  Operands operands(context, op);
  reportOverflow(op, context, operands, compute);
  return setElements(context, op.getResult(),
                     [&](int64_t i) { return compute(operands.lhs.bits[i], operands.rhs.bits[i]); });
}

static Error handleAddI(AddIOp op, Context &context) {
  return wrapping(op, context, [](auto lhs, auto rhs) { return lhs + rhs; });
}
static Error handleSubI(SubIOp op, Context &context) {
  return wrapping(op, context, [](auto lhs, auto rhs) { return lhs - rhs; });
}
static Error handleMulI(MulIOp op, Context &context) {
  return wrapping(op, context, [](auto lhs, auto rhs) { return lhs * rhs; });
}

static Error handleNegI(NegIOp op, Context &context) {
  const Tile &source = context.tile(op.getSource());
  if (op.getOverflow() != IntegerOverflow::None) {
    Bits smallest = Bits(1) << (bitWidth(source.element) - 1);
    reportUndefined(context, op, "signed overflow, which the operation promised would not happen,",
                    [&](int64_t i) { return source.bits[i] == smallest; });
  }
  return setElements(context, op.getResult(), [&](int64_t i) { return -source.bits[i]; });
}

static Error handleAbsI(AbsIOp op, Context &context) {
  const Tile &source = context.tile(op.getSource());
  Bits sign = Bits(1) << (bitWidth(source.element) - 1);
  return setElements(context, op.getResult(),
                     [&](int64_t i) { return source.bits[i] & sign ? -source.bits[i] : source.bits[i]; });
}

static Error handleMulhiI(MulhiIOp op, Context &context) {
  Operands operands(context, op);
  return setElements(context, op.getResult(), [&](int64_t i) {
    return static_cast<Bits>(static_cast<unsigned __int128>(operands.lhs.bits[i]) * operands.rhs.bits[i] >>
                             operands.width);
  });
}

//===- Division -------------------------------------------------------------------------===//

/// Reports elements without a quotient, and returns them: their divisor counts as 1.
template <typename Op> static auto reportQuotients(Op op, Context &context, const Operands &operands) {
  bool isSigned = op.getSignedness() == Signedness::Signed;
  Bits smallest = Bits(1) << (operands.width - 1), minusOne = llvm::maskTrailingOnes<Bits>(operands.width);
  auto overflows = [=, &operands](int64_t i) {
    return isSigned && operands.lhs.bits[i] == smallest && operands.rhs.bits[i] == minusOne;
  };
  reportUndefined(context, op, "division by zero", [&](int64_t i) { return operands.rhs.bits[i] == 0; });
  reportUndefined(context, op, "division of the smallest integer by -1", overflows);
  return [=, &operands](int64_t i) { return operands.rhs.bits[i] == 0 || overflows(i); };
}

/// By how much the truncated quotient, of `sign`, misses the rounded one.
static int64_t correction(RoundingMode mode, bool isExact, bool isNegative) {
  if (isExact) {
    return 0;
  }
  return mode == RoundingMode::NegativeInf && isNegative    ? -1
         : mode == RoundingMode::PositiveInf && !isNegative ? 1
                                                            : 0;
}

static Error handleDivI(DivIOp op, Context &context) {
  Operands operands(context, op);
  auto hasNone = reportQuotients(op, context, operands);
  RoundingMode mode = op.getRounding();
  if (op.getSignedness() == Signedness::Unsigned) {
    return setElements(context, op.getResult(), [&](int64_t i) {
      Bits lhs = operands.lhs.bits[i], rhs = hasNone(i) ? 1 : operands.rhs.bits[i];
      return lhs / rhs + correction(mode, lhs % rhs == 0, /*isNegative=*/false);
    });
  }
  return setElements(context, op.getResult(), [&](int64_t i) {
    int64_t lhs = operands.signedLhs(i), rhs = hasNone(i) ? 1 : operands.signedRhs(i);
    return static_cast<Bits>(lhs / rhs + correction(mode, lhs % rhs == 0, (lhs < 0) != (rhs < 0)));
  });
}

static Error handleRemI(RemIOp op, Context &context) {
  Operands operands(context, op);
  auto hasNone = reportQuotients(op, context, operands);
  if (op.getSignedness() == Signedness::Unsigned) {
    return setElements(context, op.getResult(),
                       [&](int64_t i) { return hasNone(i) ? 0 : operands.lhs.bits[i] % operands.rhs.bits[i]; });
  }
  return setElements(context, op.getResult(), [&](int64_t i) {
    return hasNone(i) ? 0 : static_cast<Bits>(operands.signedLhs(i) % operands.signedRhs(i));
  });
}

//===- Shifts ---------------------------------------------------------------------------===//

static void reportAmounts(mlir::Operation *op, Context &context, const Operands &operands) {
  reportUndefined(context, op, "shift by the width or more",
                  [&](int64_t i) { return operands.rhs.bits[i] >= operands.width; });
}

static Error handleShLI(ShLIOp op, Context &context) {
  Operands operands(context, op);
  reportAmounts(op, context, operands);
  unsigned amounts = operands.width - 1;
  reportOverflow(op, context, operands,
                 [=](auto lhs, auto rhs) { return lhs * (decltype(lhs)(1) << (rhs & amounts)); });
  return setElements(context, op.getResult(),
                     [&](int64_t i) { return operands.lhs.bits[i] << (operands.rhs.bits[i] & amounts); });
}

static Error handleShRI(ShRIOp op, Context &context) {
  Operands operands(context, op);
  reportAmounts(op, context, operands);
  unsigned amounts = operands.width - 1;
  if (op.getSignedness() == Signedness::Unsigned) {
    return setElements(context, op.getResult(),
                       [&](int64_t i) { return operands.lhs.bits[i] >> (operands.rhs.bits[i] & amounts); });
  }
  return setElements(context, op.getResult(), [&](int64_t i) {
    return static_cast<Bits>(operands.signedLhs(i) >> (operands.rhs.bits[i] & amounts));
  });
}

//===- Choice and comparison ------------------------------------------------------------===//

template <typename Op, typename Function> static Error choose(Op op, Context &context, Function prefersLhs) {
  Operands operands(context, op);
  const Tile &lhs = operands.lhs, &rhs = operands.rhs;
  if (op.getSignedness() == Signedness::Unsigned) {
    return setElements(context, op.getResult(),
                       [&](int64_t i) { return prefersLhs(lhs.bits[i], rhs.bits[i]) ? lhs.bits[i] : rhs.bits[i]; });
  }
  return setElements(context, op.getResult(), [&](int64_t i) {
    return prefersLhs(operands.signedLhs(i), operands.signedRhs(i)) ? lhs.bits[i] : rhs.bits[i];
  });
}

static Error handleMaxI(MaxIOp op, Context &context) {
  return choose(op, context, [](auto lhs, auto rhs) { return lhs > rhs; });
}
static Error handleMinI(MinIOp op, Context &context) {
  return choose(op, context, [](auto lhs, auto rhs) { return lhs < rhs; });
}

static Error handleCmpI(CmpIOp op, Context &context) {
  Operands operands(context, op);
  bool isUnsigned = op.getSignedness() == Signedness::Unsigned;
  return withComparison(op.getComparisonPredicate(), [&](auto holds) {
    return setElements(context, op.getResult(), [&](int64_t i) {
      return Bits(isUnsigned ? holds(operands.lhs.bits[i], operands.rhs.bits[i])
                             : holds(operands.signedLhs(i), operands.signedRhs(i)));
    });
  });
}

//===- Bits -----------------------------------------------------------------------------===//

static Error handleAndI(AndIOp op, Context &context) {
  Operands operands(context, op);
  return setElements(context, op.getResult(), [&](int64_t i) { return operands.lhs.bits[i] & operands.rhs.bits[i]; });
}
static Error handleOrI(OrIOp op, Context &context) {
  Operands operands(context, op);
  return setElements(context, op.getResult(), [&](int64_t i) { return operands.lhs.bits[i] | operands.rhs.bits[i]; });
}
static Error handleXOrI(XOrIOp op, Context &context) {
  Operands operands(context, op);
  return setElements(context, op.getResult(), [&](int64_t i) { return operands.lhs.bits[i] ^ operands.rhs.bits[i]; });
}

void registerIntegerOps(HandlerTable &table) {
  table.add<handleAddI>();
  table.add<handleSubI>();
  table.add<handleMulI>();
  table.add<handleNegI>();
  table.add<handleAbsI>();
  table.add<handleMulhiI>();
  table.add<handleDivI>();
  table.add<handleRemI>();
  table.add<handleShLI>();
  table.add<handleShRI>();
  table.add<handleMaxI>();
  table.add<handleMinI>();
  table.add<handleCmpI>();
  table.add<handleAndI>();
  table.add<handleOrI>();
  table.add<handleXOrI>();
}

} // namespace tilewright::interpreter
