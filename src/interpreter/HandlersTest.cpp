// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Handlers.h"

#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <set>

using namespace tilewright;
using namespace tilewright::interpreter;

TEST(Handlers, everyOperationOfTheDialectHasOne) {
  mlir::MLIRContext context;
  context.loadDialect<cuda_tile::CudaTileDialect>();
  std::set<std::string> without;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("cuda_tile"))
    if (!handlers().find(name))
      without.insert(name.stripDialect().str());
  // Operations that contain others and are not executed.
  EXPECT_EQ(without, (std::set<std::string>{"entry", "global", "module"}));
}
