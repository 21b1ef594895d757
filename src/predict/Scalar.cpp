// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Scalar.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::predict {
namespace {

int64_t wrap(int64_t number, unsigned bits) {
  // A predicate is 0 or 1.
  return bits >= 64 ? number : bits == 1 ? number & 1 : SignExtend64(uint64_t(number), bits);
}

uint64_t unsignedOf(int64_t number, unsigned bits) {
  return bits >= 64 ? uint64_t(number) : uint64_t(number) & maskTrailingOnes<uint64_t>(bits);
}

// Nothing where the result is undefined.
std::optional<int64_t> combine(ScalarKind kind, int64_t a, int64_t b, unsigned bits) {
  uint64_t ua = unsignedOf(a, bits), ub = unsignedOf(b, bits);
  bool divides = (kind >= ScalarKind::DivS && kind <= ScalarKind::RemU);
  if (divides && (b == 0 || (b == -1 && a == INT64_MIN)))
    return std::nullopt;
  bool shifts = kind >= ScalarKind::ShiftLeft && kind <= ScalarKind::ShiftRightU;
  if (shifts && ub >= bits)
    return std::nullopt;
  switch (kind) {
  case ScalarKind::Add:
    return int64_t(uint64_t(a) + uint64_t(b));
  case ScalarKind::Sub:
    return int64_t(uint64_t(a) - uint64_t(b));
  case ScalarKind::Mul:
    return int64_t(uint64_t(a) * uint64_t(b));
  case ScalarKind::DivS:
    return a / b;
  case ScalarKind::DivU:
    return int64_t(ua / ub);
  case ScalarKind::CeilDivS:
    return divideCeilSigned(a, b);
  case ScalarKind::CeilDivU:
    return int64_t(ua / ub + (ua % ub != 0));
  case ScalarKind::FloorDivS:
    return divideFloorSigned(a, b);
  case ScalarKind::RemS:
    return a % b;
  case ScalarKind::RemU:
    return int64_t(ua % ub);
  case ScalarKind::MinS:
    return std::min(a, b);
  case ScalarKind::MaxS:
    return std::max(a, b);
  case ScalarKind::MinU:
    return ua < ub ? a : b;
  case ScalarKind::MaxU:
    return ua < ub ? b : a;
  case ScalarKind::And:
    return a & b;
  case ScalarKind::Or:
    return a | b;
  case ScalarKind::Xor:
    return a ^ b;
  case ScalarKind::ShiftLeft:
    return int64_t(uint64_t(a) << ub);
  case ScalarKind::ShiftRightS:
    return a >> ub;
  case ScalarKind::ShiftRightU:
    return int64_t(ua >> ub);
  case ScalarKind::CompareEq:
    return a == b;
  case ScalarKind::CompareNe:
    return a != b;
  case ScalarKind::CompareSlt:
    return a < b;
  case ScalarKind::CompareSle:
    return a <= b;
  case ScalarKind::CompareUlt:
    return ua < ub;
  case ScalarKind::CompareUle:
    return ua <= ub;
  default:
    return std::nullopt;
  }
}

bool isComparison(ScalarKind kind) {
  return kind >= ScalarKind::CompareEq && kind <= ScalarKind::CompareUle;
}

} // namespace

ScalarId Scalars::add(Scalar scalar) {
  unsigned level = 0;
  for (ScalarId operand : scalar.operands)
    level = std::max(level, levelOf(operand));
  if (scalar.kind == ScalarKind::BlockId)
    level = std::max(level, 1u);
  else if (scalar.kind == ScalarKind::Variable)
    level = std::max<unsigned>(level, 2 + std::min<int64_t>(scalar.number, 15));
  list.push_back(std::move(scalar));
  levels.push_back(level);
  return list.size() - 1;
}

Evaluator::Evaluator(const Scalars &scalars, const Launch &launch, std::array<int64_t, 3> blocks)
    : scalars(scalars), launch(launch), blocks(blocks), values(scalars.size()), stamps(scalars.size(), 0) {
  changed.fill(now);
}

void Evaluator::change(unsigned level) {
  ++now;
  std::fill(changed.begin() + level, changed.end(), now);
}

void Evaluator::enterBlock(std::array<int64_t, 3> id) {
  block = id;
  change(1);
}

void Evaluator::setVariable(ScalarId variable, ScalarValue value) {
  unsigned level = scalars.levelOf(variable);
  change(level);
  values[variable] = value;
  stamps[variable] = now;
}

ScalarValue Evaluator::operator()(ScalarId id) {
  if (stamps[id] >= changed[scalars.levelOf(id)])
    return values[id];
  values[id] = compute(scalars[id]);
  stamps[id] = now;
  return values[id];
}

std::optional<int64_t> Evaluator::most(ScalarId id) {
  if (ScalarValue value = (*this)(id); value.isKnown)
    return value.number;
  const Scalar &scalar = scalars[id];
  if (scalar.kind != ScalarKind::Select)
    return std::nullopt;
  std::optional<int64_t> chosen = most(scalar.operands[1]), other = most(scalar.operands[2]);
  return chosen && other ? std::optional(std::max(*chosen, *other)) : std::nullopt;
}

ScalarValue Evaluator::compute(const Scalar &scalar) {
  auto known = [](int64_t number) { return ScalarValue{number, true}; };
  switch (scalar.kind) {
  case ScalarKind::Constant:
    return known(scalar.number);
  case ScalarKind::Parameter:
    if (size_t(scalar.number) < launch.parameters.size() && launch.parameters[scalar.number])
      return known(wrap(*launch.parameters[scalar.number], scalar.bits));
    return {int64_t(size_t(hash_combine(scalar.kind, scalar.number))), false};
  case ScalarKind::Grid:
    return known(launch.grid[scalar.number]);
  case ScalarKind::Blocks:
    return known(blocks[scalar.number]);
  case ScalarKind::BlockId:
    return known(block[scalar.number]);
  default:
    break;
  }
  SmallVector<ScalarValue, 3> operands;
  for (ScalarId operand : scalar.operands)
    operands.push_back((*this)(operand));
  auto unknown = [&] {
    hash_code hash = hash_combine(scalar.kind, scalar.number);
    for (const ScalarValue &operand : operands)
      hash = hash_combine(hash, operand.number);
    return ScalarValue{int64_t(size_t(hash)), false};
  };
  if (scalar.kind == ScalarKind::Select && operands[0].isKnown)
    return operands[operands[0].number ? 1 : 2];
  if (operands.empty() || scalar.kind == ScalarKind::Mix ||
      !all_of(operands, [](const ScalarValue &operand) { return operand.isKnown; }))
    return unknown();
  if (scalar.kind == ScalarKind::ZeroExtend)
    return known(int64_t(unsignedOf(operands[0].number, scalar.number)));
  unsigned bits = isComparison(scalar.kind) ? scalars[scalar.operands[0]].bits : scalar.bits;
  std::optional<int64_t> result = combine(scalar.kind, operands[0].number, operands[1].number, bits);
  return result ? known(wrap(*result, scalar.bits)) : unknown();
}

} // namespace tilewright::predict
