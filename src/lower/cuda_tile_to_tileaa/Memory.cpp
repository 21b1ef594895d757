// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores through views of tiles and through pointers.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

/// The ordering of an access that is not weak.
template <typename Op> static StringAttr getOrdering(Op op) {
  ct::MemoryOrderingSemantics ordering = op.getMemoryOrderingSemantics();
  if (ordering == ct::MemoryOrderingSemantics::WEAK)
    return {};
  return StringAttr::get(op.getContext(), ct::stringifyMemoryOrderingSemantics(ordering));
}

static Value makePadding(Emitter &emit, Type tile, ct::PaddingValue padding) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(tile));
  if (!element || padding == ct::PaddingValue::zero)
    return emit.constant(tile, 0);
  const llvm::fltSemantics &semantics = element.getFloatSemantics();
  switch (padding) {
  case ct::PaddingValue::neg_zero:
    return emit.constant(tile, APFloat::getZero(semantics, /*Negative=*/true));
  case ct::PaddingValue::nan:
    return emit.constant(tile, APFloat::getQNaN(semantics));
  case ct::PaddingValue::pos_inf:
    return emit.constant(tile, APFloat::getInf(semantics));
  default:
    return emit.constant(tile, APFloat::getInf(semantics, /*Negative=*/true));
  }
}

//===-- accesses ----------------------------------------------------------===//

// A plain access of a box is one of the view. Single elements are what is scattered, and what has an ordering.

static LogicalResult lowerLoadView(ct::LoadViewTkoOp op, ct::LoadViewTkoOp::Adaptor operands, Emitter &emit) {
  auto viewType = cast<ct::TileView>(op.getView().getType());
  ct::PaddingValueAttr padding = viewType.getPaddingValue();
  Type tile = emit.resultType(0), token = emit.resultType(1);
  StringAttr ordering = getOrdering(op);
  Operation *load;
  if (ordering || isa<ct::GatherScatterViewType>(viewType)) {
    Elements elements = makeElements(emit, viewType, operands.getView(), operands.getIndex(), op.getInbounds());
    Value other = padding && elements.mask ? makePadding(emit, tile, padding.getValue()) : Value();
    load = emit.create<aa::LoadPtrOp>(tile, token, elements.addresses, elements.mask, other, operands.getToken(),
                                      ordering);
  } else {
    Box box = makeBox(emit, viewType, operands.getIndex(), op.getInbounds());
    StringAttr name =
        padding ? emit.rewriter.getStringAttr(ct::stringifyPaddingValue(padding.getValue())) : StringAttr();
    load = emit.create<aa::LoadViewOp>(tile, token, operands.getView(), box.offsets, operands.getToken(), box.dimMap,
                                       name, box.inbounds);
  }
  keepHints(op.getOptimizationHints(), load);
  return emit.replace(load->getResults());
}

static LogicalResult lowerStoreView(ct::StoreViewTkoOp op, ct::StoreViewTkoOp::Adaptor operands, Emitter &emit) {
  auto viewType = cast<ct::TileView>(op.getView().getType());
  Type token = emit.resultType();
  StringAttr ordering = getOrdering(op);
  Operation *store;
  if (ordering || isa<ct::GatherScatterViewType>(viewType)) {
    Elements elements = makeElements(emit, viewType, operands.getView(), operands.getIndex(), op.getInbounds());
    store = emit.create<aa::StorePtrOp>(token, elements.addresses, operands.getTile(), elements.mask,
                                        operands.getToken(), ordering);
  } else {
    Box box = makeBox(emit, viewType, operands.getIndex(), op.getInbounds());
    store = emit.create<aa::StoreViewOp>(token, operands.getTile(), operands.getView(), box.offsets,
                                         operands.getToken(), box.dimMap, box.inbounds);
  }
  keepHints(op.getOptimizationHints(), store);
  return emit.replace(store->getResults());
}

static LogicalResult lowerLoadPtr(ct::LoadPtrTkoOp op, ct::LoadPtrTkoOp::Adaptor operands, Emitter &emit) {
  auto load =
      emit.create<aa::LoadPtrOp>(emit.resultType(0), emit.resultType(1), operands.getSource(), operands.getMask(),
                                 operands.getPaddingValue(), operands.getToken(), getOrdering(op));
  keepHints(op.getOptimizationHints(), load);
  return emit.replace(load->getResults());
}

static LogicalResult lowerStorePtr(ct::StorePtrTkoOp op, ct::StorePtrTkoOp::Adaptor operands, Emitter &emit) {
  auto store = emit.create<aa::StorePtrOp>(emit.resultType(), operands.getDestination(), operands.getValue(),
                                           operands.getMask(), operands.getToken(), getOrdering(op));
  keepHints(op.getOptimizationHints(), store);
  return emit.replace(store->getResults());
}

/// A pointer counts bytes here, elements there.
static LogicalResult lowerOffset(ct::OffsetOp op, ct::OffsetOp::Adaptor operands, Emitter &emit) {
  Type pointee = cast<ct::PtrType>(cast<ct::TileType>(op.getPtr().getType()).getElementType()).getPointee();
  Value offset = operands.getOffset();
  Type type = emit.resultType();
  if (ct::getElementBitWidth(pointee) > 1 && ct::getElementBitWidth(pointee) < 8)
    return emit.refuse(" of elements narrower than a byte");
  if (offset.getType() != type)
    offset = emit.make<arith::ExtSIOp>(type, offset);
  if (int64_t size = getByteSize(pointee); size != 1)
    offset = emit.make<arith::MulIOp>(offset, emit.constant(type, size));
  return emit.replace(emit.make<arith::AddIOp>(operands.getPtr(), offset));
}

void tilewright::populateMemory(Lowerings &lowerings) {
  lowerings.add<ct::LoadViewTkoOp>(lowerLoadView);
  lowerings.add<ct::StoreViewTkoOp>(lowerStoreView);
  lowerings.add<ct::LoadPtrTkoOp>(lowerLoadPtr);
  lowerings.add<ct::StorePtrTkoOp>(lowerStorePtr);
  lowerings.add<ct::OffsetOp>(lowerOffset);
}
