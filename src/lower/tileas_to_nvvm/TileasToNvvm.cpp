// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: a dialect conversion of one function after another, whose type converter gives a tile its registers.
//
// Patterns are not rolled back (`allowPatternRollback`): the changes of a pattern are in the IR at once. This
// takes less time and memory, and scalars keep their definitions, which `tileaa::knownDivisor` looks at. So a pattern
// that does not match must not have built anything, and a failure leaves IR that is half converted.
#include "lower/tileas_to_nvvm/TileasToNvvm.h"
#include "lower/tileas_to_nvvm/Patterns.h"
#include "lower/tileas_to_nvvm/async/TensorMapTable.h"
#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"
#include "lower/tileas_to_nvvm/memory/OwnMemory.h"
#include "machine/Architecture.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASTONVVM
#include "lower/tileas_to_nvvm/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

bool isOfTiles(Operation *op) {
  return isa<tileaa::TileaaDialect, tileas::TileasDialect>(op->getDialect());
}

// Scalar functions are left for nvidia-scalar-instructions, and divisors are asked for until the end.
bool isLegalOfTiles(Operation *op) {
  return !isExpanded(op) && (isa<tileaa::AssumeDivByOp>(op) || op->hasTrait<OpTrait::Elementwise>());
}

void addLegality(ConversionTarget &target, const RegisterTypeConverter &types) {
  target.markUnknownOpDynamicallyLegal(
      [](Operation *op) { return isOfTiles(op) ? isLegalOfTiles(op) : !isExpanded(op); });
  target.addDynamicallyLegalOp<func::FuncOp>(
      [&](func::FuncOp function) { return types.isSignatureLegal(function.getFunctionType()); });
}

LogicalResult convert(func::FuncOp function, const nvidia::Architecture &architecture, PrintChannel channel) {
  MLIRContext *context = function.getContext();
  KernelContext kernel(function, architecture, channel);
  RewritePatternSet patterns(context);
  ConversionTarget target(*context);
  addLegality(target, kernel.types);
  populateAsyncPatterns(patterns, kernel);
  populateMmaPatterns(patterns, kernel);
  populateMemoryPatterns(patterns, kernel);
  populateShapePatterns(patterns, kernel);
  populateScalarPatterns(patterns, kernel);
  scf::populateSCFStructuralTypeConversionsAndLegality(kernel.types, patterns, target);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, kernel.types);

  ConversionConfig config;
  config.allowPatternRollback = false;
  // Registers are folded together, behind this pass.
  config.foldingMode = DialectConversionFoldingMode::Never;
  // The driver says which operation has no pattern that matches; the pattern knows why.
  std::optional<Location> where;
  std::string what;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error || where)
        return failure(diagnostic.getSeverity() != DiagnosticSeverity::Error);
      where = diagnostic.getLocation();
      what = diagnostic.str();
      return success();
    });
    if (succeeded(applyFullConversion(function, target, std::move(patterns), config)))
      return success();
  }
  auto error = emitError(where.value_or(function.getLoc())) << "internal error: " << what;
  if (!kernel.failure.empty())
    error << ": " << kernel.failure;
  return error;
}

class TileasToNvvm : public tilewright::impl::TileasToNvvmBase<TileasToNvvm> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    const nvidia::Architecture *architecture = tileas::architectureOf(getOperation());
    if (!architecture)
      return signalPassFailure();
    addMemories(module);
    addTensorMaps(module);
    // Where the launcher reads no host buffer the driver's vprintf prints.
    PrintChannel channel =
        tileas::targetOf(module).isPortable() ? PrintChannel::HostBufferOrDriver : PrintChannel::HostBuffer;
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      if (!tileas::expectCta(function))
        return signalPassFailure();
      markTensorMaps(function);
      if (failed(convert(function, *architecture, channel)))
        return signalPassFailure();
    }
    lowerGlobals(module);
    module.walk([](tileaa::AssumeDivByOp assume) {
      assume.replaceAllUsesWith(assume.getValue());
      assume.erase();
    });
  }

private:
  // Tensor maps are passed by value, and read where the launch put them.
  static void markTensorMaps(func::FuncOp function) {
    Builder builder(function.getContext());
    auto map = LLVM::LLVMArrayType::get(builder.getI8Type(), tileas::tmaDescBytes);
    for (auto [number, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<tileas::TmaDescType>(type)) {
        function.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(map));
        function.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(64));
      }
  }
  static void addMemories(ModuleOp module) {
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    auto add = [&](StringRef name, int64_t bytes, unsigned space, LLVM::Linkage linkage, Attribute value,
                   unsigned alignment, bool constant) {
      LLVM::GlobalOp::create(builder, module.getLoc(), LLVM::LLVMArrayType::get(builder.getI8Type(), bytes), constant,
                             linkage, name, value, alignment, space);
    };
    add(sharedMemoryName, 0, 3, LLVM::Linkage::External, {}, 1024, false);
    add(zerosName, 16, 1, LLVM::Linkage::Internal, builder.getStringAttr(std::string(16, '\0')), 16, true);
  }
};

} // namespace
