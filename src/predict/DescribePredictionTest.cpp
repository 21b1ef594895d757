// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Prediction.h"

#include "gtest/gtest.h"

using namespace tilewright::predict;

namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

// A product of matrices that takes 200 us.
Prediction product() {
  Prediction prediction;
  prediction.device = "H100";
  prediction.seconds = 200e-6;
  prediction.bounds = {{"tensor cores", 150e-6}, {"DRAM", 50.25e-6}, {"launch", 4.4e-6}, {"f32 units", 1e-6}};
  prediction.operations = 137e9;
  prediction.peakOperations = 949e12;
  prediction.dramBytes = 201e6;
  prediction.dramBandwidth = 3.352e12;
  prediction.blocks = 1024;
  prediction.slots = 132;
  prediction.waves = 1024 / 132.0;
  prediction.occupancy = {1, 12, "registers"};
  return prediction;
}

} // namespace

TEST(DescribePrediction, WritesTimes) {
  EXPECT_EQ(timeText(0), "0.0 us");
  EXPECT_EQ(timeText(4.44e-6), "4.4 us");
  EXPECT_EQ(timeText(289.4e-6), "289 us");
  EXPECT_EQ(timeText(1.346e-3), "1.35 ms");
  EXPECT_EQ(timeText(2), "2.00 s");
}

TEST(DescribePrediction, HasTimeBoundsRooflineAndBlocks) {
  Lines expected = {
      {"predicted", "200 us on H100, bound by tensor cores"},
      {"bounds", "tensor cores 150 us, DRAM 50.2 us"}, // others are too short
      {"roofline",
       "137 Gop, 72 % of 949 Top/s; 201 MB of DRAM, 30 % of 3.35 TB/s; 682 op each byte, the ridge is at 283"},
      {"blocks", "1024 in 7.76 waves of 132; 1 on a multiprocessor, more would need more registers"}};
  EXPECT_EQ(product().describe(), expected);
}

TEST(DescribePrediction, SaysWhatIsNotKnown) {
  Prediction prediction = product();
  prediction.isComplete = prediction.isTrafficComplete = false;
  prediction.isEstimate = true;
  Lines lines = prediction.describe();
  ASSERT_EQ(lines.size(), 7u);
  EXPECT_EQ(lines[4].first, "not known");
  EXPECT_EQ(lines[5].first, "");
  EXPECT_EQ(lines[6].second, "registers, without an assembler: they are estimated");
}

TEST(DescribePrediction, OfBlocksWithoutRoomHasNoTime) {
  Prediction prediction;
  prediction.device = "A40";
  prediction.occupancy = {0, 0, "shared memory"};
  EXPECT_EQ(prediction.describe(), (Lines{{"predicted", "no block fits on A40: it needs more shared memory"}}));
  EXPECT_EQ(*prediction.toJson().getBoolean("is_launchable"), false);
}

TEST(DescribePrediction, OfNoOperationsAndNoBytesDividesByNothing) {
  Prediction prediction = product();
  prediction.operations = 0;
  EXPECT_EQ(prediction.describe()[2].second, "201 MB of DRAM, 30 % of 3.35 TB/s");
  prediction = product();
  prediction.dramBytes = 0;
  EXPECT_EQ(prediction.describe()[2].second, "137 Gop, 72 % of 949 Top/s; 0.00 B of DRAM, 0.0 % of 3.35 TB/s");
  EXPECT_EQ(prediction.intensity(), 0);
}
