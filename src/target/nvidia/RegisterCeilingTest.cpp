// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/RegisterCeiling.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace tilewright::nvidia;

namespace {

constexpr StringLiteral ptx = R"(.version 8.6
.target sm_90a
.visible .entry one(
	.param .u64 one_param_0
)
.reqntid 128
.minnctapersm 1
{
	ret;
}
.visible .entry many()
.reqntid 256
.minnctapersm 4
{
	ret;
}
.visible .entry free()
{
	ret;
}
.visible .entry few()
.minnctapersm 2
{
	ret;
})";

TEST(RegisterCeiling, areThoseOfMoreThanOneBlock) {
  StringMap<unsigned> ceilings = registerCeilings(ptx);
  EXPECT_EQ(ceilings.size(), 2u);
  EXPECT_EQ(ceilings.lookup("many"), 4u);
  EXPECT_EQ(ceilings.lookup("few"), 2u);
  EXPECT_TRUE(registerCeilings("").empty());
}

TEST(RegisterCeiling, isTakenFromTheKernelsThatAreNamed) {
  StringMap<unsigned> many;
  many["many"] = 4;
  std::string text = withoutCeilings(ptx, many);
  EXPECT_EQ(StringRef(text).count(".minnctapersm"), 2u);
  EXPECT_EQ(registerCeilings(text).size(), 1u);
  EXPECT_EQ(text.size(), ptx.size() - StringRef(".minnctapersm 4\n").size());
  EXPECT_EQ(withoutCeilings(ptx, {}), ptx);
}

// Without a ceiling a thread may begin with more registers than it would ask for.
TEST(RegisterCeiling, isTakenWithTheRegistersThatAgentsHandOver) {
  StringRef agents = ".visible .entry two()\n.minnctapersm 2\n{\n\tsetmaxnreg.dec.sync.aligned.u32 \t24;\n\tret;\n}\n"
                     ".visible .entry other()\n{\n\tsetmaxnreg.inc.sync.aligned.u32 \t232;\n}\n";
  StringMap<unsigned> two;
  two["two"] = 2;
  std::string text = withoutCeilings(agents, two);
  EXPECT_EQ(StringRef(text).count("setmaxnreg"), 1u);
  EXPECT_TRUE(StringRef(text).contains("setmaxnreg.inc"));
}

} // namespace
