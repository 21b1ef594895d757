// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Interpreter.h"

#include "interpreter/Context.h"

#include "interpreter/Monitor.h"
#include "mlir/IR/MLIRContext.h"
#include "support/ModuleText.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::interpreter;

namespace {

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest() { context.loadDialect<cuda_tile::CudaTileDialect>(); }

  Interpreter parse(llvm::StringRef text) {
    module = parseModuleText(llvm::MemoryBufferRef(text, "test"), &context);
    EXPECT_TRUE(module);
    return Interpreter(*module->getOps<cuda_tile::ModuleOp>().begin());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(InterpreterTest, StopsAtTheStepLimit) {
  Interpreter endless = parse(R"(cuda_tile.module @m { entry @main() { loop { continue } return } })");
  Options options;
  options.stepLimit = 100;
  auto result = endless.launch("main", {1, 1, 1}, {}, options);
  ASSERT_FALSE(result);
  llvm::StringRef message = "test:1:46: error: the launch has executed 100 operations, the limit it was given";
  EXPECT_EQ(llvm::toString(result.takeError()).substr(0, message.size()), message.str());
}

TEST_F(InterpreterTest, NamesArgumentsThatAreMissing) {
  Interpreter two = parse("cuda_tile.module @m { entry @main(%a: tile<i32>, %b: tile<f32>) { return } }");
  auto result = two.launch("main", {1, 1, 1}, {}, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(llvm::toString(result.takeError()), "entry 'main' has 2 parameters, got 0 arguments");
}

TEST_F(InterpreterTest, NamesTheEntriesThereAre) {
  Interpreter some = parse("cuda_tile.module @m { entry @a() { return } entry @b() { return } }");
  auto unnamed = some.launch("", {1, 1, 1}, {}, {});
  EXPECT_EQ(llvm::toString(unnamed.takeError()), "the module has 2 entries (a, b), name the one to run");
  auto unknown = some.launch("c", {1, 1, 1}, {}, {});
  EXPECT_EQ(llvm::toString(unknown.takeError()), "the module has no entry 'c', it has: a, b");
}

// Counts what runs.
struct Counter : Monitor {
  int64_t blocks = 0, additions = 0;
  std::vector<int64_t> sums;
  void beginBlock(std::array<int64_t, 3>) override { ++blocks; }
  llvm::Error afterOp(Operation *op, Context &context) override {
    if (auto add = llvm::dyn_cast<cuda_tile::AddIOp>(op)) {
      ++additions;
      sums.push_back(context.tile(add.getResult()).scalarInt());
    }
    return llvm::Error::success();
  }
};

TEST_F(InterpreterTest, RunsBlocksInOrderAndShowsThem) {
  Interpreter sum = parse(R"(
cuda_tile.module @m {
  entry @main(%n: tile<i32>) {
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %total = for %i in (%zero to %n, step %one) : tile<i32> iter_values(%sum = %x) -> (tile<i32>) {
      %next = addi %sum, %i : tile<i32>
      continue %next : tile<i32>
    }
    return
  }
})");
  Counter counter;
  Options options;
  options.monitor = &counter;
  int32_t n = 3;
  void *args[] = {&n};
  auto result = sum.launch("main", {2, 1, 1}, args, options);
  ASSERT_TRUE(static_cast<bool>(result)) << llvm::toString(result.takeError());
  EXPECT_EQ(counter.blocks, 2);
  EXPECT_EQ(counter.sums, (std::vector<int64_t>{0, 1, 3, 1, 2, 4}));
}

} // namespace
