// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "target/nvidia/Assembler.h"
#include "gtest/gtest.h"

#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using namespace tilewright::nvidia;

TEST(Architecture, eachIsParsedByEveryNameItHas) {
  for (const Architecture &architecture : knownArchitectures())
    for (std::string name : {architecture.name.str(), "sm_" + std::to_string(architecture.number)})
      for (std::string target : {name, "nvidia:" + name}) {
        EXPECT_TRUE(isNvidiaTarget(target));
        auto parsed = parseArchitecture(target);
        ASSERT_TRUE(bool(parsed)) << target;
        EXPECT_EQ((*parsed)->name, architecture.name);
      }
}

TEST(Architecture, anUnknownOneIsNamedWithTheKnown) {
  for (const char *name : {"sm_70", "sm_80a", "nvidia:", "nvidia:90", "sm_90f", "sm_"}) {
    auto parsed = parseArchitecture(name);
    ASSERT_FALSE(bool(parsed)) << name;
    EXPECT_EQ(
        llvm::toString(parsed.takeError()),
        "unknown NVIDIA architecture '" + std::string(name) +
            "', expected one of sm_80, sm_86, sm_87, sm_88, sm_89, sm_90, sm_100, sm_103, sm_107, sm_110, sm_120, "
            "sm_121");
  }
  EXPECT_FALSE(isNvidiaTarget("cpu"));
}

TEST(Architecture, theFormWithAllInstructionsIsTakenWhereThereIsOne) {
  for (const Architecture &architecture : knownArchitectures())
    EXPECT_EQ(architecture.name.ends_with("a"), architecture.number >= 90) << architecture.name.str();
}

TEST(Architecture, shapesOfMatricesFollowTheGeneration) {
  auto count = [](llvm::StringRef name, MmaType type) {
    return llvm::count_if((*parseArchitecture(name))->mmaShapes(), [&](MmaShape shape) { return shape.type == type; });
  };
  EXPECT_EQ(count("sm_80", MmaType::F8), 0);
  EXPECT_EQ(count("sm_89", MmaType::F8), 1);
  EXPECT_EQ(count("sm_80", MmaType::F64), 1);
  EXPECT_EQ(count("sm_90", MmaType::F64), 4);
  EXPECT_EQ(count("sm_100", MmaType::ScaledF4), 0);
  EXPECT_EQ(count("sm_120", MmaType::ScaledF4), 1);
}

TEST(Architecture, theListHasALineForEach) {
  std::string text;
  llvm::raw_string_ostream os(text);
  listArchitectures(os);
  EXPECT_EQ(size_t(llvm::StringRef(text).count('\n')), knownArchitectures().size() + 1);
  for (const Architecture &architecture : knownArchitectures())
    EXPECT_NE(text.find(architecture.name.str() + " "), std::string::npos);
}

TEST(Architecture, theAssemblerKnowsTheSameSms) {
  std::vector<Assembler> assemblers = findAssemblers({});
  auto ptxas = llvm::find_if(assemblers, [](const Assembler &known) { return known.kind == Assembler::Kind::Ptxas; });
  if (ptxas == assemblers.end())
    GTEST_SKIP() << "no ptxas in PATH or /usr/local/cuda to compare the table with";
  for (const Architecture &architecture : knownArchitectures()) {
    // Kernels that ask for so many threads so many times on an SM: it warns where that is more than the SM has.
    unsigned blocksOf512 = architecture.threadsPerSm / 512, blocks = architecture.blocksPerSm;
    std::string ptx = ".version 9.0\n.target " + architecture.llvmCpu.str() + "\n.address_size 64\n";
    auto add = [&](const char *name, unsigned threads, unsigned count) {
      ptx += ".visible .entry " + std::string(name) + "() .maxntid " + std::to_string(threads) + " .minnctapersm " +
             std::to_string(count) + " { ret; }\n";
    };
    add("threads", 512, blocksOf512);
    add("tooManyThreads", 512, blocksOf512 + 1);
    add("blocks", 32, blocks);
    add("tooManyBlocks", 32, blocks + 1);
    AssemblerRun run = runPtxas(ptxas->path, ptx, architecture.name, {}, std::chrono::seconds(60));
    if (run.log.find("is not defined for option") != std::string::npos) {
      std::cerr << "not compared: this ptxas does not know " << architecture.name.str() << '\n';
      continue;
    }
    ASSERT_EQ(run.end, AssemblerRun::End::Done) << run.log;
    auto isTooMuch = [&](const std::string &name) {
      return run.log.find("for entry " + name + " is out of range") != std::string::npos;
    };
    EXPECT_FALSE(isTooMuch("threads")) << run.log;
    EXPECT_TRUE(isTooMuch("tooManyThreads")) << architecture.name.str();
    EXPECT_FALSE(isTooMuch("blocks")) << run.log;
    EXPECT_TRUE(isTooMuch("tooManyBlocks")) << architecture.name.str();
  }
}
