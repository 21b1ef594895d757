// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/plan/ReduceForms.h"

#include "layout/Distributed.h"
#include "layout/LayoutText.h"
#include "gtest/gtest.h"

using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

LinearLayout read(llvm::StringRef text) {
  return llvm::cantFail(layout::parseLayout(text));
}

// Rows of 128 elements, 4 consecutive ones in a thread, the rows in registers.
LinearLayout rowsOfAllWarps() {
  return read("{register: (0,1) (0,2) (1,0) (2,0), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (0,128) (0,256)} -> "
              "4x512");
}

TEST(ReduceForms, warpsChangePlacesWithRegistersBehindVectors) {
  EXPECT_TRUE(tileas::areLinesShared(rowsOfAllWarps(), 1));
  EXPECT_FALSE(tileas::areLinesShared(rowsOfAllWarps(), 0));
  auto within = tileas::linesInWarps(rowsOfAllWarps(), 1);
  ASSERT_TRUE(within);
  EXPECT_EQ(*within, read("{register: (0,1) (0,2) (0,256) (0,128), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: "
                          "(2,0) (1,0)} -> 4x512"));
  EXPECT_FALSE(tileas::areLinesShared(*within, 1));
}

TEST(ReduceForms, warpsChangePlacesWithLanesWhereRegistersHoldVectors) {
  LinearLayout columns =
      read("{register: (0,1) (0,2) (8,0) (16,0), lane: (0,4) (0,8) (0,16) (0,32) (1,0), warp: (2,0) (4,0)} -> 32x64");
  auto within = tileas::linesInWarps(columns, 0);
  ASSERT_TRUE(within);
  EXPECT_EQ(*within, read("{register: (0,1) (0,2) (8,0) (16,0), lane: (0,4) (0,8) (4,0) (2,0) (1,0), warp: (0,32) "
                          "(0,16)} -> 32x64"));
}

TEST(ReduceForms, oneLineIsNoWarpsOwn) {
  LinearLayout row = read("{register: (0,1) (0,2), lane: (0,4) (0,8) (0,16) (0,32) (0,64), warp: (0,128)} -> 1x256");
  EXPECT_FALSE(tileas::linesInWarps(row, 1));
}

TEST(ReduceForms, partsOfLines) {
  LinearLayout partial = read("{register: (1,0) (2,0), lane: (0,0) (0,0) (0,0) (0,0) (0,0), warp: (0,1) (0,2)} -> 4x4");
  EXPECT_EQ(tileas::partsInRegisters(partial, 1),
            read("{register: (1,0) (2,0) (0,1) (0,2), lane: (0,0) (0,0) (0,0) (0,0) (0,0), warp: (0,0) (0,0)} -> 4x4"));
  EXPECT_EQ(*tileas::partsInLanes(partial, 1),
            read("{register: (1,0) (2,0), lane: (0,1) (0,2) (0,0) (0,0) (0,0), warp: (0,0) (0,0)} -> 4x4"));
  EXPECT_EQ(*tileas::partsInOtherThreads(partial, 1),
            read("{register: (0,1) (0,2), lane: (1,0) (2,0) (0,0) (0,0) (0,0), warp: (0,0) (0,0)} -> 4x4"));
}

// Of columns lanes have lines of their own, but for one bit: the other part of eight stays in registers.
TEST(ReduceForms, partsForWhichThereIsNoLane) {
  LinearLayout partial =
      read("{register: (0,1), lane: (0,2) (0,4) (0,8) (0,16) (0,0), warp: (1,0) (2,0) (4,0)} -> 8x32");
  EXPECT_EQ(*tileas::partsInLanes(partial, 0),
            read("{register: (0,1) (2,0) (4,0), lane: (0,2) (0,4) (0,8) (0,16) (1,0), warp: (0,0) (0,0) (0,0)} -> "
                 "8x32"));
  LinearLayout own = read("{register:, lane: (0,1) (0,2) (0,4) (0,8) (0,16), warp: (1,0) (2,0)} -> 4x32");
  EXPECT_FALSE(tileas::partsInLanes(own, 0));
  EXPECT_FALSE(tileas::partsInOtherThreads(own, 0)); // each thread has one line already
}

} // namespace
