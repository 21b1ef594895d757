// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Architecture.h"
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

namespace {

// Whether an assembler takes a kernel of so many threads to fit so many times on an SM of the architecture: it warns
// where that is more than the SM has.
bool fits(const Assembler &assembler, const Architecture &architecture, unsigned threads, unsigned blocks) {
  std::string ptx = ".version 9.0\n.target " + architecture.llvmCpu.str() +
                    "\n.address_size 64\n.visible .entry k() .maxntid " + std::to_string(threads) + " .minnctapersm " +
                    std::to_string(blocks) + " { ret; }\n";
  AssemblerRun run = runPtxas(assembler.path, ptx, architecture.name, {}, std::chrono::seconds(60));
  EXPECT_EQ(run.end, AssemblerRun::End::Done) << architecture.name.str() << ": " << run.log;
  return run.log.find("out of range") == std::string::npos;
}

} // namespace

TEST(Architecture, theAssemblerKnowsTheSameSms) {
  std::vector<Assembler> assemblers = findAssemblers({});
  auto ptxas = llvm::find_if(assemblers, [](const Assembler &known) { return known.kind == Assembler::Kind::Ptxas; });
  if (ptxas == assemblers.end())
    GTEST_SKIP() << "no ptxas in PATH or /usr/local/cuda to compare the table with";
  for (const Architecture &architecture : knownArchitectures()) {
    std::string nothing = ".version 9.0\n.target " + architecture.llvmCpu.str() + "\n.address_size 64\n";
    if (runPtxas(ptxas->path, nothing, architecture.name, {}, std::chrono::seconds(60)).end !=
        AssemblerRun::End::Done) {
      std::cerr << "not compared: this ptxas does not know " << architecture.name.str() << '\n';
      continue;
    }
    unsigned blocksOf512 = architecture.threadsPerSm / 512;
    EXPECT_TRUE(fits(*ptxas, architecture, 512, blocksOf512)) << architecture.name.str();
    EXPECT_FALSE(fits(*ptxas, architecture, 512, blocksOf512 + 1)) << architecture.name.str();
    EXPECT_TRUE(fits(*ptxas, architecture, 32, architecture.blocksPerSm)) << architecture.name.str();
    EXPECT_FALSE(fits(*ptxas, architecture, 32, architecture.blocksPerSm + 1)) << architecture.name.str();
  }
}
