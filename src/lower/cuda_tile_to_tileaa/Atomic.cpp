// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomics, of pointers and of views; and those of multicast memory, which on one device is memory like any other.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;
using Kind = arith::AtomicRMWKind;
using Reduction = ct::MultimemReductionKind;

static Kind getKind(ct::AtomicRMWMode mode) {
  switch (mode) {
  case ct::AtomicRMWMode::AND:
    return Kind::andi;
  case ct::AtomicRMWMode::OR:
    return Kind::ori;
  case ct::AtomicRMWMode::XOR:
    return Kind::xori;
  case ct::AtomicRMWMode::ADD:
    return Kind::addi;
  case ct::AtomicRMWMode::ADDF:
    return Kind::addf;
  case ct::AtomicRMWMode::MAX:
    return Kind::maxs;
  case ct::AtomicRMWMode::MIN:
    return Kind::mins;
  case ct::AtomicRMWMode::UMAX:
    return Kind::maxu;
  case ct::AtomicRMWMode::UMIN:
    return Kind::minu;
  case ct::AtomicRMWMode::XCHG:
    return Kind::assign;
  }
  llvm_unreachable("all modes are listed");
}

static Kind getKind(Reduction reduction, bool isFloat) {
  switch (reduction) {
  case Reduction::ADD:
    return isFloat ? Kind::addf : Kind::addi;
  case Reduction::MIN:
    return Kind::mins;
  case Reduction::MAX:
    return Kind::maxs;
  case Reduction::AND:
    return Kind::andi;
  case Reduction::OR:
    return Kind::ori;
  case Reduction::XOR:
    return Kind::xori;
  case Reduction::UMIN:
    return Kind::minu;
  case Reduction::UMAX:
    return Kind::maxu;
  }
  llvm_unreachable("all reductions are listed");
}

template <typename Op> static aa::Ordering getOrdering(Op op) {
  return *aa::symbolizeOrdering(ct::stringifyMemoryOrderingSemantics(op.getMemoryOrderingSemantics()));
}

static LogicalResult lowerRmw(ct::AtomicRMWTkoOp op, ct::AtomicRMWTkoOp::Adaptor operands, Emitter &emit) {
  auto atomic = emit.create<aa::AtomicRmwOp>(emit.resultType(0), emit.resultType(1), getKind(op.getMode()),
                                             operands.getPointers(), operands.getArg(), operands.getMask(),
                                             operands.getToken(), getOrdering(op));
  return emit.replace(atomic->getResults());
}

static LogicalResult lowerCas(ct::AtomicCASTkoOp op, ct::AtomicCASTkoOp::Adaptor operands, Emitter &emit) {
  auto atomic =
      emit.create<aa::AtomicCasOp>(emit.resultType(0), emit.resultType(1), operands.getPointers(), operands.getCmp(),
                                   operands.getVal(), operands.getMask(), operands.getToken(), getOrdering(op));
  return emit.replace(atomic->getResults());
}

/// Combines a tile with one of a view.
template <typename Op>
static LogicalResult lowerReduceView(Op op, typename Op::Adaptor operands, Emitter &emit, Value tile, Kind kind) {
  Elements elements =
      makeElements(emit, op.getView().getType(), operands.getView(), operands.getIndex(), op.getInbounds());
  auto atomic = emit.create<aa::AtomicRmwOp>(tile.getType(), emit.resultType(), kind, elements.addresses, tile,
                                             elements.mask, operands.getToken(), getOrdering(op));
  return emit.replace(atomic.getResultToken());
}

void tilewright::populateAtomic(Lowerings &lowerings) {
  lowerings.add<ct::AtomicRMWTkoOp>(lowerRmw);
  lowerings.add<ct::AtomicCASTkoOp>(lowerCas);
  lowerings.add<ct::AtomicRedViewTkoOp>(
      [](ct::AtomicRedViewTkoOp op, ct::AtomicRedViewTkoOp::Adaptor operands, Emitter &emit) {
        return lowerReduceView(op, operands, emit, operands.getValue(), getKind(op.getMode()));
      });
  lowerings.add<ct::MultimemReduceViewTkoOp>(
      [](ct::MultimemReduceViewTkoOp op, ct::MultimemReduceViewTkoOp::Adaptor operands, Emitter &emit) {
        bool isFloat = isa<FloatType>(getElementTypeOrSelf(operands.getTile().getType()));
        return lowerReduceView(op, operands, emit, operands.getTile(), getKind(op.getReduction(), isFloat));
      });
}
