// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/LaunchRecords.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace tilewright::cuda;

TEST(LaunchRecords, memoryIsBounded) {
  EXPECT_EQ(capacityOfTracks(1), 8192u);
  EXPECT_EQ(capacityOfTracks(132 * 3), 8192u);
  for (uint64_t tracks : {10000, 1000000})
    EXPECT_LE(tracks * bytesOfRecords(capacityOfTracks(tracks)), uint64_t(256) << 20);
  EXPECT_EQ(capacityOfTracks(uint64_t(1) << 30), 0u);
}

TEST(LaunchRecords, tracksAreReadUpToTheirCountAndCapacity) {
  constexpr uint32_t capacity = 2;
  std::vector<char> memory(2 * 3 * bytesOfRecords(capacity));
  auto write = [&](unsigned place, AgentRecordsHeader header, std::vector<AgentRecord> records) {
    char *own = memory.data() + place * bytesOfRecords(capacity);
    std::memcpy(own, &header, sizeof(header));
    std::memcpy(own + sizeof(header), records.data(), records.size() * sizeof(AgentRecord));
  };
  write(1, {1000, 50, 7, 2000, 90, 1}, {{60, 4}});
  write(5, {1100, 51, 8, 2100, 91, 9}, {{61, 1}, {62, 2}});
  std::vector<TrackRecords> tracks = readTrackRecords(memory, 2, 3, capacity);
  ASSERT_EQ(tracks.size(), 2u); // the others did nothing
  EXPECT_EQ(tracks[0].cta, 0u);
  EXPECT_EQ(tracks[0].track, 1u);
  EXPECT_EQ(tracks[0].header.multiprocessor, 7u);
  ASSERT_EQ(tracks[0].records.size(), 1u);
  EXPECT_EQ(tracks[0].records[0].clock, 60u);
  EXPECT_EQ(tracks[0].records[0].word, 4u);
  EXPECT_EQ(tracks[1].cta, 1u);
  EXPECT_EQ(tracks[1].track, 2u);
  EXPECT_EQ(tracks[1].header.count, 9u); // of which seven found no room
  EXPECT_EQ(tracks[1].records.size(), 2u);
}
