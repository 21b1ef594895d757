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
  Value pointer = access.operands[0];
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

Value loadView(OperationCall &call) {
  Access access(call, 0);
  Emitter &emitter = call.emitter;
  clang::QualType element = call.resultElement();
  cuda_tile::TileType held = withElement(call.resultType(), call.layout.memoryType(element));
  auto load = emitter.build<cuda_tile::LoadViewTkoOp>(
      held, cuda_tile::TokenType::get(emitter.builder.getContext()), buildView(access), access.indices(), Value(),
      cuda_tile::MemoryOrderingSemantics::WEAK, cuda_tile::MemoryScopeAttr(), cuda_tile::OptimizationHintsAttr(),
      access.inbounds());
  Value tile = load.getTile();
  return element->isBooleanType()
             ? emitter.compare(cuda_tile::ComparisonPredicate::NotEqual, tile, emitter.zero(held), false)
             : tile;
}

Value storeView(OperationCall &call) {
  Access access(call, 1);
  Emitter &emitter = call.emitter;
  Value tile = call.operands[0];
  if (call.resultElement()->isBooleanType())
    tile = emitter.create("exti", tile, withElement(tileTypeOf(tile), emitter.builder.getI8Type()),
                          emitter.signedness(false));
  emitter.build<cuda_tile::StoreViewTkoOp>(cuda_tile::TokenType::get(emitter.builder.getContext()), tile,
                                           buildView(access), access.indices(), Value(),
                                           cuda_tile::MemoryOrderingSemantics::WEAK, cuda_tile::MemoryScopeAttr(),
                                           cuda_tile::OptimizationHintsAttr(), access.inbounds());
  return call.operands[0];
}

const OperationRow rows[] = {{"load_view", loadView}, {"store_view", storeView}};

} // namespace

ArrayRef<OperationRow> viewOperations() {
  return rows;
}

} // namespace tilewright::cpp
