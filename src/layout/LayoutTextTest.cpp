// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/LayoutText.h"
#include "layout/RandomLayouts.h"
#include "gtest/gtest.h"

using namespace tilewright::layout;

namespace {

std::string again(llvm::StringRef text) {
  llvm::Expected<LinearLayout> layout = parseLayout(text);
  return layout ? layout->str() : llvm::toString(layout.takeError());
}

} // namespace

TEST(LayoutText, readsWhatItPrints) {
  for (const char *text : {"{register: (0,1) (8,0), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 16x8", "{} -> ()",
                           "{} -> 1", "{register:, lane: 1 2 4 8 16} -> 32", "{offset: (0,1) (1,1)} -> 2x2",
                           "{row: (1,0), column: (0,1) (0,0)} -> 2x2", "{d0: 1 2, d1: 4} -> offset:8",
                           "{lane: (8,0) (0,1)} -> row:16 x column:2"})
    EXPECT_EQ(again(text), text);
  EXPECT_EQ(again(" {lane:1 2,register :4}->8 "), "{register: 4, lane: 1 2} -> 8");
  RandomLayouts random(9);
  for (unsigned round = 0; round < 100; ++round) {
    LinearLayout layout =
        random.distributed(random.below(4), random.below(6), random.below(3), 1 + random.below(3), random.below(4));
    llvm::Expected<LinearLayout> read = parseLayout(layout.str());
    ASSERT_TRUE(bool(read));
    EXPECT_EQ(*read, layout);
    EXPECT_EQ(read->shape(), layout.shape());
  }
}

TEST(LayoutText, saysWhatIsWrong) {
  EXPECT_EQ(again(""), "layout '': expected '{', found the end");
  EXPECT_EQ(again("{lane: 1 2} 4"), "layout '{lane: 1 2} 4': expected '->', found '4'");
  EXPECT_EQ(again("{line: 1} -> 2"), "layout '{line: 1} -> 2': expected register, lane, warp, block, offset, row, "
                                     "column, d0, d1, ..., found 'line: 1} -> '");
  EXPECT_EQ(again("{lane: 1} -> 3"), "layout '{lane: 1} -> 3': expected a power of two, found '3'");
  EXPECT_EQ(again("{lane: (1,2} -> 4x4"), "layout '{lane: (1,2} -> 4x4': expected ',', found '} -> 4x4'");
  EXPECT_EQ(again("{lane: 1 4} -> 4"),
            "layout '{lane: 1 4} -> 4': expected coordinates below 4 in d0, one is 4, found the end");
  EXPECT_EQ(again("{lane: (0,1) 1} -> 4x4"),
            "layout '{lane: (0,1) 1} -> 4x4': expected basis vectors with 2 coordinates, one has 1, found the end");
  EXPECT_EQ(
      again("{lane: 1, lane: 2} -> 4"),
      "layout '{lane: 1, lane: 2} -> 4': expected each dimension once, but lane is there before, found ': 2} -> 4'");
  EXPECT_EQ(again("{lane: 1} -> 4 4"), "layout '{lane: 1} -> 4 4': expected nothing more, found '4'");
  EXPECT_EQ(again("{lane: 99999999999999999999} -> 4"),
            "layout '{lane: 99999999999999999999} -> 4': expected a number, found '999999999999'");
}
