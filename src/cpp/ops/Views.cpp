// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Views of tensors. Extents and strides that are known to the compiler become part of the type.
#include "cpp/ops/Operations.h"
#include "cpp/values/Fold.h"

using namespace mlir;

namespace tilewright::cpp {

namespace {

enum Kind { Partition, Strided, Gather }; // as in views.h

/// The constants and operands of an access, as views.h says.
struct Access {
  OperationCall &call;
  ArrayRef<Value> operands; // from the pointer on
  Kind kind;
  size_t rank;
  bool isInside;
  ArrayRef<int64_t> more;

  Access(OperationCall &call, size_t first)
      : call(call), operands(ArrayRef<Value>(call.operands).drop_front(first)), kind(Kind(call.numbers[0])),
        rank(call.numbers[1]), isInside(call.numbers[2]), more(ArrayRef(call.numbers).drop_front(3)) {}

  int64_t takeNumber() {
    int64_t number = more.front();
    more = more.drop_front();
    return number;
  }
  ArrayRef<Value> indices() const { return operands.drop_front(1 + 2 * rank); }
  DenseBoolArrayAttr inbounds() const {
    SmallVector<bool> inside(isInside ? rank : 0, true);
    return call.emitter.builder.getDenseBoolArrayAttr(inside);
  }
};

// A tensor of memory's elements.
Value buildTensor(const Access &access) {
  SmallVector<Value> dynamic[2];
  SmallVector<int64_t> known[2];
  for (int part : {0, 1})
    for (Value number : access.operands.slice(1 + part * access.rank, access.rank)) {
      std::optional<llvm::APInt> constant = constantInteger(number);
      // A tensor has at least one element along each dimension that its type knows.
      bool isKnown = constant && constant->isStrictlyPositive();
      known[part].push_back(isKnown ? constant->getSExtValue() : ShapedType::kDynamic);
      if (!isKnown)
        dynamic[part].push_back(number);
    }
  Value pointer = access.call.emitter.pointersToHeld(access.operands[0], access.call.resultElement());
  Type element = cast<cuda_tile::PtrType>(tileTypeOf(pointer).getElementType()).getPointee();
  return access.call.emitter.build<cuda_tile::MakeTensorViewOp>(
      cuda_tile::TensorViewType::get(element, known[0], known[1]), pointer, dynamic[0], dynamic[1]);
}

Value buildView(const Access &access) {
  Emitter &emitter = access.call.emitter;
  Value tensor = buildTensor(access);
  auto tensorType = cast<cuda_tile::TensorViewType>(tensor.getType());
  SmallVector<int32_t> shape(access.call.resultType().getShape());
  SmallVector<int32_t> dims(llvm::to_vector(llvm::seq<int32_t>(shape.size())));
  MLIRContext *context = emitter.builder.getContext();
  cuda_tile::PaddingValueAttr padding;
  if (access.call.modifiers.padding)
    padding = cuda_tile::PaddingValueAttr::get(context, *access.call.modifiers.padding);
  switch (access.kind) {
  case Partition:
    return emitter.build<cuda_tile::MakePartitionViewOp>(
        cuda_tile::PartitionViewType::get(context, shape, tensorType, dims, padding), tensor);
  case Strided: {
    SmallVector<int32_t> strides(access.more);
    return emitter.build<cuda_tile::MakeStridedViewOp>(
        cuda_tile::StridedViewType::get(context, shape, strides, tensorType, dims, padding), tensor);
  }
  case Gather:
    return emitter.build<cuda_tile::MakeGatherScatterViewOp>(
        cuda_tile::GatherScatterViewType::get(context, shape, tensorType, access.more[0], padding), tensor);
  }
  llvm_unreachable("a kind of view");
}

AccessMode modeOf(OperationCall &call) {
  AccessMode mode;
  mode.hints = call.emitter.hints;
  if (!call.modifiers.order)
    return mode;
  mode.order = *call.modifiers.order;
  mode.scope = cuda_tile::MemoryScopeAttr::get(call.emitter.builder.getContext(), *call.modifiers.scope);
  return mode;
}

Value loadView(OperationCall &call) {
  Access access(call, 0);
  Emitter &emitter = call.emitter;
  AccessMode mode = modeOf(call);
  cuda_tile::TileType held = withElement(call.resultType(), emitter.heldElement(call.resultElement()));
  auto load = emitter.build<cuda_tile::LoadViewTkoOp>(held, cuda_tile::TokenType::get(emitter.builder.getContext()),
                                                      buildView(access), access.indices(), Value(), mode.order,
                                                      mode.scope, mode.hints, access.inbounds());
  return emitter.fromHeld(load.getTile(), call.resultElement());
}

Value storeView(OperationCall &call) {
  Access access(call, 1);
  Emitter &emitter = call.emitter;
  AccessMode mode = modeOf(call);
  emitter.build<cuda_tile::StoreViewTkoOp>(
      cuda_tile::TokenType::get(emitter.builder.getContext()), emitter.toHeld(call.operands[0], call.resultElement()),
      buildView(access), access.indices(), Value(), mode.order, mode.scope, mode.hints, access.inbounds());
  return call.operands[0];
}

// As views.h has them: of signed integers, of unsigned ones, of floats.
const cuda_tile::AtomicRMWMode changes[][3] = {
    {cuda_tile::AtomicRMWMode::ADD, cuda_tile::AtomicRMWMode::ADD, cuda_tile::AtomicRMWMode::ADDF},
    {cuda_tile::AtomicRMWMode::ADD, cuda_tile::AtomicRMWMode::ADD, cuda_tile::AtomicRMWMode::ADDF}, // of the negated
    {cuda_tile::AtomicRMWMode::AND, cuda_tile::AtomicRMWMode::AND, cuda_tile::AtomicRMWMode::AND},
    {cuda_tile::AtomicRMWMode::OR, cuda_tile::AtomicRMWMode::OR, cuda_tile::AtomicRMWMode::OR},
    {cuda_tile::AtomicRMWMode::XOR, cuda_tile::AtomicRMWMode::XOR, cuda_tile::AtomicRMWMode::XOR},
    {cuda_tile::AtomicRMWMode::MAX, cuda_tile::AtomicRMWMode::UMAX, cuda_tile::AtomicRMWMode::MAX},
    {cuda_tile::AtomicRMWMode::MIN, cuda_tile::AtomicRMWMode::UMIN, cuda_tile::AtomicRMWMode::MIN},
};

Value changeView(OperationCall &call) {
  Access access(call, 1);
  Emitter &emitter = call.emitter;
  int64_t change = access.takeNumber();
  Value value = call.operands[0];
  if (change == 1)
    value = buildElementwise(emitter, "neg", value, false);
  bool isFloat = isa<FloatType>(tileTypeOf(value).getElementType());
  emitter.build<cuda_tile::AtomicRedViewTkoOp>(cuda_tile::TokenType::get(emitter.builder.getContext()),
                                               buildView(access), access.indices(), value, Value(),
                                               cuda_tile::MemoryOrderingSemantics::RELAXED, *call.modifiers.scope,
                                               changes[change][isFloat                             ? 2
                                                               : call.layout.isSigned(call.result) ? 0
                                                                                                   : 1],
                                               access.inbounds());
  return call.operands[0];
}

const OperationRow rows[] = {{"load_view", loadView}, {"store_view", storeView}, {"change_view", changeView}};

} // namespace

ArrayRef<OperationRow> viewOperations() {
  return rows;
}

} // namespace tilewright::cpp
