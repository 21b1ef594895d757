// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules that the text form of an attribute cannot break, but a program that builds one can.
#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

TEST(DivByAttr, refusesEveryWithoutAlong) {
  MLIRContext context;
  context.loadDialect<CudaTileDialect>();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  EXPECT_TRUE(failed(DivByAttr::verify(emitError, 4, 2, std::nullopt)));
  EXPECT_EQ(message, "expected 'every' and 'along' together, got 'every' alone");
  EXPECT_TRUE(failed(DivByAttr::verify(emitError, 4, std::nullopt, 0)));
  EXPECT_EQ(message, "expected 'every' and 'along' together, got 'along' alone");
  EXPECT_TRUE(succeeded(DivByAttr::verify(emitError, 4, 2, 0)));
}

TEST(OptimizationHintsAttr, refusesWhatIsNoDictionary) {
  MLIRContext context;
  context.loadDialect<CudaTileDialect>();
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) { message = diagnostic.str(); });
  Builder builder(&context);
  DictionaryAttr hints = builder.getDictionaryAttr(builder.getNamedAttr("sm_90", builder.getI64IntegerAttr(1)));
  EXPECT_TRUE(failed(OptimizationHintsAttr::verify([&] { return mlir::emitError(UnknownLoc::get(&context)); }, hints)));
  EXPECT_EQ(message, "expected a dictionary of hints for 'sm_90', got 1 : i64");
}
