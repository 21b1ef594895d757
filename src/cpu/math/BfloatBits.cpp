// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"

#include "mlir/IR/AttrTypeSubElements.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUBFLOATBITS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

/// Whether the operation only moves numbers, whatever they mean.
static bool isMove(Operation *op) {
  return isa<LLVM::LLVMFuncOp, LLVM::GlobalOp, LLVM::CallOp, LLVM::ReturnOp, LLVM::BrOp, LLVM::CondBrOp, LLVM::SelectOp,
             LLVM::LoadOp, LLVM::StoreOp, LLVM::GEPOp, LLVM::AllocaOp, LLVM::BitcastOp, LLVM::ConstantOp, LLVM::UndefOp,
             LLVM::PoisonOp, LLVM::ZeroOp, LLVM::FreezeOp, LLVM::ExtractElementOp, LLVM::InsertElementOp,
             LLVM::ShuffleVectorOp, LLVM::ExtractValueOp, LLVM::InsertValueOp, LLVM::MaskedLoadOp, LLVM::MaskedStoreOp,
             LLVM::masked_gather, LLVM::masked_scatter, LLVM::masked_expandload, LLVM::masked_compressstore,
             LLVM::vector_insert, LLVM::vector_extract>(op);
}

static Type withBits(Type type) {
  auto i16 = IntegerType::get(type.getContext(), 16);
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType().isBF16() ? vector.clone(i16) : type;
  return type.isBF16() ? i16 : type;
}

/// The operation's operands become numbers before it, by casts whose own operands are bits when all is done.
static void castOperands(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    if (withBits(operand.get().getType()) != operand.get().getType())
      operand.set(LLVM::BitcastOp::create(builder, op->getLoc(), operand.get().getType(), operand.get()));
}

/// Its results become bits after it.
static void castResults(Operation *op) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    Type bits = withBits(result.getType());
    if (bits == result.getType())
      continue;
    auto cast = LLVM::BitcastOp::create(builder, op->getLoc(), bits, result);
    result.replaceAllUsesExcept(cast, cast);
  }
}

namespace {
struct CpuBfloatBits : tilewright::impl::CpuBfloatBitsBase<CpuBfloatBits> {
  void runOnOperation() override {
    SmallVector<Operation *> moves, others;
    getOperation().walk([&](Operation *op) {
      if (op != getOperation())
        (isMove(op) ? moves : others).push_back(op);
    });
    AttrTypeReplacer replacer;
    replacer.addReplacement([](BFloat16Type type) -> Type { return withBits(type); });
    replacer.addReplacement([](FloatAttr number) -> std::optional<Attribute> {
      if (!number.getType().isBF16())
        return std::nullopt;
      return IntegerAttr::get(withBits(number.getType()), number.getValue().bitcastToAPInt());
    });
    replacer.addReplacement([](DenseElementsAttr numbers) -> std::optional<Attribute> {
      if (!numbers.getElementType().isBF16())
        return std::nullopt;
      return numbers.bitcast(IntegerType::get(numbers.getContext(), 16));
    });
    // Between, operands and results disagree: nothing looks at the operations before all are done.
    llvm::for_each(others, castOperands);
    llvm::for_each(others, castResults);
    for (Operation *op : moves)
      replacer.replaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  }
};
} // namespace
