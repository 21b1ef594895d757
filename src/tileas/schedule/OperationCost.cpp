// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/OperationCost.h"

#include "tileas/ir/MmaAtom.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;
using layout::Dim;

namespace {

// Cycles of an instruction of a warp on its scheduler, which has a quarter of the multiprocessor.
int64_t cyclesAt(unsigned rate) {
  return std::max<int64_t>(1, 32 * 4 / rate);
}

int64_t registersOf(Type type) {
  if (hasLayout(type))
    return layoutOf(cast<RankedTensorType>(type)).inputSize(Dim::Register);
  return type.isIntOrIndexOrFloat() ? 1 : 0;
}

// The instructions for one element.
struct Elementwise {
  int64_t issue, special;
};

Elementwise elementwiseCost(Operation *op, const nvidia::Performance &rates) {
  int64_t f32 = cyclesAt(rates.f32), compare = cyclesAt(rates.compare), special = cyclesAt(rates.special);
  return llvm::TypeSwitch<Operation *, Elementwise>(op)
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp, math::FmaOp>(
          [&](auto) { return Elementwise{f32, 0}; })
      .Case<arith::MaxNumFOp, arith::MinNumFOp, arith::MaximumFOp, arith::MinimumFOp, arith::CmpFOp, arith::CmpIOp,
            arith::SelectOp>([&](auto) { return Elementwise{compare, 0}; })
      // Two at a time.
      .Case<arith::TruncFOp>([&](auto) { return Elementwise{std::max<int64_t>(1, cyclesAt(rates.convert) / 2), 0}; })
      .Case<arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp, tileaa::ConvertOp>(
          [&](auto) { return Elementwise{cyclesAt(rates.convert), 0}; })
      .Case<math::Exp2Op, math::RsqrtOp>([&](auto) { return Elementwise{2 * f32, special}; })
      .Case<math::ExpOp>([&](auto) { return Elementwise{8 * f32, special}; })
      .Case<math::TanhOp, arith::DivFOp>([&](auto) { return Elementwise{8 * f32, special}; })
      .Case<tileaa::FloatOp>([&](tileaa::FloatOp op) {
        StringRef kind = stringifyFloatKind(op.getKind());
        if (kind.starts_with("exp") || kind.starts_with("rsqrt") || kind.starts_with("tanh"))
          return Elementwise{f32, special};
        if (kind.starts_with("div") || kind.starts_with("sqrt"))
          return Elementwise{8 * f32, special};
        return Elementwise{kind.starts_with("max") || kind.starts_with("min") ? compare : f32, 0};
      })
      .Default([&](Operation *) { return Elementwise{cyclesAt(rates.integer), 0}; });
}

OperationCost costOfReduce(tileaa::ReduceOp reduce, const nvidia::Performance &rates) {
  const layout::LinearLayout &layout = layoutOf(reduce.getSources()[0]);
  Dim along = layout::tileDim(reduce.getDim());
  int64_t combine = 0, shuffles = 0, results = registersOf(reduce.getResult(0).getType());
  for (Operation &op : reduce.getBody().front().without_terminator())
    combine += elementwiseCost(&op, rates).issue;
  for (layout::F2Vector basis : layout.basisOf(Dim::Lane))
    shuffles += layout.coordinate(basis, along) != 0;
  int64_t sources = reduce.getSources().size();
  int64_t own = std::max<int64_t>(0, int64_t(layout.inputSize(Dim::Register)) - results) * combine;
  int64_t across = shuffles * results * (combine + sources * cyclesAt(rates.shuffle));
  // Each step of the shuffles waits for the one before it.
  int64_t waits = shuffles * (rates.shuffleLatency + rates.aluLatency);
  return {Unit::Thread, own + across, 0, std::max(own + across, own + waits) + rates.aluLatency};
}

OperationCost costOfProduct(MmaOp mma, const nvidia::Performance &rates) {
  AtomAttr atom = mma.getAtom();
  auto acc = cast<RankedTensorType>(mma.getAcc().getType());
  Type operand = getElementTypeOrSelf(mma.getRhs().getType());
  if (auto buffer = dyn_cast<BufferType>(mma.getRhs().getType()))
    operand = buffer.getElementType();
  auto lhs = dyn_cast<BufferType>(mma.getLhs().getType());
  int64_t depth = lhs ? lhs.getShape().back() : cast<RankedTensorType>(mma.getLhs().getType()).getShape().back();
  // The tile's part of one warpgroup.
  int64_t results = int64_t(layoutOf(acc).inputSize(Dim::Register)) * 128;
  int64_t cycles = 2 * results * depth * operand.getIntOrFloatBitWidth() / 16 / rates.tensor;
  int64_t instructions = results / (atom.getM() * atom.getN()) * (depth / atom.getK());
  OperationCost cost{Unit::Tensor, 4 * instructions, cycles, cycles + rates.tensorLatency};
  // A synchronous product waits for its result.
  if (!mma.getRunning())
    cost.issue = cost.latency;
  return cost;
}

} // namespace

CostAttr OperationCost::toAttribute(MLIRContext *context) const {
  return CostAttr::get(context, unit, issue, cycles, latency);
}

std::optional<OperationCost> OperationCost::of(Operation *op) {
  auto mark = op->getAttrOfType<CostAttr>(costAttr);
  if (!mark)
    return std::nullopt;
  return OperationCost{mark.getUnit(), mark.getIssue(), mark.getCycles(), mark.getLatency()};
}

int64_t tileas::distinctValues(Value value) {
  int64_t registers = registersOf(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !isa<RankedTensorType>(value.getType()))
    return registers;
  if (matchPattern(value, m_Constant()))
    return std::min<int64_t>(1, registers);
  if (isa<tileaa::BroadcastOp, tileaa::ReshapeOp>(op))
    return std::min(registers, distinctValues(op->getOperand(0)));
  if (op->hasTrait<OpTrait::Elementwise>()) {
    int64_t most = 1;
    for (Value operand : op->getOperands())
      most = std::max(most, distinctValues(operand));
    return std::min(registers, most);
  }
  return registers;
}

int64_t tileas::registersFor(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  if (!element.isIntOrFloat())
    return 0;
  // Masks are predicates, or bits of a register.
  return llvm::divideCeil(distinctValues(value) * element.getIntOrFloatBitWidth(), 32);
}

OperationCost tileas::costOf(Operation *op, const nvidia::Performance &rates) {
  auto ofThread = [&](int64_t issue) { return OperationCost{Unit::Thread, issue, 0, issue + rates.aluLatency}; };
  return llvm::TypeSwitch<Operation *, OperationCost>(op)
      .Case([&](MmaOp mma) { return costOfProduct(mma, rates); })
      .Case([&](tileaa::ReduceOp reduce) { return costOfReduce(reduce, rates); })
      .Case<tileaa::BroadcastOp, tileaa::ReshapeOp, tileaa::PermuteOp, MmaWaitOp, ConsumerReadOp>(
          [&](auto) { return OperationCost(); })
      // A look at a barrier, and an arrival by one thread.
      .Case([&](ConsumerWaitOp) { return ofThread(rates.sharedLatency); })
      .Case([&](ConsumerReleaseOp) { return ofThread(4); })
      .Case<tileaa::LoadViewOp, tileaa::LoadPtrOp>([&](auto load) {
        int64_t issue = 4 * registersOf(load.getTile().getType());
        return OperationCost{Unit::Memory, issue, issue, issue + rates.globalLatency};
      })
      .Case([&](ConvertLayoutOp convert) {
        // There and back through shared memory, at worst.
        int64_t bytes = registersFor(convert.getResult()) * 4 * 128;
        int64_t cycles = std::max<int64_t>(1, 2 * bytes / rates.sharedBytes);
        return OperationCost{Unit::Memory, cycles, cycles, cycles + 2 * rates.sharedLatency};
      })
      .Default([&](Operation *op) {
        if (op->getNumResults() == 0 || matchPattern(op, m_Constant()))
          return OperationCost();
        int64_t count = distinctValues(op->getResult(0));
        for (Value operand : op->getOperands())
          if (op->hasTrait<OpTrait::Elementwise>() && hasLayout(operand.getType()))
            count = std::max(count, distinctValues(operand));
        Elementwise one = elementwiseCost(op, rates);
        if (one.special == 0)
          return ofThread(count * one.issue);
        return OperationCost{Unit::Special, count * one.issue, count * one.special,
                             std::max(count * one.special, count * one.issue) + rates.specialLatency};
      });
}
