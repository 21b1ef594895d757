// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/OpTable.h"
#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <set>

using namespace tilewright::cuda_tile;

TEST(OpTable, hasEveryOperationOfTheDialectOnce) {
  mlir::MLIRContext context;
  context.loadDialect<CudaTileDialect>();
  std::set<std::string> registered, listed;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("cuda_tile")) {
    registered.insert(name.stripDialect().str());
  }
  for (const OpRecord &record : getOpRecords()) {
    EXPECT_TRUE(listed.insert(record.mnemonic.str()).second) << record.mnemonic.str();
  }
  EXPECT_EQ(registered, listed);
}

TEST(OpTable, opcodesAreUniqueAndFindTheirRecord) {
  for (const OpRecord &record : getOpRecords()) {
    EXPECT_EQ(lookupOpByOpcode(record.opcode), &record) << record.mnemonic.str();
  }
  EXPECT_EQ(lookupOpByOpcode(25), nullptr);
}

TEST(OpTable, knowsVersions) {
  EXPECT_EQ(lookupOpByOpcode(0x2)->mnemonic, "addf");
  EXPECT_EQ(lookupOpByOpcode(0x2)->since, "13.1");
  EXPECT_EQ(lookupOpByOpcode(0x72)->since, "13.3");
}
