// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/LayoutParts.h"

#include "layout/LayoutText.h"
#include "gtest/gtest.h"

using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

namespace {

LinearLayout parse(llvm::StringRef text) {
  llvm::Expected<LinearLayout> layout = layout::parseLayout(text);
  if (!layout)
    ADD_FAILURE() << llvm::toString(layout.takeError());
  return layout ? *layout : LinearLayout();
}

// Elements of warps 4 to 7 are in registers of warps 0 to 3, above their own: vectors keep their length.
TEST(LayoutParts, WhatOtherWarpsHadIsInRegisters) {
  LinearLayout eight =
      parse("{register: (0,1) (0,2), lane: (0,4) (0,8) (1,0) (2,0) (4,0), warp: (8,0) (16,0) (32,0)} -> 64x16");
  EXPECT_EQ(tileas::inWarps(eight, 4),
            parse("{register: (0,1) (0,2) (32,0), lane: (0,4) (0,8) (1,0) (2,0) (4,0), warp: (8,0) (16,0)} -> 64x16"));
  EXPECT_EQ(tileas::inWarps(eight, 8), eight);
  EXPECT_EQ(tileas::inWarps(eight, 16), eight);
}

// Copies in other warps take no registers.
TEST(LayoutParts, CopiesOfOtherWarpsAreGone) {
  LinearLayout copied = parse("{lane: 1 2 4 8 16, warp: 32 0 0} -> 64");
  EXPECT_EQ(tileas::inWarps(copied, 2), parse("{lane: 1 2 4 8 16, warp: 32} -> 64"));
  EXPECT_EQ(tileas::inWarps(copied, 1), parse("{register: 32, lane: 1 2 4 8 16} -> 64"));
}

} // namespace
