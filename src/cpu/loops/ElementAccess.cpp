// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores and atomics of single elements, as those of LLVM. All scopes are that of the machine: a block may run
// on any thread.
#include "cpu/loops/MicroTiles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

Type cpu::carrierOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  bool isNarrowFloat = isa<FloatType>(element) && element.getIntOrFloatBitWidth() <= 8;
  if (!isNarrowFloat && !element.isInteger(1))
    return type;
  auto bits = IntegerType::get(type.getContext(), std::max(8u, element.getIntOrFloatBitWidth()));
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), bits)) : bits;
}

static bool isBit(Type type) {
  return getElementTypeOrSelf(type).isInteger(1);
}

Value cpu::toCarrier(OpBuilder &builder, Location loc, Value value) {
  Type carrier = carrierOf(value.getType());
  if (carrier == value.getType())
    return value;
  if (isBit(value.getType()))
    return arith::ExtUIOp::create(builder, loc, carrier, value);
  return arith::BitcastOp::create(builder, loc, carrier, value);
}

Value cpu::fromCarrier(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isBit(type))
    return arith::TruncIOp::create(builder, loc, type, value);
  return arith::BitcastOp::create(builder, loc, type, value);
}

namespace {

Value pointerTo(OpBuilder &builder, Location loc, Value address) {
  return LLVM::IntToPtrOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), address);
}

LLVM::AtomicOrdering orderingOf(std::optional<tileaa::Ordering> ordering) {
  if (!ordering)
    return LLVM::AtomicOrdering::not_atomic;
  switch (*ordering) {
  case tileaa::Ordering::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tileaa::Ordering::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case tileaa::Ordering::Release:
    return LLVM::AtomicOrdering::release;
  case tileaa::Ordering::AcqRel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("all orderings are listed");
}

// The ordering of a compare-and-swap that fails: it is a load, and releases nothing.
LLVM::AtomicOrdering orderingOfFailure(LLVM::AtomicOrdering ordering) {
  switch (ordering) {
  case LLVM::AtomicOrdering::acquire:
  case LLVM::AtomicOrdering::acq_rel:
    return LLVM::AtomicOrdering::acquire;
  default:
    return LLVM::AtomicOrdering::monotonic;
  }
}

LLVM::AtomicBinOp functionOf(arith::AtomicRMWKind kind) {
  switch (kind) {
  case arith::AtomicRMWKind::addi:
    return LLVM::AtomicBinOp::add;
  case arith::AtomicRMWKind::addf:
    return LLVM::AtomicBinOp::fadd;
  case arith::AtomicRMWKind::andi:
    return LLVM::AtomicBinOp::_and;
  case arith::AtomicRMWKind::ori:
    return LLVM::AtomicBinOp::_or;
  case arith::AtomicRMWKind::xori:
    return LLVM::AtomicBinOp::_xor;
  case arith::AtomicRMWKind::maxs:
    return LLVM::AtomicBinOp::max;
  case arith::AtomicRMWKind::mins:
    return LLVM::AtomicBinOp::min;
  case arith::AtomicRMWKind::maxu:
    return LLVM::AtomicBinOp::umax;
  case arith::AtomicRMWKind::minu:
    return LLVM::AtomicBinOp::umin;
  case arith::AtomicRMWKind::assign:
    return LLVM::AtomicBinOp::xchg;
  default:
    llvm_unreachable("tileaa has no other kinds");
  }
}

unsigned bytesOf(Type type) {
  return std::max(1u, type.getIntOrFloatBitWidth() / 8);
}

// `access` where the mask is true, `other` elsewhere; without `other` for the effect alone.
Value whereTrue(OpBuilder &builder, Location loc, Value mask, Value other, function_ref<Value(OpBuilder &)> access) {
  if (matchPattern(mask, m_One()))
    return access(builder);
  SmallVector<Type> types;
  if (other)
    types.push_back(other.getType());
  auto choice = scf::IfOp::create(builder, loc, types, mask, /*withElseRegion=*/other != nullptr);
  OpBuilder then = choice.getThenBodyBuilder();
  Value value = access(then);
  if (!other)
    return {};
  scf::YieldOp::create(then, loc, value);
  OpBuilder otherwise = choice.getElseBodyBuilder();
  scf::YieldOp::create(otherwise, loc, other);
  return choice.getResult(0);
}

Value emit(OpBuilder &builder, PtrLoadOp load) {
  Location loc = load.getLoc();
  Type type = load.getResult().getType(), carrier = carrierOf(type);
  return whereTrue(builder, loc, load.getMask(), load.getOther(), [&](OpBuilder &then) {
    Value value = LLVM::LoadOp::create(then, loc, carrier, pointerTo(then, loc, load.getAddress()), bytesOf(carrier),
                                       /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
                                       /*isInvariantGroup=*/false, orderingOf(load.getOrdering()));
    return fromCarrier(then, loc, value, type);
  });
}

void emit(OpBuilder &builder, PtrStoreOp store) {
  Location loc = store.getLoc();
  whereTrue(builder, loc, store.getMask(), Value(), [&](OpBuilder &then) {
    Value value = toCarrier(then, loc, store.getValue());
    LLVM::StoreOp::create(then, loc, value, pointerTo(then, loc, store.getAddress()), bytesOf(value.getType()),
                          /*isVolatile=*/false,
                          /*isNonTemporal=*/false, /*isInvariantGroup=*/false, orderingOf(store.getOrdering()));
    return Value();
  });
}

// A sum of bf16. LLVM's own loop passes the old element on as a number, which makes a signaling NaN quiet; it then
// never equals what lies in memory, and the loop has no end. Here only bits are compared.
Value emitBfloatSum(OpBuilder &builder, AtomicRmwOp atomic) {
  Location loc = atomic.getLoc();
  Type type = atomic.getValue().getType(), bits = builder.getI16Type();
  LLVM::AtomicOrdering ordering = orderingOf(atomic.getOrdering());
  Value pointer = pointerTo(builder, loc, atomic.getAddress());
  Value first = LLVM::LoadOp::create(builder, loc, bits, pointer, bytesOf(bits), /*isVolatile=*/false,
                                     /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                     LLVM::AtomicOrdering::monotonic);
  auto loop = scf::WhileOp::create(
      builder, loc, bits, first,
      [&](OpBuilder &body, Location, ValueRange old) {
        Value number = arith::BitcastOp::create(body, loc, type, old.front());
        Value sum = arith::AddFOp::create(body, loc, number, atomic.getValue());
        Value stored = arith::BitcastOp::create(body, loc, bits, sum);
        Value swap = LLVM::AtomicCmpXchgOp::create(body, loc, pointer, old.front(), stored, ordering,
                                                   orderingOfFailure(ordering));
        Value isDone = LLVM::ExtractValueOp::create(body, loc, swap, 1);
        Value again = arith::XOrIOp::create(body, loc, isDone, arith::ConstantIntOp::create(body, loc, 1, 1));
        scf::ConditionOp::create(body, loc, again, LLVM::ExtractValueOp::create(body, loc, swap, 0).getResult());
      },
      [&](OpBuilder &body, Location, ValueRange seen) { scf::YieldOp::create(body, loc, seen); });
  return arith::BitcastOp::create(builder, loc, type, loop.getResult(0));
}

Value emit(OpBuilder &builder, AtomicRmwOp atomic) {
  Location loc = atomic.getLoc();
  Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(atomic.getValue().getType()));
  return whereTrue(builder, loc, atomic.getMask(), zero, [&](OpBuilder &then) -> Value {
    if (atomic.getKind() == arith::AtomicRMWKind::addf && atomic.getValue().getType().isBF16())
      return emitBfloatSum(then, atomic);
    return LLVM::AtomicRMWOp::create(then, loc, functionOf(atomic.getKind()), pointerTo(then, loc, atomic.getAddress()),
                                     atomic.getValue(), orderingOf(atomic.getOrdering()))
        .getRes();
  });
}

// By bits: floats travel as integers, so that every NaN equals itself and -0 is not 0.
Value emit(OpBuilder &builder, AtomicCasOp atomic) {
  Location loc = atomic.getLoc();
  Type type = atomic.getValue().getType(), bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  auto asBits = [&](OpBuilder &then, Value value) { return then.createOrFold<arith::BitcastOp>(loc, bits, value); };
  return whereTrue(builder, loc, atomic.getMask(), atomic.getExpected(), [&](OpBuilder &then) {
    LLVM::AtomicOrdering ordering = orderingOf(atomic.getOrdering());
    auto swap = LLVM::AtomicCmpXchgOp::create(then, loc, pointerTo(then, loc, atomic.getAddress()),
                                              asBits(then, atomic.getExpected()), asBits(then, atomic.getValue()),
                                              ordering, orderingOfFailure(ordering));
    Value old = LLVM::ExtractValueOp::create(then, loc, swap.getRes(), 0);
    return then.createOrFold<arith::BitcastOp>(loc, type, old);
  });
}

} // namespace

void cpu::emitElementAccess(Operation *op) {
  OpBuilder builder(op);
  Value result;
  if (auto load = dyn_cast<PtrLoadOp>(op))
    result = emit(builder, load);
  else if (auto store = dyn_cast<PtrStoreOp>(op))
    emit(builder, store);
  else if (auto atomic = dyn_cast<AtomicRmwOp>(op))
    result = emit(builder, atomic);
  else
    result = emit(builder, cast<AtomicCasOp>(op));
  if (result)
    op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}
