// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Product.h"
#include "machine/Performance.h"

#include <gtest/gtest.h>

using namespace tilewright::nvidia;

namespace {

const Architecture &architecture(llvm::StringRef name) {
  return *cantFail(parseArchitecture(name));
}

TEST(Product, IsFoundByTheNameOfADevice) {
  EXPECT_EQ(findProduct(architecture("sm_90"), "NVIDIA H100 80GB HBM3")->name, "H100");
  EXPECT_EQ(findProduct(architecture("sm_90"), "NVIDIA H200")->name, "H200");
  EXPECT_EQ(findProduct(architecture("sm_86"), "NVIDIA GeForce RTX 3090")->name, "RTX 3090");
  EXPECT_EQ(findProduct(architecture("sm_80"), "NVIDIA A100-SXM4-80GB")->name, "A100 SXM");
  EXPECT_EQ(findProduct(architecture("sm_90"), "NVIDIA A100"), nullptr);
}

TEST(Product, StandsForItsArchitecture) {
  for (const Performance &row : knownPerformance()) {
    const Product *product = productOf(architecture("sm_" + std::to_string(row.architecture)));
    ASSERT_TRUE(product) << row.architecture;
    EXPECT_EQ(performanceOf(architecture("sm_" + std::to_string(row.architecture))), &row);
    EXPECT_GT(product->multiprocessors * product->megahertz * product->dramBytes * product->l2Capacity, 0);
  }
}

TEST(Performance, IsKnownOfAllArchitectures) {
  for (const Architecture &each : knownArchitectures())
    EXPECT_TRUE(performanceOf(each)) << each.name.str();
}

// Loops of other architectures have no schedules, so that a row here changes no code.
TEST(Performance, SchedulesSm90Only) {
  for (const Performance &row : knownPerformance())
    EXPECT_EQ(row.hasSchedules, row.architecture == 90);
}

} // namespace
