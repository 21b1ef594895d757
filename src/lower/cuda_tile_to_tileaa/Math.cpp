// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementary functions. Those of f16 and bf16 are computed in f32 and rounded once.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

/// Emits a function on operands widened to f32 where they are narrower, and rounds its result back.
template <typename Function> static LogicalResult lowerFunction(Emitter &emit, ValueRange operands, bool isApprox) {
  Type type = emit.resultType();
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  bool isNarrow = element.getWidth() < 32;
  auto f32 = Float32Type::get(type.getContext());
  SmallVector<Value> wide(operands);
  for (Value &value : wide)
    if (isNarrow && isa<FloatType>(getElementTypeOrSelf(value.getType())))
      value = convertFloat(emit.rewriter, emit.loc, value, f32);
  auto function = emit.create<Function>(isNarrow ? withElementType(type, f32) : type, wide);
  if (isApprox)
    function.setFastmath(arith::FastMathFlags::afn);
  Value result = function->getResult(0);
  return emit.replace(isNarrow ? convertFloat(emit.rewriter, emit.loc, result, element) : result);
}

template <typename Op, typename Function> static void addFunction(Lowerings &lowerings) {
  lowerings.add<Op>([](Op, typename Op::Adaptor operands, Emitter &emit) {
    return lowerFunction<Function>(emit, operands.getOperands(), /*isApprox=*/false);
  });
}

template <typename Op, typename Function> static void addFlushing(Lowerings &lowerings, aa::FloatKind kind) {
  lowerings.add<Op>([kind](Op op, typename Op::Adaptor operands, Emitter &emit) {
    if (!op.getFlushToZero())
      return lowerFunction<Function>(emit, operands.getOperands(), /*isApprox=*/false);
    return emit.replace(emit.create<aa::FloatOp>(emit.resultType(), kind, operands.getOperands(),
                                                 aa::Rounding::NearestEven, /*flush=*/true)
                            .getResult());
  });
}

/// At the origin the angle is that of (1, 0) or (-1, 0): the folder of math.atan2 says NaN there.
static LogicalResult lowerAtan2(ct::Atan2Op, ct::Atan2Op::Adaptor operands, Emitter &emit) {
  Value y = operands.getX(), x = operands.getY();
  Type type = x.getType();
  auto isZero = [&](Value value) -> Value {
    return emit.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, value, emit.constant(type, 0));
  };
  Value isOrigin = emit.create<arith::AndIOp>(isZero(y), isZero(x));
  APFloat one(cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics(), 1);
  Value unit = emit.create<math::CopySignOp>(emit.constant(type, one), x);
  x = emit.create<arith::SelectOp>(isOrigin, unit, x);
  return lowerFunction<math::Atan2Op>(emit, {y, x}, /*isApprox=*/false);
}

/// The C library's power of a signaling NaN, or to one, is NaN even where every other is 1.
static LogicalResult lowerPower(ct::FPowFOp, ct::FPowFOp::Adaptor operands, Emitter &emit) {
  Type type = emit.resultType();
  if (!getElementTypeOrSelf(type).isF64())
    return lowerFunction<math::PowFOp>(emit, operands.getOperands(), /*isApprox=*/false);
  Value base = operands.getSource(), exponent = operands.getExponent();
  Value one = emit.constant(type, APFloat(1.0)), zero = emit.constant(type, APFloat(0.0));
  Value power = emit.create<math::PowFOp>(base, exponent);
  Value isUnit = emit.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, base, one);
  Value isZeroth = emit.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, exponent, zero);
  Value isOne = emit.create<arith::OrIOp>(isUnit, isZeroth);
  return emit.replace(emit.create<arith::SelectOp>(isOne, one, power).getResult());
}

static LogicalResult lowerSqrt(ct::SqrtOp op, ct::SqrtOp::Adaptor operands, Emitter &emit) {
  aa::Rounding rounding = getRounding(op.getRoundingMode());
  if (rounding != aa::Rounding::NearestEven || op.getFlushToZero())
    return emit.replace(emit.create<aa::FloatOp>(emit.resultType(), aa::FloatKind::Sqrt, operands.getOperands(),
                                                 rounding, op.getFlushToZero())
                            .getResult());
  return lowerFunction<math::SqrtOp>(emit, operands.getOperands(), op.getRoundingMode() == ct::RoundingMode::Approx);
}

/// `full` is the precise form of a function that also has a fast one.
template <typename Op, typename Function> static void addApproximable(Lowerings &lowerings) {
  lowerings.add<Op>([](Op op, typename Op::Adaptor operands, Emitter &emit) {
    ct::RoundingMode mode = op.getRoundingMode();
    if (mode != ct::RoundingMode::Full && mode != ct::RoundingMode::Approx)
      return emit.refuse(" with rounding mode '" + ct::stringifyRoundingMode(mode) + "'");
    return lowerFunction<Function>(emit, operands.getOperands(), mode == ct::RoundingMode::Approx);
  });
}

void tilewright::populateMath(Lowerings &lowerings) {
  addFunction<ct::CeilOp, math::CeilOp>(lowerings);
  addFunction<ct::FloorOp, math::FloorOp>(lowerings);
  addFunction<ct::CosOp, math::CosOp>(lowerings);
  addFunction<ct::CosHOp, math::CoshOp>(lowerings);
  addFunction<ct::SinOp, math::SinOp>(lowerings);
  addFunction<ct::SinHOp, math::SinhOp>(lowerings);
  addFunction<ct::TanOp, math::TanOp>(lowerings);
  addFunction<ct::LogOp, math::LogOp>(lowerings);
  addFunction<ct::Log2Op, math::Log2Op>(lowerings);
  lowerings.add<ct::Atan2Op>(lowerAtan2);
  lowerings.add<ct::FPowFOp>(lowerPower);
  addFunction<ct::FPowIOp, math::FPowIOp>(lowerings);
  addFlushing<ct::Exp2Op, math::Exp2Op>(lowerings, aa::FloatKind::Exp2);
  addFlushing<ct::RsqrtOp, math::RsqrtOp>(lowerings, aa::FloatKind::Rsqrt);
  addApproximable<ct::ExpOp, math::ExpOp>(lowerings);
  addApproximable<ct::TanHOp, math::TanhOp>(lowerings);
  lowerings.add<ct::SqrtOp>(lowerSqrt);
}
