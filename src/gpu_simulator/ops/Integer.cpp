// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic of integers wraps. Results that arith leaves undefined (division by zero, shifts by the width) are those
// of docs/semantics.md; lowerings guard them, so they are hardly ever observed.
#include "gpu_simulator/ops/Elements.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

namespace {

using X = const Operands &;

// Of numbers that divide: nothing by zero, and the smallest number by -1 is itself.
template <typename Function> Bits divide(X x, int64_t i, Function function) {
  int64_t a = x.integer(0, i), b = x.integer(1, i);
  if (b == 0)
    return 0;
  return b == -1 ? function(static_cast<__int128>(a), static_cast<__int128>(b)) : function(a, b);
}
template <typename T> T floorDiv(T a, T b) {
  T quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}
template <typename T> T ceilDiv(T a, T b) {
  T quotient = a / b;
  return a % b != 0 && (a < 0) == (b < 0) ? quotient + 1 : quotient;
}

Bits shift(X x, int64_t i, llvm::function_ref<Bits(unsigned)> function, Bits beyond) {
  Bits count = x(1, i);
  return count < bitWidth(x.element(0)) ? function(count) : beyond;
}

bool compares(arith::CmpIPredicate predicate, X x, int64_t i) {
  Bits a = x(0, i), b = x(1, i);
  int64_t sa = x.integer(0, i), sb = x.integer(1, i);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return sa < sb;
  case arith::CmpIPredicate::sle:
    return sa <= sb;
  case arith::CmpIPredicate::sgt:
    return sa > sb;
  case arith::CmpIPredicate::sge:
    return sa >= sb;
  case arith::CmpIPredicate::ult:
    return a < b;
  case arith::CmpIPredicate::ule:
    return a <= b;
  case arith::CmpIPredicate::ugt:
    return a > b;
  case arith::CmpIPredicate::uge:
    return a >= b;
  }
  llvm_unreachable("all predicates are listed");
}

// The low and the high half of a product.
template <typename Op, typename Wide> void onWideProduct(HandlerTable &table, bool isSigned) {
  table.on<Op>([isSigned](Op op, Actor &actor) {
    Operands x(op, actor);
    unsigned width = bitWidth(x.element(0));
    auto product = [&](int64_t i) {
      return isSigned ? Wide(x.integer(0, i)) * Wide(x.integer(1, i)) : Wide(x(0, i)) * Wide(x(1, i));
    };
    setElements(actor, op.getLow(), x, [&](int64_t i) { return Bits(product(i)); });
    setElements(actor, op.getHigh(), x, [&](int64_t i) { return Bits(product(i) >> width); });
  });
}

// Numbers have 64 bits here: of the high half of a product in 128 the factors are asked for.
void shiftRight(arith::ShRUIOp op, Actor &actor) {
  using Wide = unsigned __int128;
  auto product = op.getLhs().getDefiningOp<arith::MulIOp>();
  if (product && getElementTypeOrSelf(op.getType()).isInteger(128)) {
    Operands x(product, actor);
    setElements(actor, op.getResult(), x, [&](int64_t i) { return Bits(Wide(x(0, i)) * x(1, i) >> 64); });
    return;
  }
  Operands x(op, actor);
  setElements(actor, op.getResult(), x,
              [&](int64_t i) { return shift(x, i, [&](unsigned n) { return x(0, i) >> n; }, 0); });
}

} // namespace

void simulator::registerIntegerOps(HandlerTable &table) {
  onElements<arith::AddIOp>(table, [](X x, int64_t i) { return x(0, i) + x(1, i); });
  onElements<arith::SubIOp>(table, [](X x, int64_t i) { return x(0, i) - x(1, i); });
  onElements<arith::MulIOp>(table, [](X x, int64_t i) { return x(0, i) * x(1, i); });
  onElements<arith::AndIOp>(table, [](X x, int64_t i) { return x(0, i) & x(1, i); });
  onElements<arith::OrIOp>(table, [](X x, int64_t i) { return x(0, i) | x(1, i); });
  onElements<arith::XOrIOp>(table, [](X x, int64_t i) { return x(0, i) ^ x(1, i); });
  onElements<arith::DivSIOp>(table, [](X x, int64_t i) { return divide(x, i, [](auto a, auto b) { return a / b; }); });
  onElements<arith::RemSIOp>(table, [](X x, int64_t i) { return divide(x, i, [](auto a, auto b) { return a % b; }); });
  onElements<arith::FloorDivSIOp>(
      table, [](X x, int64_t i) { return divide(x, i, [](auto a, auto b) { return floorDiv(a, b); }); });
  onElements<arith::CeilDivSIOp>(
      table, [](X x, int64_t i) { return divide(x, i, [](auto a, auto b) { return ceilDiv(a, b); }); });
  onElements<arith::DivUIOp>(table, [](X x, int64_t i) { return x(1, i) ? x(0, i) / x(1, i) : 0; });
  onElements<arith::RemUIOp>(table, [](X x, int64_t i) { return x(1, i) ? x(0, i) % x(1, i) : 0; });
  onElements<arith::CeilDivUIOp>(
      table, [](X x, int64_t i) { return x(1, i) ? x(0, i) / x(1, i) + (x(0, i) % x(1, i) != 0) : 0; });
  onElements<arith::ShLIOp>(table,
                            [](X x, int64_t i) { return shift(x, i, [&](unsigned n) { return x(0, i) << n; }, 0); });
  table.on<arith::ShRUIOp>(shiftRight);
  onElements<arith::ShRSIOp>(table, [](X x, int64_t i) {
    return shift(x, i, [&](unsigned n) { return Bits(x.integer(0, i) >> n); }, x.integer(0, i) < 0 ? ~Bits(0) : 0);
  });
  onElements<arith::MaxSIOp>(table,
                             [](X x, int64_t i) { return x.integer(0, i) > x.integer(1, i) ? x(0, i) : x(1, i); });
  onElements<arith::MinSIOp>(table,
                             [](X x, int64_t i) { return x.integer(0, i) < x.integer(1, i) ? x(0, i) : x(1, i); });
  onElements<arith::MaxUIOp>(table, [](X x, int64_t i) { return std::max(x(0, i), x(1, i)); });
  onElements<arith::MinUIOp>(table, [](X x, int64_t i) { return std::min(x(0, i), x(1, i)); });
  onElements<math::AbsIOp>(table, [](X x, int64_t i) { return x.integer(0, i) < 0 ? -x(0, i) : x(0, i); });
  onElements<math::CountLeadingZerosOp>(
      table, [](X x, int64_t i) { return Bits(llvm::countl_zero(x(0, i))) - (64 - bitWidth(x.element(0))); });
  onElements<math::CountTrailingZerosOp>(
      table, [](X x, int64_t i) { return std::min<Bits>(llvm::countr_zero(x(0, i)), bitWidth(x.element(0))); });
  onElements<math::CtPopOp>(table, [](X x, int64_t i) { return Bits(llvm::popcount(x(0, i))); });
  table.on<arith::SelectOp>([](arith::SelectOp op, Actor &actor) {
    if (!std::holds_alternative<Tile>(actor.get(op.getTrueValue()))) { // views or tokens
      bool first = actor.tile(op.getCondition()).at(0);
      return actor.set(op.getResult(), actor.get(first ? op.getTrueValue() : op.getFalseValue()));
    }
    Operands x(op, actor);
    setElements(actor, op.getResult(), x, [&](int64_t i) { return x(0, i) ? x(1, i) : x(2, i); });
  });
  table.on<arith::CmpIOp>([](arith::CmpIOp op, Actor &actor) {
    Operands x(op, actor);
    setElements(actor, op.getResult(), x, [&](int64_t i) { return Bits(compares(op.getPredicate(), x, i)); });
  });
  onWideProduct<arith::MulSIExtendedOp, __int128>(table, /*isSigned=*/true);
  onWideProduct<arith::MulUIExtendedOp, unsigned __int128>(table, /*isSigned=*/false);
  table.on<arith::AddUIExtendedOp>([](arith::AddUIExtendedOp op, Actor &actor) {
    Operands x(op, actor);
    Element element = x.element(0);
    setElements(actor, op.getSum(), x, [&](int64_t i) { return x(0, i) + x(1, i); });
    setElements(actor, op.getOverflow(), x,
                [&](int64_t i) { return Bits(truncate(x(0, i) + x(1, i), element) < x(0, i)); });
  });
}
