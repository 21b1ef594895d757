// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores through views of tiles and through pointers.
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "tileaa/ir/Numbers.h"

using namespace mlir;
using namespace tilewright;

/// The ordering of an access that is not weak.
template <typename Op> static aa::OrderingAttr getOrdering(Op op) {
  ct::MemoryOrderingSemantics ordering = op.getMemoryOrderingSemantics();
  if (ordering == ct::MemoryOrderingSemantics::WEAK)
    return {};
  return aa::OrderingAttr::get(op.getContext(), *aa::symbolizeOrdering(ct::stringifyMemoryOrderingSemantics(ordering)));
}

// Only plain accesses have hints.
template <typename Op> static aa::HintsAttr getHints(Op op) {
  if constexpr (llvm::is_one_of<Op, ct::LoadViewTkoOp, ct::StoreViewTkoOp, ct::LoadPtrTkoOp, ct::StorePtrTkoOp>::value)
    return hintsFor(op.getOptimizationHints());
  return {};
}

static aa::Padding paddingOf(ct::TileView view) {
  return *aa::symbolizePadding(ct::stringifyPaddingValue(view.getPaddingValue().getValue()));
}

static Value makePadding(Emitter &emit, Type tile, ct::TileView view) {
  Type format = view.getTensorView().getElementType();
  return emit.constant(tile, aa::paddingOf(paddingOf(view), format));
}

//===-- halves of bytes ---------------------------------------------------===//

/// Elements of which two lie in a byte: the low half is the first of them.
static bool isPacked(ct::TileView view) {
  return isa<Float4E2M1FNType>(view.getTensorView().getElementType());
}

/// The bytes around the elements, and from each its half.
template <typename Op> static LogicalResult loadHalves(Op op, typename Op::Adaptor operands, Emitter &emit) {
  auto viewType = cast<ct::TileView>(op.getView().getType());
  Elements elements = makeElements(emit, viewType, operands.getView(), operands.getIndex(), op.getInbounds());
  auto load = emit.create<aa::LoadPtrOp>(emit.resultType(0), emit.resultType(1), elements.addresses, elements.mask,
                                         Value(), operands.getToken(), getOrdering(op), getHints(op));
  Type type = load.getTile().getType();
  Value four = emit.constant(type, 4), zero = emit.constant(type, 0);
  Value shift = emit.create<arith::SelectOp>(elements.isUpperHalf, four, zero);
  Value half = emit.create<arith::AndIOp>(emit.create<arith::ShRUIOp>(load.getTile(), shift), emit.constant(type, 15));
  if (viewType.getPaddingValue() && elements.mask)
    half = emit.create<arith::SelectOp>(elements.mask, half, makePadding(emit, type, viewType));
  return emit.replace({half, load.getResultToken()});
}

/// Of each byte first the one half is replaced, then the other: no byte is in one store twice.
template <typename Op> static LogicalResult storeHalves(Op op, typename Op::Adaptor operands, Emitter &emit) {
  auto viewType = cast<ct::TileView>(op.getView().getType());
  Elements elements = makeElements(emit, viewType, operands.getView(), operands.getIndex(), op.getInbounds());
  Type type = operands.getTile().getType(), token = emit.resultType();
  Value ordered = operands.getToken();
  for (bool upper : {false, true}) {
    Value mask = elements.isUpperHalf;
    if (!upper)
      mask = emit.create<arith::XOrIOp>(mask, emit.constant(mask.getType(), 1));
    if (elements.mask)
      mask = emit.create<arith::AndIOp>(mask, elements.mask);
    auto load = emit.create<aa::LoadPtrOp>(type, token, elements.addresses, mask, Value(), ordered, aa::OrderingAttr(),
                                           aa::HintsAttr());
    Value kept = emit.create<arith::AndIOp>(load.getTile(), emit.constant(type, upper ? 0x0F : 0xF0));
    Value half = operands.getTile();
    if (upper)
      half = emit.create<arith::ShLIOp>(half, emit.constant(type, 4));
    auto store = emit.create<aa::StorePtrOp>(token, elements.addresses, emit.create<arith::OrIOp>(kept, half), mask,
                                             load.getResultToken(), getOrdering(op), getHints(op));
    ordered = store.getResultToken();
  }
  return emit.replace(ordered);
}

//===-- accesses ----------------------------------------------------------===//

// A plain access of a box is one of the view. Single elements are what is scattered, and what has an ordering.

template <typename Op> static LogicalResult lowerLoadView(Op op, typename Op::Adaptor operands, Emitter &emit) {
  auto viewType = cast<ct::TileView>(op.getView().getType());
  if (isPacked(viewType))
    return loadHalves(op, operands, emit);
  ct::PaddingValueAttr padding = viewType.getPaddingValue();
  Type tile = emit.resultType(0), token = emit.resultType(1);
  aa::OrderingAttr ordering = getOrdering(op);
  Operation *load;
  if (ordering || isa<ct::GatherScatterViewType>(viewType)) {
    Elements elements = makeElements(emit, viewType, operands.getView(), operands.getIndex(), op.getInbounds());
    Value other = padding && elements.mask ? makePadding(emit, tile, viewType) : Value();
    load = emit.create<aa::LoadPtrOp>(tile, token, elements.addresses, elements.mask, other, operands.getToken(),
                                      ordering, getHints(op));
  } else {
    Box box = makeBox(emit, viewType, operands.getIndex(), op.getInbounds());
    auto outside = padding ? aa::PaddingAttr::get(op.getContext(), paddingOf(viewType)) : aa::PaddingAttr();
    Type format = viewType.getTensorView().getElementType();
    bool isStored = padding && aa::storageOf(format) != format;
    load =
        emit.create<aa::LoadViewOp>(tile, token, operands.getView(), box.offsets, operands.getToken(), box.dimMap,
                                    outside, box.inbounds, isStored ? TypeAttr::get(format) : TypeAttr(), getHints(op));
  }
  return emit.replace(load->getResults());
}

template <typename Op> static LogicalResult lowerStoreView(Op op, typename Op::Adaptor operands, Emitter &emit) {
  auto viewType = cast<ct::TileView>(op.getView().getType());
  if (isPacked(viewType))
    return storeHalves(op, operands, emit);
  Type token = emit.resultType();
  aa::OrderingAttr ordering = getOrdering(op);
  Operation *store;
  if (ordering || isa<ct::GatherScatterViewType>(viewType)) {
    Elements elements = makeElements(emit, viewType, operands.getView(), operands.getIndex(), op.getInbounds());
    store = emit.create<aa::StorePtrOp>(token, elements.addresses, operands.getTile(), elements.mask,
                                        operands.getToken(), ordering, getHints(op));
  } else {
    Box box = makeBox(emit, viewType, operands.getIndex(), op.getInbounds());
    store = emit.create<aa::StoreViewOp>(token, operands.getTile(), operands.getView(), box.offsets,
                                         operands.getToken(), box.dimMap, box.inbounds, getHints(op));
  }
  return emit.replace(store->getResults());
}

static LogicalResult lowerLoadPtr(ct::LoadPtrTkoOp op, ct::LoadPtrTkoOp::Adaptor operands, Emitter &emit) {
  auto load =
      emit.create<aa::LoadPtrOp>(emit.resultType(0), emit.resultType(1), operands.getSource(), operands.getMask(),
                                 operands.getPaddingValue(), operands.getToken(), getOrdering(op), getHints(op));
  return emit.replace(load->getResults());
}

static LogicalResult lowerStorePtr(ct::StorePtrTkoOp op, ct::StorePtrTkoOp::Adaptor operands, Emitter &emit) {
  auto store = emit.create<aa::StorePtrOp>(emit.resultType(), operands.getDestination(), operands.getValue(),
                                           operands.getMask(), operands.getToken(), getOrdering(op), getHints(op));
  return emit.replace(store->getResults());
}

/// A pointer counts bytes here, elements there.
static LogicalResult lowerOffset(ct::OffsetOp op, ct::OffsetOp::Adaptor operands, Emitter &emit) {
  Type pointee = cast<ct::PtrType>(cast<ct::TileType>(op.getPtr().getType()).getElementType()).getPointee();
  Value offset = operands.getOffset();
  Type type = emit.resultType();
  if (offset.getType() != type)
    offset = emit.make<arith::ExtSIOp>(type, offset);
  // Two halves are a byte; an address has no place for an odd one.
  if (ct::getElementBitWidth(pointee) == 4)
    offset = emit.make<arith::ShRSIOp>(offset, emit.constant(type, 1));
  if (int64_t size = getByteSize(pointee); size != 1)
    offset = emit.make<arith::MulIOp>(offset, emit.constant(type, size));
  return emit.replace(emit.make<arith::AddIOp>(operands.getPtr(), offset));
}

void tilewright::populateMemory(Lowerings &lowerings) {
  lowerings.add<ct::LoadViewTkoOp>(lowerLoadView<ct::LoadViewTkoOp>);
  lowerings.add<ct::StoreViewTkoOp>(lowerStoreView<ct::StoreViewTkoOp>);
  // On one device there is one copy: all of them combined are that one.
  lowerings.add<ct::MultimemLoadReduceViewTkoOp>(lowerLoadView<ct::MultimemLoadReduceViewTkoOp>);
  lowerings.add<ct::MultimemStoreViewTkoOp>(lowerStoreView<ct::MultimemStoreViewTkoOp>);
  lowerings.add<ct::LoadPtrTkoOp>(lowerLoadPtr);
  lowerings.add<ct::StorePtrTkoOp>(lowerStorePtr);
  lowerings.add<ct::OffsetOp>(lowerOffset);
}
