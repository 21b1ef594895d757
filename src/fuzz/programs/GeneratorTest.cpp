// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Generator.h"
#include "cuda_tile/ir/OpTable.h"
#include "fuzz/programs/Differential.h"
#include "gtest/gtest.h"
#include <set>

using namespace tilewright;
using namespace tilewright::programs;

namespace {

// Operations no program has, and why.
const std::map<std::string, std::string> absent = {
    {"module", "is the program"},
    {"entry", "is the program"},
    {"preview$call", "calls foreign code"},
    {"multimem_load_reduce_view_tko", "wants memory on several devices"},
    {"multimem_reduce_view_tko", "wants memory on several devices"},
    {"multimem_store_view_tko", "wants memory on several devices"},
};

} // namespace

TEST(Generator, everyOperationOccurs) {
  std::set<std::string> seen;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    Program program = generate(seed, &context);
    ASSERT_TRUE(program.module) << "seed " << seed << " does not verify";
    program.module->walk([&](mlir::Operation *op) { seen.insert(op->getName().stripDialect().str()); });
  }
  for (const cuda_tile::OpRecord &record : cuda_tile::getOpRecords()) {
    std::string name = record.mnemonic.str();
    if (absent.count(name) && name != "module" && name != "entry")
      EXPECT_FALSE(seen.count(name)) << name << " occurs now";
    else
      EXPECT_TRUE(seen.count(name)) << name << " occurs in no program";
  }
}

TEST(Generator, aSeedIsAProgram) {
  for (uint64_t seed : {1, 2, 3}) {
    mlir::MLIRContext one(mlir::MLIRContext::Threading::DISABLED), two(mlir::MLIRContext::Threading::DISABLED);
    std::string first = printProgram(generate(seed, &one));
    EXPECT_EQ(first, printProgram(generate(seed, &two)));
    mlir::MLIRContext three(mlir::MLIRContext::Threading::DISABLED);
    EXPECT_NE(first, printProgram(generate(seed + 100, &three)));
  }
}

TEST(Generator, aFileHoldsTheWholeLaunch) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Program program = generate(8, &context);
  auto source = parseProgram(printProgram(program));
  ASSERT_TRUE(bool(source)) << llvm::toString(source.takeError());
  EXPECT_EQ(printLaunch(source->launch), printLaunch(program.launch));
}

TEST(Generator, whatIsWrongWithALaunchIsSaid) {
  auto message = [](const char *text) {
    auto launch = parseLaunch(text);
    return launch ? std::string() : llvm::toString(launch.takeError());
  };
  EXPECT_EQ(message("// launch: 5 grid 1 0 1\n"),
            "expected '// launch: SEED grid X Y Z', got '// launch: 5 grid 1 0 1'");
  EXPECT_EQ(message("// launch: 5 grid 1 1 1\n// scalar: i9 1\n"), "expected an element type, got '// scalar: i9 1'");
  EXPECT_EQ(message("// launch: 5 grid 1 1 1\n// buffer: i8 1 any 1\n"),
            "expected '// buffer: TYPE COUNT zero|small|any SEED exact', or 'ulp N' for 'exact', got '// buffer: i8 1 "
            "any 1'");
  EXPECT_EQ(message("cuda_tile.module @m {}"),
            "expected a program with its launch, a comment '// launch: SEED grid X Y Z', and a comment '// buffer: "
            "...' or '// scalar: ...' per argument");
}

TEST(Differential, waysHaveNames) {
  auto way = parseWay("cpu:x86-64-v2/O3");
  ASSERT_TRUE(bool(way));
  EXPECT_EQ(way->optLevel, 3u);
  EXPECT_EQ(way->machine.name, "x86-64-v2");
  auto gpu = parseWay("nvidia/O2/portable");
  ASSERT_TRUE(bool(gpu));
  EXPECT_TRUE(gpu->kind == Way::Kind::Gpu && gpu->portable && gpu->optLevel == 2);
  auto simulated = parseWay("tileas:sm_90/100");
  ASSERT_TRUE(static_cast<bool>(simulated));
  EXPECT_TRUE(simulated->kind == Way::Kind::Simulated && simulated->architecture->name == "sm_90a" &&
              simulated->schedules == 100);
  EXPECT_FALSE(static_cast<bool>(llvm::expectedToOptional(parseWay("tileas:sm_90/many"))));
  auto compiled = parseWay("nvidia:sm_80/O3/ptx");
  ASSERT_TRUE(bool(compiled));
  EXPECT_TRUE(compiled->kind == Way::Kind::CompileOnly && !compiled->portable && compiled->level == Level::Ptx);
  for (llvm::StringRef name : {"cpu", "cpu/O3/ptx", "nvidia/O3/ptx", "nvidia:sm_80/O3"}) {
    auto bad = parseWay(name);
    ASSERT_FALSE(bool(bad));
    EXPECT_EQ(llvm::toString(bad.takeError()),
              "expected 'checked', 'interpreter', or a target and a level such as 'cpu/O3', 'nvidia/O3' or "
              "'nvidia:sm_80/O3/ptx', got '" +
                  name.str() + "'");
  }
}

TEST(Differential, distanceCountsNumbers) {
  EXPECT_EQ(distance(Element::F32, 0x3f800000, 0x3f800002), 2u);
  EXPECT_EQ(distance(Element::F32, 0x00000001, 0x80000001), 2u);
  EXPECT_EQ(distance(Element::F32, 0x7fc00000, 0xffc12345), 0u); // NaNs are equal
  EXPECT_EQ(distance(Element::F32, 0x7fc00000, 0x7f800000), ~0ull);
  EXPECT_EQ(distance(Element::I8, 0xff, 0x01), 254u);
}
