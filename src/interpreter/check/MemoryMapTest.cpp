// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/MemoryMap.h"
#include "gtest/gtest.h"

using namespace tilewright::interpreter;

namespace {

// A matrix of 8 x 10 floats at 1000, its upper left 4 x 5 as a part at 5000, a vector of 3 bytes at 9000.
MemoryMap example() {
  MemoryMap map;
  map.add({"a", 1000, 4, {8, 10}, {40, 4}});
  map.add({"part", 5000, 4, {4, 5}, {40, 4}});
  map.add({"bytes", 9000, 1, {3}, {1}});
  return map;
}

} // namespace

TEST(MemoryMap, namesElements) {
  MemoryMap map = example();
  EXPECT_EQ(map.describe(1000, 4), "a[0, 0]");
  EXPECT_EQ(map.describe(1000 + 7 * 40 + 9 * 4, 4), "a[7, 9]");
  EXPECT_EQ(map.describe(1000 + 40 + 2, 2), "a[1, 0]");
  EXPECT_EQ(map.describe(9002, 1), "bytes[2]");
  ASSERT_TRUE(map.find(5000 + 3 * 40 + 16, 4));
  EXPECT_EQ(map.find(5000 + 3 * 40 + 16, 4)->name, "part");
}

// Bytes of several elements, as after a cast of pointers.
TEST(MemoryMap, elementsOfOtherSizes) {
  MemoryMap map = example();
  EXPECT_TRUE(map.find(1000, 8));
  EXPECT_TRUE(map.find(1036, 8)); // from row to row
  EXPECT_FALSE(map.find(1316, 8));
  EXPECT_TRUE(map.find(5008, 8));
  EXPECT_FALSE(map.find(5016, 8)); // the row ends at 5020
}

TEST(MemoryMap, saysWhatIsOutside) {
  MemoryMap map = example();
  EXPECT_FALSE(map.find(996, 4));
  EXPECT_EQ(map.describe(996, 4), "bytes -4 to -1 of a, which has 320 bytes");
  EXPECT_EQ(map.describe(1320, 4), "bytes 320 to 323 of a, which has 320 bytes");
  EXPECT_EQ(map.describe(8999, 1), "bytes[-1], but bytes has 3 elements");
  EXPECT_EQ(map.describe(9003, 1), "bytes[3], but bytes has 3 elements");
  EXPECT_EQ(map.describe(uint64_t(1) << 60, 4), "address 0x1000000000000000, which is in no array");
  EXPECT_EQ(MemoryMap().describe(0, 4), "address 0x0, which is in no array");
}

// Column 5 of the larger array is not the part's.
TEST(MemoryMap, rowsOfAPartEnd) {
  MemoryMap map = example();
  EXPECT_FALSE(map.find(5000 + 20, 4));
  EXPECT_EQ(map.describe(5000 + 20, 4), "bytes 20 to 23 of part, which are between its elements");
  EXPECT_FALSE(map.find(5000 + 18, 4)); // half of column 4
}

TEST(MemoryMap, anyOrderOfAxes) {
  MemoryMap map;
  map.add({"t", 1000, 4, {8, 10}, {4, 32}}); // transposed
  map.add({"row", 5000, 4, {6, 3}, {0, 4}}); // one row six times
  map.add({"none", 9000, 4, {0, 3}, {12, 4}});
  map.add({"scalar", 7000, 8, {}, {}});
  EXPECT_EQ(map.describe(1000 + 3 * 32 + 7 * 4, 4), "t[7, 3]");
  EXPECT_EQ(map.describe(5008, 4), "row[0, 2]");
  EXPECT_FALSE(map.find(5012, 4));
  EXPECT_FALSE(map.find(9000, 4));
  EXPECT_EQ(map.describe(7004, 4), "scalar");
}

TEST(MemoryMap, forgets) {
  MemoryMap map = example();
  EXPECT_TRUE(map.find(9000, 1));
  map.remove(9000);
  EXPECT_FALSE(map.find(9000, 1));
  map.remove(9000);
  EXPECT_TRUE(map.find(1000, 4));
}
