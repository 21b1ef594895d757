// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/TileasToNvvm.h"
#include "lower/tileas_to_nvvm/scalar/Remainder.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_NVIDIASCALARINSTRUCTIONS
#include "lower/tileas_to_nvvm/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileaa::FloatKind;
using tileaa::Rounding;

namespace {

// One instruction: its result, then its operands. `r`, `h`, `f` and `d` say what registers they are in.
Value emitPtx(OpBuilder &b, Location loc, const Twine &text, StringRef constraints, Type result, ValueRange operands) {
  return LLVM::InlineAsmOp::create(b, loc, result, operands, text.str(), constraints.str(), /*has_side_effects=*/false,
                                   /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
      .getResult(0);
}

// `name $0, $1, ...;` of one float type.
Value emitFloat(Operation *op, const Twine &name, ValueRange operands) {
  OpBuilder b(op);
  Type type = op->getResult(0).getType();
  StringRef reg = type.isF64() ? "d" : "f";
  std::string text = (name + (type.isF64() ? ".f64 $0" : ".f32 $0")).str(), constraints = ("=" + reg).str();
  for (size_t index = 1; index <= operands.size(); ++index) {
    text += ", $" + std::to_string(index);
    constraints += ("," + reg).str();
  }
  return emitPtx(b, op->getLoc(), text + ";", constraints, type, operands);
}

StringRef nameOf(Rounding rounding) {
  switch (rounding) {
  case Rounding::Zero:
    return ".rz";
  case Rounding::PositiveInf:
    return ".rp";
  case Rounding::NegativeInf:
    return ".rm";
  default:
    return ".rn";
  }
}

Value lowerFloat(tileaa::FloatOp op) {
  auto name = [&]() -> std::string {
    std::string rounding = nameOf(op.getRounding()).str();
    switch (op.getKind()) {
    case FloatKind::Maximum:
      return "max.NaN";
    case FloatKind::Minimum:
      return "min.NaN";
    case FloatKind::Exp2:
      return "ex2.approx";
    case FloatKind::Max:
    case FloatKind::Min:
      return tileaa::stringifyFloatKind(op.getKind()).str();
    default:
      return tileaa::stringifyFloatKind(op.getKind()).str() + rounding;
    }
  }();
  // PTX has the flush before the propagation of NaN.
  if (op.getFlush()) {
    size_t at = name.find(".NaN");
    name.insert(at == std::string::npos ? name.size() : at, ".ftz");
  }
  return emitFloat(op, name, op.getOperands());
}

StringRef nameOf(Type format) {
  return isa<Float8E5M2Type>(format) ? "e5m2x2" : "e4m3x2";
}

// The instructions convert pairs; the other of the pair is zero, or not looked at.
Value lowerConvert(tileaa::ConvertOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type i16 = b.getI16Type(), i32 = b.getI32Type();
  Value source = op.getSource();
  if (isa<FloatTF32Type>(op.getTo()))
    return arith::BitcastOp::create(b, loc, op.getType(),
                                    emitPtx(b, loc, "cvt.rn.tf32.f32 $0, $1;", "=r,f", i32, source));
  if (Type to = op.getTo(); isa<Float8E4M3FNType, Float8E5M2Type>(to)) {
    if (source.getType().isF16()) {
      Value pair = arith::ExtUIOp::create(b, loc, i32, arith::BitcastOp::create(b, loc, i16, source));
      pair = emitPtx(b, loc, "cvt.rn.satfinite." + nameOf(to) + ".f16x2 $0, $1;", "=h,r", i16, pair);
      return arith::TruncIOp::create(b, loc, op.getType(), pair);
    }
    if (source.getType().isBF16())
      source = arith::ExtFOp::create(b, loc, b.getF32Type(), source);
    Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
    Value pair = emitPtx(b, loc, "cvt.rn.satfinite." + nameOf(to) + ".f32 $0, $1, $2;", "=h,f,f", i16, {zero, source});
    return arith::TruncIOp::create(b, loc, op.getType(), pair);
  }
  Value pair = arith::ExtUIOp::create(b, loc, i16, source);
  pair = emitPtx(b, loc, "cvt.rn.f16x2." + nameOf(op.getFrom()) + " $0, $1;", "=r,h", i32, pair);
  Value half = arith::BitcastOp::create(b, loc, b.getF16Type(), arith::TruncIOp::create(b, loc, i16, pair));
  if (op.getType().isF16())
    return half;
  half = arith::ExtFOp::create(b, loc, b.getF32Type(), half);
  // Every such number is one of bf16.
  return op.getType().isF32() ? half : arith::TruncFOp::create(b, loc, op.getType(), half).getResult();
}

Value lowerRemainder(arith::RemFOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  FloatType type = cast<FloatType>(op.getType());
  FloatType wide = type.getWidth() < 32 ? FloatType(b.getF32Type()) : type;
  Value x = op.getLhs(), y = op.getRhs();
  if (wide != type) {
    x = arith::ExtFOp::create(b, loc, wide, x);
    y = arith::ExtFOp::create(b, loc, wide, y);
  }
  auto function = remainderFunction(op->getParentOfType<ModuleOp>(), wide);
  Value result = func::CallOp::create(b, loc, function, ValueRange{x, y}).getResult(0);
  return wide == type ? result : arith::TruncFOp::create(b, loc, type, result).getResult();
}

// Functions for which PTX has a rough instruction, where that is allowed. Division has two, of which `full` is good for
// all divisors; one may also ask for a product with the reciprocal, which is zero where it would be subnormal.
Value lowerRough(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast || !op->getResult(0).getType().isF32())
    return {};
  auto has = [flags = fast.getFastMathFlagsAttr().getValue()](arith::FastMathFlags flag) {
    return arith::bitEnumContainsAny(flags, flag);
  };
  if (!has(arith::FastMathFlags::afn))
    return {};
  if (isa<math::TanhOp>(op))
    return emitFloat(op, "tanh.approx", op->getOperands());
  if (isa<math::SqrtOp>(op))
    return emitFloat(op, "sqrt.approx", op->getOperands());
  auto division = dyn_cast<arith::DivFOp>(op);
  if (!division)
    return {};
  if (!has(arith::FastMathFlags::arcp))
    return emitFloat(op, "div.full", op->getOperands());
  Value reciprocal = emitFloat(op, "rcp.approx.ftz", division.getRhs());
  OpBuilder b(op);
  return matchPattern(division.getLhs(), m_OneFloat())
             ? reciprocal
             : arith::MulFOp::create(b, op->getLoc(), division.getLhs(), reciprocal).getResult();
}

// e^x = 2^t 2^n with n the whole number below x log2 e and t from 0 to 1, where the instruction for 2^t is good to
// 2^-22.5 of its result. Saturating n / 252 + 1/2 bounds n to -126 and 126, so that 2^n is normal; what x has beyond
// them stays in t, by which results overflow, underflow or are subnormal. Adding 1.5 2^23 + 1 to n + 126 leaves n +
// 127, the biased exponent, in the sum's low bits.
Value lowerExponential(math::ExpOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  Value x = op.getOperand();
  float sign = 1; // of -y factors are negated: inline assembly hides a negation from what would fold it
  if (auto negation = x.getDefiningOp<arith::NegFOp>()) {
    x = negation.getOperand();
    sign = -1;
  }
  auto constant = [&](float value) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value)).getResult(); };
  auto fma = [&](StringRef form, Value y, Value z, Value w) {
    return emitPtx(b, loc, "fma." + form + ".f32 $0, $1, $2, $3;", "=f,f,f,f", f32, {y, z, w});
  };
  constexpr float log2e = 1.44269502f, log2eRest = 1.92596303e-8f, base = 0x1.8p23f + 1;
  Value bounded = fma("rn.sat", x, constant(sign * log2e / 252), constant(0.5f));
  Value biased = fma("rm", bounded, constant(252), constant(base));
  Value whole = arith::SubFOp::create(b, loc, biased, constant(base + 126));
  Value rest = math::FmaOp::create(b, loc, x, constant(sign * log2e), arith::NegFOp::create(b, loc, whole));
  rest = math::FmaOp::create(b, loc, x, constant(sign * log2eRest), rest);
  Value power = emitPtx(b, loc, "ex2.approx.ftz.f32 $0, $1;", "=f,f", f32, rest);
  Value bits = arith::BitcastOp::create(b, loc, i32, biased);
  Value exponent = arith::ShLIOp::create(b, loc, bits, arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(23)));
  return arith::MulFOp::create(b, loc, power, arith::BitcastOp::create(b, loc, f32, exponent));
}

// The bits of an f16 as a bf16 or the reverse, hidden from LLVM: InstCombine of LLVM 22 makes of a comparison of
// `bitcast half %x to bfloat` with zero an `and half %x, i16 32767`, which is no IR.
Value lowerBitcast(arith::BitcastOp op) {
  Type from = op.getIn().getType(), to = op.getType();
  if (from == to || !isa<FloatType>(from) || !isa<FloatType>(to) || from.getIntOrFloatBitWidth() != 16)
    return {};
  OpBuilder b(op);
  Type i16 = b.getI16Type();
  Value bits = arith::BitcastOp::create(b, op.getLoc(), i16, op.getIn());
  bits = emitPtx(b, op.getLoc(), "mov.b16 $0, $1;", "=h,h", i16, bits);
  return arith::BitcastOp::create(b, op.getLoc(), to, bits);
}

// Functions of f32 that are made of an instruction of PTX.
Value lowerFunction(Operation *op) {
  if (!op->getResult(0).getType().isF32())
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([](math::ExpOp exponential) { return lowerExponential(exponential); })
      .Case([](math::Exp2Op power) { return emitFloat(power, "ex2.approx", power->getOperands()); })
      .Case([](math::RsqrtOp root) { return emitFloat(root, "rsqrt.approx", root->getOperands()); })
      .Default(lowerRough);
}

class ScalarInstructions : public tilewright::impl::NvidiaScalarInstructionsBase<ScalarInstructions> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<tileaa::FloatOp, tileaa::ConvertOp, arith::RemFOp, math::ExpOp, math::Exp2Op, math::RsqrtOp, math::TanhOp,
              math::SqrtOp, arith::DivFOp, arith::BitcastOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      Value result;
      if (auto function = dyn_cast<tileaa::FloatOp>(op))
        result = lowerFloat(function);
      else if (auto convert = dyn_cast<tileaa::ConvertOp>(op))
        result = lowerConvert(convert);
      else if (auto bitcast = dyn_cast<arith::BitcastOp>(op))
        result = lowerBitcast(bitcast);
      else if (auto remainder = dyn_cast<arith::RemFOp>(op))
        result = lowerRemainder(remainder);
      else
        result = lowerFunction(op);
      if (!result)
        continue;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }
};

} // namespace
