// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planner/Candidate.h"

#include "gtest/gtest.h"

using namespace tilewright;
using namespace tilewright::planner;
using Texts = std::vector<std::string>;

TEST(Alternatives, numbersNearIt) {
  EXPECT_EQ(alternativesOf("warps", "8"), (Texts{"2", "4", "16", "32"}));
  EXPECT_EQ(alternativesOf("warps", "1"), (Texts{"2", "4"}));
  EXPECT_EQ(alternativesOf("loop.3.stages", "1"), (Texts{"2", "3", "4", "5", "6", "7", "8"}));
}

TEST(Alternatives, wordsThatThePartMayHave) {
  EXPECT_EQ(alternativesOf("persistent", "true"), (Texts{"false"}));
  EXPECT_EQ(alternativesOf("load.0.way", "threads"), (Texts{"cp_async", "tma"}));
  EXPECT_EQ(alternativesOf("store.0.way", "tma"), (Texts{"threads"}));
  EXPECT_EQ(alternativesOf("product.0.atom", "wgmma"), (Texts{"mma_sync", "tcgen05"}));
}

TEST(Alternatives, noneForWhatIsNoValue) {
  EXPECT_EQ(alternativesOf("warps", "many"), Texts());
}

TEST(Decisions, schedulesAreNoneOfThem) {
  std::vector<PlanLine> lines = {
      {"gemm", "warps", "8", 2}, {"gemm", "loop.0.schedule", "serial", 4}, {"other", "warps", "4", 9}};
  EXPECT_EQ(decisionsOf(lines, "gemm"), (Decisions{{"warps", "8"}}));
  EXPECT_EQ(schedulesOf(lines, "gemm"), (Decisions{{"loop.0.schedule", "serial"}}));
}

TEST(PlanText, hasATableForEachPart) {
  Decisions decisions = {{"warps", "8"}, {"loop.0.stages", "3"}, {"load.1.way", "tma"}, {"persistent", "false"}};
  EXPECT_EQ(planText("gemm", decisions), "[gemm]\npersistent = false\nwarps = 8\n[gemm.load.1]\nway = \"tma\"\n"
                                         "[gemm.loop.0]\nstages = 3\n");
  auto lines = llvm::cantFail(readPlan(planText("gemm", decisions), "text"));
  EXPECT_EQ(decisionsOf(lines, "gemm"), decisions);
}

TEST(PlanText, hasSchedules) {
  Decisions decisions = {{"loop.0.stages", "3"}, {"loop.0.schedule", "start product.0, work, wait product.0"}};
  std::string text = planText("gemm", decisions);
  EXPECT_EQ(text, "[gemm.loop.0]\nschedule = \"start product.0, work, wait product.0\"\nstages = 3\n");
  EXPECT_EQ(schedulesOf(llvm::cantFail(readPlan(text, "text")), "gemm"),
            (Decisions{{"loop.0.schedule", "start product.0, work, wait product.0"}}));
}
