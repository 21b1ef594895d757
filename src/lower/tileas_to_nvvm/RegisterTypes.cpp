// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/RegisterTypes.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "tileas/ir/Tileas.h"

using namespace mlir;
using namespace tilewright;

using Types = SmallVectorImpl<Type>;

RegisterTypeConverter::RegisterTypeConverter() {
  addConversion([](Type type) { return type; });
  addConversion([](RankedTensorType tile, Types &types) -> std::optional<LogicalResult> {
    types.append(registerCount(tile), tile.getElementType());
    return success();
  });
  addConversion([](tileaa::ViewType view, Types &types) -> std::optional<LogicalResult> {
    types.push_back(IntegerType::get(view.getContext(), 64));
    types.append(view.getNumDynamicDims() + view.getNumDynamicStrides(), IndexType::get(view.getContext()));
    return success();
  });
  addConversion([](tileaa::TokenType, Types &) -> std::optional<LogicalResult> { return success(); });
  addConversion([](tileas::PipelineType, Types &) -> std::optional<LogicalResult> { return success(); });
  addConversion([](tileas::PipelineStateType state, Types &types) -> std::optional<LogicalResult> {
    types.append(2, IntegerType::get(state.getContext(), 32));
    return success();
  });
  addConversion([](tileas::BufferType buffer) -> Type { return IntegerType::get(buffer.getContext(), 32); });
  addConversion([](tileas::ExchangeType exchange) -> Type { return IntegerType::get(exchange.getContext(), 32); });
  addConversion([](tileas::TmemType tmem) -> Type { return IntegerType::get(tmem.getContext(), 32); });
  addConversion([](tileas::TmaDescType desc) -> Type { return LLVM::LLVMPointerType::get(desc.getContext()); });
}

bool tilewright::isExpanded(Type type) {
  return isa<RankedTensorType, tileaa::ViewType, tileaa::TokenType, tileas::BufferType, tileas::PipelineType,
             tileas::PipelineStateType, tileas::ExchangeType, tileas::TmemType, tileas::TmaDescType>(type);
}

bool tilewright::isExpanded(Operation *op) {
  auto expanded = [](Type type) { return isExpanded(type); };
  return llvm::any_of(op->getOperandTypes(), expanded) || llvm::any_of(op->getResultTypes(), expanded);
}

int64_t tilewright::registerCount(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tileas::layoutOf(tile).inputSize(layout::Dim::Register) : 1;
}
