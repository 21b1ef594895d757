// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads and stores through views of tiles and through pointers.
#include "lower/cuda_tile_to_tileaa/Lowering.h"

using namespace mlir;
using namespace tilewright;

static int64_t getByteSize(Type element) {
  return std::max<int64_t>(1, ct::getElementBitWidth(element) / 8);
}

/// Only weak accesses are plain loads and stores.
template <typename Op> static bool isOrdered(Op op) {
  return op.getMemoryOrderingSemantics() != ct::MemoryOrderingSemantics::WEAK;
}
template <typename Op> static LogicalResult refuseOrdering(Op op, Emitter &emit) {
  return emit.refuse(" with ordering '" + ct::stringifyMemoryOrderingSemantics(op.getMemoryOrderingSemantics()) + "'");
}

//===-- partition and strided views ---------------------------------------===//

namespace {
/// A tile of a view: where it begins and how it lies.
struct Box {
  SmallVector<Value> offsets; // per dimension of the tensor
  SmallVector<int64_t> dimMap;
  DenseBoolArrayAttr inbounds; // per dimension of the tensor
};
} // namespace

static Box makeBox(Emitter &emit, Type viewType, ValueRange indices, ArrayRef<bool> inbounds) {
  SmallVector<int64_t> steps;
  Box box;
  if (auto partition = dyn_cast<ct::PartitionViewType>(viewType)) {
    llvm::append_range(steps, partition.getTileShape());
    llvm::append_range(box.dimMap, partition.getDimMap());
  } else {
    auto strided = cast<ct::StridedViewType>(viewType);
    llvm::append_range(steps, strided.getTraversalStrides());
    llvm::append_range(box.dimMap, strided.getDimMap());
  }
  box.offsets.resize(steps.size());
  SmallVector<bool> promised(steps.size(), false);
  for (auto [i, index] : llvm::enumerate(indices)) {
    box.offsets[box.dimMap[i]] = emit.make<arith::MulIOp>(emit.toIndex(index), emit.index(steps[i]));
    promised[box.dimMap[i]] = i < inbounds.size() && inbounds[i];
  }
  if (llvm::is_contained(promised, true))
    box.inbounds = emit.rewriter.getDenseBoolArrayAttr(promised);
  return box;
}

//===-- gather/scatter views ----------------------------------------------===//

/// Addresses of the elements of a gathered tile, and which of them lie in the tensor. The view has to be made in
/// sight, since its base and strides are needed.
static bool makeGather(Emitter &emit, ct::GatherScatterViewType type, Value view, ValueRange indices,
                       ArrayRef<bool> inbounds, Value &addresses, Value &mask) {
  auto made = view.getDefiningOp<aa::MakeViewOp>();
  if (!made)
    return false;
  aa::ViewType tensor = made.getResult().getType();
  Builder &builder = emit.rewriter;
  SmallVector<int64_t> shape(type.getTileShape());
  auto i64 = builder.getI64Type();
  auto tile = RankedTensorType::get(shape, i64);
  ValueRange dynamicShape = made.getDynamicShape(), dynamicStrides = made.getDynamicStrides();
  auto take = [&](int64_t known, ValueRange &dynamic) -> Value {
    if (!ShapedType::isDynamic(known))
      return emit.constant(i64, known);
    Value value = emit.make<arith::IndexCastOp>(i64, dynamic.front());
    dynamic = dynamic.drop_front();
    return value;
  };
  // A row of coordinates or flags along one dimension, repeated along the others.
  auto spread = [&](Value row, size_t dim) -> Value {
    Type element = getElementTypeOrSelf(row.getType());
    SmallVector<int64_t> line(shape.size(), 1);
    line[dim] = shape[dim];
    Value reshaped = emit.make<aa::ReshapeOp>(RankedTensorType::get(line, element), row);
    return emit.make<aa::BroadcastOp>(RankedTensorType::get(shape, element), reshaped);
  };
  addresses = emit.splat(made.getBase(), tile);
  mask = nullptr;
  for (auto [dim, index] : llvm::enumerate(indices)) {
    auto row = RankedTensorType::get({shape[dim]}, i64);
    auto widen = [&](Value value) -> Value {
      Type wide = withElementType(value.getType(), i64);
      return value.getType() == wide ? value : emit.make<arith::ExtSIOp>(wide, value);
    };
    Value coordinates = widen(index);
    if (!isa<RankedTensorType>(coordinates.getType()))
      coordinates = emit.create<arith::AddIOp>(emit.splat(coordinates, row), emit.create<aa::IotaOp>(row));
    Value extent = take(tensor.getShape()[dim], dynamicShape);
    Value stride = take(tensor.getStrides()[dim], dynamicStrides);
    if (dim >= inbounds.size() || !inbounds[dim]) {
      // Unsigned, so that a negative coordinate is outside too.
      Value isInside = emit.create<arith::CmpIOp>(arith::CmpIPredicate::ult, coordinates, emit.splat(extent, row));
      Value flags = spread(isInside, dim);
      mask = mask ? emit.create<arith::AndIOp>(mask, flags) : flags;
    }
    Value bytes =
        emit.make<arith::MulIOp>(stride, emit.constant(i64, getByteSize(type.getTensorView().getElementType())));
    Value distances = emit.create<arith::MulIOp>(coordinates, emit.splat(bytes, row));
    addresses = emit.create<arith::AddIOp>(addresses, spread(distances, dim));
  }
  return true;
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

static LogicalResult lowerLoadView(ct::LoadViewTkoOp op, ct::LoadViewTkoOp::Adaptor operands, Emitter &emit) {
  if (isOrdered(op))
    return refuseOrdering(op, emit);
  auto viewType = cast<ct::TileView>(op.getView().getType());
  ct::PaddingValueAttr padding = viewType.getPaddingValue();
  Type tile = emit.resultType(0), token = emit.resultType(1);
  Operation *load;
  if (auto gather = dyn_cast<ct::GatherScatterViewType>(op.getView().getType())) {
    Value addresses, mask;
    if (!makeGather(emit, gather, operands.getView(), operands.getIndex(), op.getInbounds(), addresses, mask))
      return emit.refuse(" of a gather/scatter view that a loop or branch passes on");
    Value other = padding && mask ? makePadding(emit, tile, padding.getValue()) : Value();
    load = emit.create<aa::LoadPtrOp>(tile, token, addresses, mask, other, operands.getToken());
  } else {
    Box box = makeBox(emit, op.getView().getType(), operands.getIndex(), op.getInbounds());
    StringAttr name =
        padding ? emit.rewriter.getStringAttr(ct::stringifyPaddingValue(padding.getValue())) : StringAttr();
    load = emit.create<aa::LoadViewOp>(tile, token, operands.getView(), box.offsets, operands.getToken(), box.dimMap,
                                       name, box.inbounds);
  }
  keepHints(op.getOptimizationHints(), load);
  return emit.replace(load->getResults());
}

static LogicalResult lowerStoreView(ct::StoreViewTkoOp op, ct::StoreViewTkoOp::Adaptor operands, Emitter &emit) {
  if (isOrdered(op))
    return refuseOrdering(op, emit);
  Type token = emit.resultType();
  Operation *store;
  if (auto scatter = dyn_cast<ct::GatherScatterViewType>(op.getView().getType())) {
    Value addresses, mask;
    if (!makeGather(emit, scatter, operands.getView(), operands.getIndex(), op.getInbounds(), addresses, mask))
      return emit.refuse(" of a gather/scatter view that a loop or branch passes on");
    store = emit.create<aa::StorePtrOp>(token, addresses, operands.getTile(), mask, operands.getToken());
  } else {
    Box box = makeBox(emit, op.getView().getType(), operands.getIndex(), op.getInbounds());
    store = emit.create<aa::StoreViewOp>(token, operands.getTile(), operands.getView(), box.offsets,
                                         operands.getToken(), box.dimMap, box.inbounds);
  }
  keepHints(op.getOptimizationHints(), store);
  return emit.replace(store->getResults());
}

static LogicalResult lowerLoadPtr(ct::LoadPtrTkoOp op, ct::LoadPtrTkoOp::Adaptor operands, Emitter &emit) {
  if (isOrdered(op))
    return refuseOrdering(op, emit);
  auto load = emit.create<aa::LoadPtrOp>(emit.resultType(0), emit.resultType(1), operands.getSource(),
                                         operands.getMask(), operands.getPaddingValue(), operands.getToken());
  keepHints(op.getOptimizationHints(), load);
  return emit.replace(load->getResults());
}

static LogicalResult lowerStorePtr(ct::StorePtrTkoOp op, ct::StorePtrTkoOp::Adaptor operands, Emitter &emit) {
  if (isOrdered(op))
    return refuseOrdering(op, emit);
  auto store = emit.create<aa::StorePtrOp>(emit.resultType(), operands.getDestination(), operands.getValue(),
                                           operands.getMask(), operands.getToken());
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
