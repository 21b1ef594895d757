// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/work/ElementCost.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;
using predict::Pipe;

namespace {

using Result = std::optional<ElementCost>;

// Of f16 and bf16 all is computed in f32.
unsigned computedBits(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) ? std::max(32u, elementBits(type)) : elementBits(type);
}

// Instructions of the expansions in cpu/math and tileaa/transforms/functions.
Result functionCost(Operation *op, unsigned bits, const VectorUnit &unit) {
  double exponential = unit.hasTables ? 11 : 15;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<math::ExpOp, math::Exp2Op>([&](auto) { return ElementCost{Pipe::Special, exponential, bits, 0}; })
      .Case<math::RsqrtOp>([&](auto) { return ElementCost{Pipe::Special, 1, bits, 2}; })
      .Case<math::SqrtOp>([&](auto) { return ElementCost{Pipe::Special, 0, bits, 1}; })
      .Case<math::LogOp, math::Log2Op, math::Log10Op, math::Log1pOp>(
          [&](auto) { return ElementCost{Pipe::Special, 22, bits, 0}; })
      .Case<math::SinOp, math::CosOp, math::ErfOp>([&](auto) { return ElementCost{Pipe::Special, 30, bits, 0}; })
      .Case<math::TanhOp, math::SinhOp, math::CoshOp>([&](auto) { return ElementCost{Pipe::Special, 25, bits, 1}; })
      .Case<math::PowFOp>([&](auto) { return ElementCost{Pipe::Special, 60, bits, 1}; })
      .Case<math::FmaOp, math::AbsFOp, math::FloorOp, math::CeilOp, math::RoundEvenOp, math::TruncOp, math::CopySignOp>(
          [&](auto) { return ElementCost{Pipe::F32, 1, bits, 0}; })
      .Case([&](tileaa::FloatOp op) -> Result {
        StringRef kind = stringifyFloatKind(op.getKind());
        if (kind.starts_with("exp"))
          return ElementCost{Pipe::Special, exponential, bits, 0};
        if (kind.starts_with("rsqrt"))
          return ElementCost{Pipe::Special, 1, bits, 2};
        if (kind.starts_with("div") || kind.starts_with("sqrt"))
          return ElementCost{Pipe::F32, 0, bits, 1};
        return ElementCost{Pipe::F32, kind == "max" || kind == "min" ? 3.0 : 1.0, bits, 0};
      })
      .Default([](Operation *) { return std::nullopt; });
}

Result conversionCost(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  unsigned bits = std::max(elementBits(from), elementBits(to));
  // bf16 is the upper half of f32: a shift, or a sum that rounds and a permutation.
  if (isa<arith::ExtFOp>(op))
    return getElementTypeOrSelf(from).isBF16() ? ElementCost{Pipe::Integer, 2, bits, 0}
                                               : ElementCost{Pipe::Convert, 1, bits, 0};
  if (isa<arith::TruncFOp>(op))
    return getElementTypeOrSelf(to).isBF16() ? ElementCost{Pipe::Integer, 5, bits, 0}
                                             : ElementCost{Pipe::Convert, 2, bits, 0};
  if (isa<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, tileaa::ConvertOp>(op))
    return ElementCost{Pipe::Convert, 1, bits, 0};
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return ElementCost{Pipe::Convert, 1, bits, 0};
  return std::nullopt;
}

Result arithmeticCost(Operation *op, unsigned bits) {
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<arith::DivFOp>([&](auto) { return ElementCost{Pipe::F32, 0, bits, 1}; })
      .Case<arith::RemFOp>([&](auto) { return ElementCost{Pipe::F32, 10, bits, 1}; })
      // The instruction, under a mask that a comparison makes.
      .Case<arith::MaxNumFOp, arith::MinNumFOp>([&](auto) { return ElementCost{Pipe::F32, 2, bits, 0}; })
      .Case<arith::MaximumFOp, arith::MinimumFOp>([&](auto) { return ElementCost{Pipe::F32, 3, bits, 0}; })
      .Case<arith::CmpFOp, arith::CmpIOp>(
          [&](auto op) { return ElementCost{Pipe::Compare, 1, computedBits(op.getLhs().getType()), 0}; })
      .Case<arith::SelectOp>([&](auto) { return ElementCost{Pipe::Compare, 1, bits, 0}; })
      .Case<arith::MulIOp>([&](auto) { return ElementCost{Pipe::Integer, bits == 16 ? 1.0 : 2.0, bits, 0}; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(
          [&](auto) { return ElementCost{Pipe::Integer, 20, bits, 2}; })
      .Case<arith::BitcastOp>([](auto) { return std::nullopt; })
      .Default([&](Operation *op) {
        bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
        return ElementCost{isFloat ? Pipe::F32 : Pipe::Integer, 1, bits, 0};
      });
}

} // namespace

unsigned cpu::elementBits(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? std::max(8u, element.getIntOrFloatBitWidth()) : 64;
}

Result cpu::costOf(Operation *op, const VectorUnit &unit) {
  if (op->getNumResults() == 0 || op->hasTrait<OpTrait::ConstantLike>() || isa<arith::IndexCastOp>(op))
    return std::nullopt;
  unsigned bits = computedBits(op->getResult(0).getType());
  if (auto cost = conversionCost(op))
    return cost;
  if (auto cost = functionCost(op, bits, unit))
    return cost;
  return arithmeticCost(op, bits);
}
