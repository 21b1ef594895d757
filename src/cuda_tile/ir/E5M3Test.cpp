// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/E5M3.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace tilewright::cuda_tile;
using llvm::APFloat;

TEST(E5M3, everyNumberEncodesToItself) {
  for (int bits = 0; bits < 256; ++bits) {
    EXPECT_EQ(encodeE5M3(decodeE5M3(bits)), bits);
  }
}

TEST(E5M3, knowsItsRange) {
  EXPECT_EQ(decodeE5M3(0x00).convertToDouble(), 0.0);
  EXPECT_EQ(decodeE5M3(0x01).convertToDouble(), std::ldexp(1, -17));
  EXPECT_EQ(decodeE5M3(0x78).convertToDouble(), 1.0);
  EXPECT_EQ(decodeE5M3(0xFE).convertToDouble(), 114688.0);
  EXPECT_TRUE(decodeE5M3(0xFF).isNaN());
}

TEST(E5M3, roundsToNearestTiesToEven) {
  EXPECT_EQ(encodeE5M3(APFloat(1.0625)), 0x78); // between 1 and 1.125
  EXPECT_EQ(encodeE5M3(APFloat(1.1875)), 0x7A); // between 1.125 and 1.25
  EXPECT_EQ(encodeE5M3(APFloat(1.0626f)), 0x79);
  EXPECT_EQ(encodeE5M3(APFloat(118783.0)), 0xFE);
  EXPECT_EQ(encodeE5M3(APFloat(122880.0)), 0xFF);
  EXPECT_EQ(encodeE5M3(APFloat::getInf(APFloat::IEEEdouble())), 0xFF);
}

TEST(E5M3, hasNoNegativeNumbers) {
  EXPECT_EQ(encodeE5M3(APFloat(-1.0)), std::nullopt);
}
