// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "tileaa/ir/Hints.h"
#include "tileaa/transforms/functions/Functions.h"
#include "tileaa/transforms/functions/Libdevice.h"
#include "tileaa/transforms/legalize/Formats.h"
#include "tileas/ir/Tileas.h"
#include "tileas/legalize/Passes.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASLEGALIZEELEMENTWISE
#include "tileas/legalize/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileaa::FloatKind;
using tileaa::Rounding;

namespace {

bool isHalf(Type type) {
  return type.isF16() || type.isBF16();
}

bool isEightBits(Type format) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(format);
}

// With signaling NaN made quiet, which for the larger of two makes no difference: folders of MLIR and LLVM take it for
// the result of IEEE 754's maxNum, which is NaN then.
Value quieted(Value x) {
  DenseFPElementsAttr constant;
  if (!matchPattern(x, m_Constant(&constant)) ||
      llvm::none_of(constant, [](const APFloat &value) { return value.isSignaling(); }))
    return x;
  auto quiet = constant.mapValues(getElementTypeOrSelf(x.getType()), [](const APFloat &value) {
    return (value.isSignaling() ? value.makeQuiet() : value).bitcastToAPInt();
  });
  OpBuilder builder(x.getDefiningOp());
  return arith::ConstantOp::create(builder, x.getLoc(), x.getType(), cast<TypedAttr>(quiet));
}

// Operations of arith and math that say the same, where LLVM has an instruction for them: the larger and the smaller of
// f16, bf16 and f32, of which the hardware takes -0 to be smaller than +0 (PTX ISA, max), and the fma of halves.
bool replaceByTwin(tileaa::FloatOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  if (op.getFlush() || op.getRounding() != Rounding::NearestEven)
    return false;
  OpBuilder builder(op);
  ValueRange x = op.getOperands();
  auto replace = [&](Value result) {
    op.replaceAllUsesWith(result);
    op.erase();
    return true;
  };
  switch (op.getKind()) {
  case FloatKind::Max:
    return replace(arith::MaxNumFOp::create(builder, op.getLoc(), quieted(x[0]), quieted(x[1])));
  case FloatKind::Min:
    return replace(arith::MinNumFOp::create(builder, op.getLoc(), quieted(x[0]), quieted(x[1])));
  case FloatKind::Maximum:
    return !element.isF64() && replace(arith::MaximumFOp::create(builder, op.getLoc(), x[0], x[1]));
  case FloatKind::Minimum:
    return !element.isF64() && replace(arith::MinimumFOp::create(builder, op.getLoc(), x[0], x[1]));
  case FloatKind::Fma:
    return replace(math::FmaOp::create(builder, op.getLoc(), x[0], x[1], x[2]));
  default:
    return false;
  }
}

// By useRoughExponential, or nvidia-scalar-instructions.
bool hasRoughInstruction(Operation *op) {
  return isa<math::ExpOp, math::TanhOp, math::SqrtOp, arith::DivFOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

// An exponential that may be rough is the instruction's: 2^(x log2 e).
void useRoughExponential(math::ExpOp op) {
  if (!tileaa::mayBeRough(op) || !hasRoughInstruction(op))
    return;
  OpBuilder builder(op);
  functions::Arithmetic a{builder, op.getLoc(), op.getType()};
  Value power = a.mul(op.getOperand(), a.constant(1.4426950408889634));
  op.replaceAllUsesWith(tileaa::FloatOp::create(builder, op.getLoc(), op.getType(), FloatKind::Exp2, power,
                                                Rounding::NearestEven, /*flush=*/true)
                            .getResult());
  op.erase();
}

// x with a subnormal made a zero of its sign, in one instruction: x + -0 is x.
Value flush(OpBuilder &builder, Location loc, Value x) {
  functions::Arithmetic a{builder, loc, x.getType()};
  return tileaa::FloatOp::create(builder, loc, x.getType(), FloatKind::Add, ValueRange{x, a.constant(-0.0)},
                                 Rounding::NearestEven, /*flush=*/true);
}

bool isFlushing(Operation *op) {
  auto function = dyn_cast_or_null<tileaa::FloatOp>(op);
  return function && function.getFlush();
}

// The instructions flush a result that is subnormal before it is rounded; `flush` means after. A product, quotient or
// fma is flushed around one that keeps subnormals: not where an operand comes from what flushes, nor where all uses do.
// (Sums below 2^-126 are exact, and no root is so small.)
void flushAround(tileaa::FloatOp op) {
  if (!op.getFlush() || !getElementTypeOrSelf(op.getType()).isF32() ||
      !llvm::is_contained({FloatKind::Mul, FloatKind::Div, FloatKind::Fma}, op.getKind()))
    return;
  OpBuilder builder(op);
  Location loc = op.getLoc();
  for (OpOperand &operand : op->getOpOperands()) {
    SplatElementsAttr splat;
    Value x = operand.get();
    bool isNormal = matchPattern(x, m_Constant(&splat)) && !splat.getSplatValue<APFloat>().isDenormal();
    if (!isNormal && !isFlushing(x.getDefiningOp()))
      operand.set(flush(builder, loc, x));
  }
  bool usesFlush = llvm::all_of(op->getUsers(), isFlushing);
  op.setFlush(false);
  builder.setInsertionPointAfter(op);
  if (!usesFlush) {
    Value flushed = flush(builder, loc, op.getResult());
    op.getResult().replaceAllUsesExcept(flushed, flushed.getDefiningOp());
  }
  if (op.getRounding() != Rounding::NearestEven)
    return;
  builder.setInsertionPoint(op);
  ValueRange x = op.getOperands();
  Value twin = op.getKind() == FloatKind::Mul   ? arith::MulFOp::create(builder, loc, x[0], x[1]).getResult()
               : op.getKind() == FloatKind::Div ? arith::DivFOp::create(builder, loc, x[0], x[1]).getResult()
                                                : math::FmaOp::create(builder, loc, x[0], x[1], x[2]).getResult();
  op.replaceAllUsesWith(twin);
  op.erase();
}

// PTX ISA, floating-point instructions: all four roundings for f32 and f64, .ftz for f32.
bool isInstruction(tileaa::FloatOp op) {
  Type element = getElementTypeOrSelf(op.getType());
  bool isSingle = element.isF32(), isPlain = isSingle || (element.isF64() && !op.getFlush());
  switch (op.getKind()) {
  case FloatKind::Add:
  case FloatKind::Sub:
  case FloatKind::Mul:
  case FloatKind::Div:
  case FloatKind::Sqrt:
  case FloatKind::Fma:
    return isPlain && op.getRounding() != Rounding::NearestAway;
  case FloatKind::Max:
  case FloatKind::Min:
  case FloatKind::Maximum:
  case FloatKind::Minimum:
  case FloatKind::Exp2:
    return isSingle && op.getFlush();
  default:
    return false;
  }
}

// Before Hopper tf32 is rounded with ties away from zero only.
constexpr unsigned firstWithTf32ToEven = 90;

bool isInstruction(tileaa::ConvertOp op, const nvidia::Architecture &architecture) {
  if (isa<FloatTF32Type>(op.getTo()))
    return op.getFrom().isF32() && op.getRounding() == Rounding::NearestEven &&
           architecture.number >= firstWithTf32ToEven;
  if (!architecture.has(nvidia::Feature::Fp8Convert))
    return false;
  Type from = op.getFrom(), to = op.getTo();
  if (isEightBits(from))
    return isHalf(to) || to.isF32();
  return isEightBits(to) && (isHalf(from) || from.isF32()) && op.getRounding() == Rounding::NearestEven;
}

// nvidia-scalar-instructions writes these by single instructions of PTX.
struct NvidiaFunctions : functions::TargetFunctions {
  explicit NvidiaFunctions(bool libdevice) : libdevice(libdevice) {}
  bool keeps(Operation *op) const override { return libdevice && !functions::libdeviceFunction(op).name.empty(); }
  bool keepsExponentials(const functions::Arithmetic &a) const override { return getElementTypeOrSelf(a.type).isF32(); }
  bool hasRoughInstructions(const functions::Arithmetic &a) const override { return keepsExponentials(a); }

private:
  bool libdevice;
};

// A signed integer of 8 bits as a half, by bits: conversions of integers have a quarter of the rate of sums or less
// (CUDA C++ Programming Guide, arithmetic instructions). In bf16 128 has a bit for 1, and 256 for 2: 128 + its seven
// lower bits are exact, and so is that minus 128, or minus 256 if it is negative. In f16 1024 + (128 + the integer) is
// exact.
Value bytesAsHalves(const functions::Arithmetic &a, Value bytes) {
  OpBuilder &builder = a.builder;
  Type word = a.bitsType();
  Value bits = arith::ExtUIOp::create(builder, a.loc, a.like(word), bytes);
  auto beside = [&](Value low, int64_t high) {
    return a.fromBits(arith::OrIOp::create(builder, a.loc, low, a.integer(high, word)));
  };
  auto part = [&](int64_t mask) -> Value { return arith::AndIOp::create(builder, a.loc, bits, a.integer(mask, word)); };
  if (getElementTypeOrSelf(a.type).isBF16())
    return a.sub(beside(part(0x7F), 0x4300), beside(part(0x80), 0x4300));
  Value shifted = arith::XOrIOp::create(builder, a.loc, bits, a.integer(0x80, word));
  return a.sub(beside(shifted, 0x6400), a.constant(1024 + 128));
}

// From the integers, or from their conversion to f32.
template <typename Op> struct ConvertBytesByBits : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Value bytes = op.getIn();
    if (auto toSingle = bytes.getDefiningOp<arith::SIToFPOp>(); toSingle && isa<arith::TruncFOp>(op))
      bytes = toSingle.getIn();
    if (!isHalf(getElementTypeOrSelf(op.getType())) || !getElementTypeOrSelf(bytes.getType()).isInteger(8))
      return rewriter.notifyMatchFailure(op, "not from 8 bits to a half");
    rewriter.replaceOp(op, bytesAsHalves({rewriter, op.getLoc(), op.getType()}, bytes));
    return success();
  }
};

class LegalizeElementwise : public tilewright::impl::TileasLegalizeElementwiseBase<LegalizeElementwise> {
public:
  using TileasLegalizeElementwiseBase::TileasLegalizeElementwiseBase;

private:
  void runOnOperation() override {
    const nvidia::Architecture *architecture = tileas::architectureOf(getOperation());
    if (!architecture)
      return signalPassFailure();
    getOperation().walk([&](tileaa::FloatOp op) { replaceByTwin(op); });
    getOperation().walk([&](Operation *op) {
      if (tileaa::mayBeRough(op))
        tileaa::answerRounding(op, hasRoughInstruction(op),
                               hasRoughInstruction(op) ? "it is the rough instruction of the hardware"
                                                       : "there is no rough instruction for it");
    });
    getOperation().walk(useRoughExponential);
    getOperation().walk([&](tileaa::FloatOp op) { flushAround(op); });
    legalize::legalizeElementwise(getOperation(), [&](Operation *op) {
      auto function = dyn_cast<tileaa::FloatOp>(op);
      return function ? isInstruction(function) : isInstruction(cast<tileaa::ConvertOp>(op), *architecture);
    });
    RewritePatternSet patterns(&getContext());
    NvidiaFunctions target(libdevice);
    functions::populateFunctions(patterns, &target);
    patterns.add<ConvertBytesByBits<arith::SIToFPOp>, ConvertBytesByBits<arith::TruncFOp>>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
