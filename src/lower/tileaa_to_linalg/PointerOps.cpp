// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accesses through tiles of pointers are loops over their elements, which compute addresses, masks and values.
#include "cpu/ir/Cpu.h"
#include "lower/tileaa_to_linalg/Lowerings.h"

using namespace mlir;
using namespace tilewright;

namespace {

void replaceToken(OpBuilder &builder, Operation *op, Value token) {
  token.replaceAllUsesWith(tileaa::MakeTokenOp::create(builder, op->getLoc()).getResult());
  op->erase();
}

// The access for each element of `shape`, a tile or a scalar, in a loop of its own. Its value, if it has one, replaces
// `result`.
void lowerAccess(Materializer &memory, Operation *op, Type shape, ArrayRef<Value> tiles, Value result, Value token,
                 Materializer::Body access) {
  OpBuilder builder(op);
  auto type = dyn_cast<RankedTensorType>(shape);
  if (!type) {
    Value value = access(builder, tiles);
    if (result)
      result.replaceAllUsesWith(value);
  } else if (result && !result.use_empty()) {
    result.replaceAllUsesWith(memory.buildLoop(builder, op->getLoc(), type, tiles, access).getResult(0));
  } else if (hasEffect<MemoryEffects::Write>(op)) {
    auto effect = [&](OpBuilder &body, ValueRange elements) -> Value {
      access(body, elements);
      return arith::ConstantIntOp::create(body, op->getLoc(), 0, 1);
    };
    // Its result means nothing and is not written.
    memory.buildLoop(builder, op->getLoc(), type.clone(builder.getI1Type()), tiles, effect)
        ->setAttr(cpu::effectOnlyAttr, builder.getUnitAttr());
  }
  replaceToken(builder, op, token);
}

// The last of the elements where the op has a mask, else true.
template <typename Op> Value maskOf(OpBuilder &body, Op op, Value element) {
  return op.getMask() ? element : arith::ConstantIntOp::create(body, op.getLoc(), 1, 1).getResult();
}

} // namespace

void tilewright::lowerLoadPtr(tileaa::LoadPtrOp load, Materializer &memory) {
  Location loc = load.getLoc();
  Type type = load.getTile().getType(), element = getElementTypeOrSelf(type);
  SmallVector<Value> tiles{load.getAddresses()};
  for (Value tile : {load.getPadding(), load.getMask()})
    if (tile)
      tiles.push_back(tile);
  lowerAccess(memory, load, type, tiles, load.getTile(), load.getResultToken(), [&](OpBuilder &body, ValueRange args) {
    Value other =
        load.getPadding() ? args[1] : arith::ConstantOp::create(body, loc, body.getZeroAttr(element)).getResult();
    return cpu::PtrLoadOp::create(body, loc, element, args[0], maskOf(body, load, args.back()), other,
                                  load.getOrderingAttr())
        .getResult();
  });
}

void tilewright::lowerStorePtr(tileaa::StorePtrOp store, Materializer &memory) {
  Location loc = store.getLoc();
  SmallVector<Value> tiles{store.getAddresses(), store.getTile()};
  if (store.getMask())
    tiles.push_back(store.getMask());
  lowerAccess(memory, store, store.getTile().getType(), tiles, Value(), store.getResultToken(),
              [&](OpBuilder &body, ValueRange args) {
                cpu::PtrStoreOp::create(body, loc, args[1], args[0], maskOf(body, store, args.back()),
                                        store.getOrderingAttr());
                return Value();
              });
}

void tilewright::lowerAtomicRmw(tileaa::AtomicRmwOp atomic, Materializer &memory) {
  Location loc = atomic.getLoc();
  SmallVector<Value> tiles{atomic.getAddresses(), atomic.getValue()};
  if (atomic.getMask())
    tiles.push_back(atomic.getMask());
  lowerAccess(memory, atomic, atomic.getValue().getType(), tiles, atomic.getOld(), atomic.getResultToken(),
              [&](OpBuilder &body, ValueRange args) {
                return cpu::AtomicRmwOp::create(body, loc, args[1].getType(), atomic.getKind(), atomic.getOrdering(),
                                                args[0], args[1], maskOf(body, atomic, args.back()))
                    .getResult();
              });
}

void tilewright::lowerAtomicCas(tileaa::AtomicCasOp atomic, Materializer &memory) {
  Location loc = atomic.getLoc();
  SmallVector<Value> tiles{atomic.getAddresses(), atomic.getExpected(), atomic.getValue()};
  if (atomic.getMask())
    tiles.push_back(atomic.getMask());
  lowerAccess(memory, atomic, atomic.getValue().getType(), tiles, atomic.getOld(), atomic.getResultToken(),
              [&](OpBuilder &body, ValueRange args) {
                return cpu::AtomicCasOp::create(body, loc, args[1].getType(), atomic.getOrdering(), args[0], args[1],
                                                args[2], maskOf(body, atomic, args.back()))
                    .getResult();
              });
}
