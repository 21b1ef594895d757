// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics and accesses with an ordering: one element at a time, each once. Places that hold copies get what the others
// found in later operations (tileas-legalize-atomics).
//
// The only scope is that of the machine, LLVM's own.
#include "lower/tileas_to_nvvm/AtomicInstruction.h"
#include "lower/tileas_to_nvvm/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;

namespace {

using Ordering = LLVM::AtomicOrdering;

Ordering orderingOf(StringRef name) {
  return llvm::StringSwitch<Ordering>(name)
      .Case("relaxed", Ordering::monotonic)
      .Case("acquire", Ordering::acquire)
      .Case("release", Ordering::release)
      .Default(Ordering::acq_rel);
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
Value toBits(Value value, TileRegisters &tiles) {
  Type bits = bitsOf(value.getType());
  if (value.getType().isInteger(1))
    return arith::ExtUIOp::create(tiles.builder, tiles.loc, bits, value);
  return tiles.builder.createOrFold<arith::BitcastOp>(tiles.loc, bits, value);
}
Value fromBits(Value bits, Type element, TileRegisters &tiles) {
  if (element.isInteger(1))
    return arith::TruncIOp::create(tiles.builder, tiles.loc, element, bits);
  return tiles.builder.createOrFold<arith::BitcastOp>(tiles.loc, element, bits);
}

// Does `access` for each element of a tile in one thread, where the mask is true; what it gives, and elsewhere
// `otherwise`, becomes the registers of `result`.
void forEachElement(Type type, Value mask, Value result, function_ref<Value(unsigned)> otherwise, TileRegisters &tiles,
                    function_ref<Value(unsigned)> access) {
  OpBuilder &b = tiles.builder;
  auto tile = dyn_cast<RankedTensorType>(type);
  unsigned count = tiles.typesOf(type).size();
  uint64_t copies = tile ? tileas::layoutOf(tile).redundantBits(Dim::Register) : 0;
  Value original = tiles.isOriginal(type);
  bool isUsed = result && !result.use_empty();
  SmallVector<Value> registers(count);
  for (unsigned reg = 0; reg != count; ++reg) {
    if (reg & copies)
      continue;
    Value condition = tiles.both(original, tiles.elementOf(mask, reg));
    if (!condition) {
      registers[reg] = access(reg);
      continue;
    }
    OpBuilder::InsertionGuard guard(b);
    Value other = isUsed ? otherwise(reg) : Value();
    auto branch = scf::IfOp::create(b, tiles.loc, isUsed ? TypeRange(other.getType()) : TypeRange(), condition, isUsed);
    b.setInsertionPointToStart(branch.thenBlock());
    Value value = access(reg);
    if (!isUsed)
      continue;
    scf::YieldOp::create(b, tiles.loc, value);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, tiles.loc, other);
    registers[reg] = branch.getResult(0);
  }
  if (!isUsed)
    return;
  // A copy is that of the register whose sum of basis vectors is the same.
  if (copies) {
    const layout::LinearLayout &layout = tileas::layoutOf(tile);
    layout::F2Matrix matrix(layout.outputBits(), layout.basisOf(Dim::Register));
    for (unsigned reg = 0; reg != count; ++reg)
      registers[reg] = registers[*matrix.solve(layout.applyFlat({{Dim::Register, reg}}))];
  }
  tiles.replace(result, registers);
}

template <typename Op> Value pointerOf(Op op, unsigned reg, TileRegisters &tiles) {
  return tiles.globalPointer(tiles.get(op.getAddresses())[reg]);
}

Value zeroOf(Type element, TileRegisters &tiles) {
  return arith::ConstantOp::create(tiles.builder, tiles.loc, tiles.builder.getZeroAttr(element));
}

} // namespace

LogicalResult tilewright::lowerOrderedLoad(tileaa::LoadPtrOp load, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Type type = load.getTile().getType(), element = getElementTypeOrSelf(type);
  auto otherwise = [&](unsigned reg) {
    Value padding = tiles.elementOf(load.getPadding(), reg);
    return padding ? padding : zeroOf(element, tiles);
  };
  forEachElement(type, load.getMask(), load.getTile(), otherwise, tiles, [&](unsigned reg) {
    Value bits = LLVM::LoadOp::create(b, tiles.loc, bitsOf(element), pointerOf(load, reg, tiles), bytesOf(element),
                                      /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/false,
                                      /*isInvariantGroup=*/false, orderingOf(*load.getOrdering()));
    return fromBits(bits, element, tiles);
  });
  return success();
}

LogicalResult tilewright::lowerOrderedStore(tileaa::StorePtrOp store, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Type type = store.getTile().getType();
  SmallVector<Value> values = tiles.get(store.getTile());
  forEachElement(type, store.getMask(), Value(), nullptr, tiles, [&](unsigned reg) {
    Value bits = toBits(values[reg], tiles);
    LLVM::StoreOp::create(b, tiles.loc, bits, pointerOf(store, reg, tiles), bytesOf(bits.getType()),
                          /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                          orderingOf(*store.getOrdering()));
    return Value();
  });
  return success();
}

LogicalResult tilewright::lowerAtomicRmw(tileaa::AtomicRmwOp atomic, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Type type = atomic.getValue().getType(), element = getElementTypeOrSelf(type);
  bool isUsed = !atomic.getOld().use_empty(), hasNone = false;
  SmallVector<Value> values = tiles.get(atomic.getValue());
  auto otherwise = [&](unsigned) { return zeroOf(element, tiles); };
  forEachElement(type, atomic.getMask(), atomic.getOld(), otherwise, tiles, [&](unsigned reg) -> Value {
    Value pointer = pointerOf(atomic, reg, tiles);
    if (Value old = atomicInstruction(atomic.getKind(), atomic.getOrdering(), pointer, values[reg], isUsed, tiles))
      return old;
    // LLVM makes a loop around a compare and swap of it.
    hasNone |= !element.isBF16() || atomic.getKind() != arith::AtomicRMWKind::addf;
    return LLVM::AtomicRMWOp::create(b, tiles.loc, LLVM::AtomicBinOp::fadd, pointer, values[reg],
                                     orderingOf(atomic.getOrdering()));
  });
  if (hasNone)
    return atomic.emitError() << "internal error: no atomic combines elements of " << element << " by "
                              << arith::stringifyAtomicRMWKind(atomic.getKind());
  return success();
}

// By bits: every NaN equals itself, and -0 is not 0.
LogicalResult tilewright::lowerAtomicCas(tileaa::AtomicCasOp atomic, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Type type = atomic.getValue().getType(), element = getElementTypeOrSelf(type);
  SmallVector<Value> expected = tiles.get(atomic.getExpected()), values = tiles.get(atomic.getValue());
  Ordering ordering = orderingOf(atomic.getOrdering());
  auto otherwise = [&](unsigned reg) { return expected[reg]; };
  forEachElement(type, atomic.getMask(), atomic.getOld(), otherwise, tiles, [&](unsigned reg) {
    auto swap = LLVM::AtomicCmpXchgOp::create(b, tiles.loc, pointerOf(atomic, reg, tiles), toBits(expected[reg], tiles),
                                              toBits(values[reg], tiles), ordering, orderingOfFailure(ordering));
    Value old = LLVM::ExtractValueOp::create(b, tiles.loc, swap.getRes(), 0);
    return fromBits(old, element, tiles);
  });
  return success();
}
