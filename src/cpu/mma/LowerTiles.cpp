// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "cpu/ir/Cpu.h"
#include "cpu/mma/TileModel.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace tilewright {
#define GEN_PASS_DEF_CPULOWERTILES
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

// Operations know their intrinsics, whose operands are those of the llvm dialect: later conversions of memrefs and
// indices meet these casts.
struct ToIntrinsic : OpInterfaceConversionPattern<amx::AMXIntrinsicOp> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;

  LogicalResult matchAndRewrite(amx::AMXIntrinsicOp op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const override {
    LLVMTypeConverter inLlvm(op->getContext());
    auto converted = llvm::map_to_vector(operands, [&](Value operand) -> Value {
      Type type = inLlvm.convertType(operand.getType());
      if (type == operand.getType())
        return operand;
      return UnrealizedConversionCastOp::create(rewriter, op->getLoc(), type, operand).getResult(0);
    });
    StringAttr name = rewriter.getStringAttr(op.getIntrinsicName());
    SmallVector<Value> arguments = op.getIntrinsicOperands(converted, inLlvm, rewriter);
    if (op->getNumResults() == 0)
      rewriter.replaceOp(op, LLVM::CallIntrinsicOp::create(rewriter, op->getLoc(), name, arguments));
    else
      rewriter.replaceOp(op, LLVM::CallIntrinsicOp::create(rewriter, op->getLoc(),
                                                           getTypeConverter()->convertType(op->getResult(0).getType()),
                                                           name, arguments));
    return success();
  }
};

struct CpuLowerTiles : tilewright::impl::CpuLowerTilesBase<CpuLowerTiles> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    bool isModel = Plan::of(getOperation()).mmaUnit == int64_t(MmaUnit::AmxModel);
    TypeConverter types;
    types.addConversion([](Type type) { return type; });
    types.addConversion([&](amx::TileType type) -> Type {
      if (isModel)
        return MemRefType::get(type.getShape(), type.getElementType());
      return LLVM::LLVMX86AMXType::get(context);
    });
    ConversionTarget target(*context);
    target.addIllegalDialect<amx::AMXDialect>();
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    RewritePatternSet patterns(context);
    if (isModel)
      populateTileModel(types, patterns);
    else
      patterns.add<ToIntrinsic>(types, context);
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
