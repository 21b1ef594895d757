// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By how much an integer of a loop's body grows from lane to lane.
#include "cpu/loops/LaneValues.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

// Zero for what is the same in all lanes, nothing for what does not grow by a constant.
std::optional<int64_t> LaneValues::slope(Value value) {
  return slopeOf(value, slopes, /*isAddress=*/false);
}

std::optional<int64_t> LaneValues::addressSlope(Value address) {
  return slopeOf(address, addressSlopes, /*isAddress=*/true);
}

std::optional<int64_t> LaneValues::slopeOf(Value value, Slopes &known, bool isAddress) {
  if (!hasLanes() || value.getParentBlock() != nest.body)
    return 0;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  std::optional<int64_t> result = computeSlope(value, known, isAddress);
  known[value] = result;
  return result;
}

// The range of an integer of the body over all iterations.
ConstantIntRanges LaneValues::rangeOf(Value value) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  Operation *inner = value.getDefiningOp();
  if (auto position = dyn_cast_or_null<linalg::IndexOp>(inner))
    return ConstantIntRanges::fromUnsigned(APInt(width, 0), APInt(width, nest.sizes[position.getDim()] - 1));
  auto inferring = dyn_cast_or_null<InferIntRangeInterface>(inner);
  bool isOfIntegers =
      inferring && llvm::all_of(inner->getOperandTypes(), [](Type type) { return type.isIntOrIndex(); });
  if (!isOfIntegers)
    return ConstantIntRanges::maxRange(width);
  if (auto known = ranges.find(value); known != ranges.end())
    return known->second;
  SmallVector<ConstantIntRanges> operands;
  for (Value operand : inner->getOperands())
    operands.push_back(rangeOf(operand));
  ConstantIntRanges result = ConstantIntRanges::maxRange(width);
  inferring.inferResultRanges(operands, [&](Value, const ConstantIntRanges &range) { result = range; });
  ranges.try_emplace(value, result);
  return result;
}

// Whether neighbours of a slope differ by it as numbers too, not only in the last bits: i8 that are 254, 255, 0 do not.
// Two numbers of a range differ by less than its length, so where that and the slope are shorter than all numbers of
// the width, no other difference has the same bits.
bool LaneValues::growsWithoutWrapping(Value value, int64_t slope, bool isSigned) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  if (width >= 64)
    return true; // and is extended to no more
  ConstantIntRanges range = rangeOf(value);
  APInt length = isSigned ? range.smax().sext(128) - range.smin().sext(128) : (range.umax() - range.umin()).zext(128);
  return (length + APInt(128, std::abs(slope))).ult(APInt::getOneBitSet(128, width));
}

std::optional<int64_t> LaneValues::computeSlope(Value value, Slopes &known, bool isAddress) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (values.contains(value))
      return std::nullopt;
    const LoopAccess &access = nest.accesses[argument.getArgNumber()];
    return access.dependsOn(nest.laneDim) && isa<MemRefType>(access.buffer.getType()) ? std::nullopt
                                                                                      : std::optional<int64_t>(0);
  }
  Operation *inner = value.getDefiningOp();
  if (auto mark = dyn_cast<ElementOp>(inner))
    return slopeOf(mark.getValue(), known, isAddress);
  if (auto position = dyn_cast<linalg::IndexOp>(inner))
    return (int64_t)position.getDim() == nest.laneDim ? 1 : 0;
  SmallVector<int64_t> operandSlopes;
  for (Value operand : inner->getOperands()) {
    std::optional<int64_t> slope = slopeOf(operand, known, isAddress);
    if (!slope)
      return std::nullopt;
    operandSlopes.push_back(*slope);
  }
  if (llvm::all_of(operandSlopes, [](int64_t each) { return each == 0; }))
    return 0;
  if (isa<arith::AddIOp>(inner))
    return operandSlopes[0] + operandSlopes[1];
  if (isa<arith::SubIOp>(inner))
    return operandSlopes[0] - operandSlopes[1];
  if (isa<arith::TruncIOp>(inner))
    return operandSlopes[0];
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(inner)) {
    bool isSigned = isa<arith::ExtSIOp, arith::IndexCastOp>(inner);
    unsigned from = ConstantIntRanges::getStorageBitwidth(inner->getOperand(0).getType());
    bool isWider = ConstantIntRanges::getStorageBitwidth(value.getType()) > from;
    // The elements on both sides of a wrapped 32-bit offset are 2^32 elements apart: one tile does not span an array
    // of that length, and to look for it would make a gather of every access by such offsets.
    bool isOffset = isAddress && isSigned && from >= 32;
    if (!isWider || isOffset || growsWithoutWrapping(inner->getOperand(0), operandSlopes[0], isSigned))
      return operandSlopes[0];
    return std::nullopt;
  }
  if (isa<arith::MulIOp>(inner))
    for (unsigned i : {0u, 1u}) {
      APInt factor;
      if (matchPattern(inner->getOperand(i), m_ConstantInt(&factor)))
        return operandSlopes[1 - i] * factor.getSExtValue();
    }
  return std::nullopt;
}
