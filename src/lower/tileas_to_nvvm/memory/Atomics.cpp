// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics and accesses with an ordering: one element at a time, each once. Places that hold copies get what the others
// found in later operations (tileas-legalize-atomics).
//
// The only scope is that of the machine, LLVM's own.
#include "lower/tileas_to_nvvm/memory/AtomicInstruction.h"
#include "lower/tileas_to_nvvm/memory/MemoryPatterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;

namespace {

using Ordering = LLVM::AtomicOrdering;

Ordering orderingOf(tileaa::Ordering ordering) {
  switch (ordering) {
  case tileaa::Ordering::Relaxed:
    return Ordering::monotonic;
  case tileaa::Ordering::Acquire:
    return Ordering::acquire;
  case tileaa::Ordering::Release:
    return Ordering::release;
  case tileaa::Ordering::AcqRel:
    return Ordering::acq_rel;
  }
  llvm_unreachable("all orderings are listed");
}

// The ordering of a compare and swap that does not swap: it has read, and released nothing.
Ordering orderingOfFailure(Ordering ordering) {
  bool acquires = ordering == Ordering::acquire || ordering == Ordering::acq_rel;
  return acquires ? Ordering::acquire : Ordering::monotonic;
}

// The integer that an element is in memory.
IntegerType bitsOf(Type element) {
  return IntegerType::get(element.getContext(), bytesOf(element) * 8);
}
Value toBits(Value value, ThreadBuilder &thread) {
  Type bits = bitsOf(value.getType());
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(thread.builder, thread.loc, bits, value);
  return thread.builder.createOrFold<arith::BitcastOp>(thread.loc, bits, value);
}
Value fromBits(Value bits, Type element, ThreadBuilder &thread) {
  if (element.isInteger(1))
    return arith::TruncIOp::create(thread.builder, thread.loc, element, bits);
  return thread.builder.createOrFold<arith::BitcastOp>(thread.loc, element, bits);
}

// Does `access` for each element of a tile in one thread, where the mask is true. The registers are what it gives, and
// elsewhere `otherwise`; none unless the result is used.
SmallVector<Value> forEachElement(Type type, ValueRange mask, bool isUsed, function_ref<Value(unsigned)> otherwise,
                                  ThreadBuilder &thread, function_ref<Value(unsigned)> access) {
  OpBuilder &b = thread.builder;
  auto tile = dyn_cast<RankedTensorType>(type);
  unsigned count = registerCount(type);
  uint64_t copies = tile ? tileas::layoutOf(tile).redundantBits(Dim::Register) : 0;
  Value original = thread.isOriginal(type);
  SmallVector<Value> registers(count);
  for (unsigned reg = 0; reg != count; ++reg) {
    if (reg & copies)
      continue;
    Value condition = thread.both(original, elementOf(mask, reg));
    if (!condition) {
      registers[reg] = access(reg);
      continue;
    }
    OpBuilder::InsertionGuard guard(b);
    Value other = isUsed ? otherwise(reg) : Value();
    auto branch =
        scf::IfOp::create(b, thread.loc, isUsed ? TypeRange(other.getType()) : TypeRange(), condition, isUsed);
    b.setInsertionPointToStart(branch.thenBlock());
    Value value = access(reg);
    if (!isUsed)
      continue;
    scf::YieldOp::create(b, thread.loc, value);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, thread.loc, other);
    registers[reg] = branch.getResult(0);
  }
  if (!isUsed)
    return {};
  // A copy is that of the register whose sum of basis vectors is the same.
  if (copies) {
    const layout::LinearLayout &layout = tileas::layoutOf(tile);
    layout::F2Matrix matrix(layout.outputBits(), layout.basisOf(Dim::Register));
    for (unsigned reg = 0; reg != count; ++reg)
      registers[reg] = registers[*matrix.solve(layout.applyFlat({{Dim::Register, reg}}))];
  }
  return registers;
}

Value zeroOf(Type element, ThreadBuilder &thread) {
  return arith::ConstantOp::create(thread.builder, thread.loc, thread.builder.getZeroAttr(element));
}

struct OrderedLoadPattern : TilePattern<tileaa::LoadPtrOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::LoadPtrOp load, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (!load.getOrdering())
      return failure();
    OpBuilder &b = thread.builder;
    Type type = load.getTile().getType(), element = getElementTypeOrSelf(type);
    auto otherwise = [&](unsigned reg) {
      Value padding = elementOf(adaptor.getPadding(), reg);
      return padding ? padding : zeroOf(element, thread);
    };
    auto access = [&](unsigned reg) {
      Value pointer = thread.globalPointer(adaptor.getAddresses()[reg]);
      Value bits = LLVM::LoadOp::create(b, thread.loc, bitsOf(element), pointer, bytesOf(element),
                                        /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
                                        /*isInvariantGroup=*/false, orderingOf(*load.getOrdering()));
      return fromBits(bits, element, thread);
    };
    bool isUsed = !load.getTile().use_empty();
    return thread.replace(load, forEachElement(type, adaptor.getMask(), isUsed, otherwise, thread, access));
  }
};

struct OrderedStorePattern : TilePattern<tileaa::StorePtrOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::StorePtrOp store, Adaptor adaptor, ThreadBuilder &thread) const override {
    if (!store.getOrdering())
      return failure();
    OpBuilder &b = thread.builder;
    auto access = [&](unsigned reg) {
      Value bits = toBits(adaptor.getTile()[reg], thread);
      Value pointer = thread.globalPointer(adaptor.getAddresses()[reg]);
      LLVM::StoreOp::create(b, thread.loc, bits, pointer, bytesOf(bits.getType()),
                            /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                            orderingOf(*store.getOrdering()));
      return Value();
    };
    forEachElement(store.getTile().getType(), adaptor.getMask(), /*isUsed=*/false, nullptr, thread, access);
    return thread.replace(store);
  }
};

struct AtomicRmwPattern : TilePattern<tileaa::AtomicRmwOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::AtomicRmwOp atomic, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Type type = atomic.getValue().getType(), element = getElementTypeOrSelf(type);
    // LLVM makes a loop around a compare and swap of it.
    bool isLoop = element.isBF16() && atomic.getKind() == arith::AtomicRMWKind::addf;
    bool isInstruction = hasAtomicInstruction(atomic.getKind(), element, thread.architecture);
    if (!isInstruction && !isLoop)
      return thread.fail(atomic,
                         "no atomic combines such elements by " + arith::stringifyAtomicRMWKind(atomic.getKind()));
    bool isUsed = !atomic.getOld().use_empty();
    auto otherwise = [&](unsigned) { return zeroOf(element, thread); };
    auto access = [&](unsigned reg) -> Value {
      Value pointer = thread.globalPointer(adaptor.getAddresses()[reg]), value = adaptor.getValue()[reg];
      if (isInstruction)
        return atomicInstruction(atomic.getKind(), atomic.getOrdering(), pointer, value, isUsed, thread);
      return LLVM::AtomicRMWOp::create(b, thread.loc, LLVM::AtomicBinOp::fadd, pointer, value,
                                       orderingOf(atomic.getOrdering()));
    };
    return thread.replace(atomic, forEachElement(type, adaptor.getMask(), isUsed, otherwise, thread, access));
  }
};

// By bits: every NaN equals itself, and -0 is not 0.
struct AtomicCasPattern : TilePattern<tileaa::AtomicCasOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileaa::AtomicCasOp atomic, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Type type = atomic.getValue().getType(), element = getElementTypeOrSelf(type);
    ValueRange expected = adaptor.getExpected(), values = adaptor.getValue();
    Ordering ordering = orderingOf(atomic.getOrdering());
    auto otherwise = [&](unsigned reg) { return expected[reg]; };
    auto access = [&](unsigned reg) {
      Value pointer = thread.globalPointer(adaptor.getAddresses()[reg]);
      Value compared = toBits(expected[reg], thread), stored = toBits(values[reg], thread);
      auto swap = LLVM::AtomicCmpXchgOp::create(b, thread.loc, pointer, compared, stored, ordering,
                                                orderingOfFailure(ordering));
      return fromBits(LLVM::ExtractValueOp::create(b, thread.loc, swap.getRes(), 0), element, thread);
    };
    bool isUsed = !atomic.getOld().use_empty();
    return thread.replace(atomic, forEachElement(type, adaptor.getMask(), isUsed, otherwise, thread, access));
  }
};

} // namespace

void tilewright::populateAtomicPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<OrderedLoadPattern, OrderedStorePattern, AtomicRmwPattern, AtomicCasPattern>(kernel);
}
