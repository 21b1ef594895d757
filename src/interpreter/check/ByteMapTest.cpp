// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/ByteMap.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace llvm;
using namespace tilewright::interpreter;

TEST(ByteMap, joinsNeighboursAndFindsOverlap) {
  SmallVector<uint64_t> addresses = {12, 4, 8, 100};
  uint64_t overlapping = 0;
  EXPECT_EQ(coalesce(addresses, 4, &overlapping), (SmallVector<ByteRange>{{4, 16}, {100, 104}}));
  EXPECT_EQ(overlapping, 0u);
  SmallVector<uint64_t> twice = {8, 4, 8};
  EXPECT_EQ(coalesce(twice, 4, &overlapping), (SmallVector<ByteRange>{{4, 12}}));
  EXPECT_EQ(overlapping, 8u);
  SmallVector<uint64_t> halfway = {4, 6};
  EXPECT_EQ(coalesce(halfway, 4, &overlapping), (SmallVector<ByteRange>{{4, 10}}));
  EXPECT_EQ(overlapping, 6u);
}

// 64 rows of a tile in a matrix of rows of 4000 bytes: no more runs than rows and page ends ask for.
TEST(ByteMap, isAsLargeAsItsPieces) {
  ByteMap map;
  char tile;
  SmallVector<ByteRange> rows;
  for (uint64_t row = 0; row < 64; ++row)
    rows.push_back({1000 + row * 4000, 1000 + row * 4000 + 256});
  map.update(rows, [&](ByteMap::Value, uint64_t) { return &tile; });
  EXPECT_LE(map.numRuns(), 64u * 4);
  EXPECT_EQ(map.at(1000 + 63 * 4000 + 255), &tile);
  EXPECT_EQ(map.at(1000 + 63 * 4000 + 256), nullptr);
  // Given back to what they were, the runs are joined again.
  map.update(rows, [&](ByteMap::Value, uint64_t) { return nullptr; });
  EXPECT_LE(map.numRuns(), 64u);
}

TEST(ByteMap, agreesWithAMapOfBytes) {
  std::mt19937 random(3);
  auto pick = [&](uint64_t low, uint64_t high) { return std::uniform_int_distribution<uint64_t>(low, high)(random); };
  ByteMap map;
  std::map<uint64_t, ByteMap::Value> model;
  static char values[50];
  for (int step = 0; step < 300; ++step) {
    unsigned bytes = 1u << pick(0, 3);
    uint64_t stride = pick(0, 1) ? bytes : pick(bytes, 600), start = pick(0, 9000);
    SmallVector<uint64_t> addresses;
    for (uint64_t i = pick(1, 40); i > 0; --i)
      addresses.push_back(start + i * stride);
    ByteMap::Value value = &values[pick(0, 49)];
    uint64_t visited = 0;
    map.update(coalesce(addresses, bytes), [&](ByteMap::Value old, uint64_t address) {
      EXPECT_EQ(old, model[address]);
      ++visited;
      return value;
    });
    EXPECT_GE(visited, 1u);
    for (uint64_t address : addresses)
      for (unsigned byte = 0; byte < bytes; ++byte)
        model[address + byte] = value;
  }
  for (uint64_t address = 0; address < 40000; ++address)
    ASSERT_EQ(map.at(address), model.count(address) ? model[address] : nullptr) << address;
}
