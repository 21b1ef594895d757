// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/Print.h"
#include "gtest/gtest.h"

using namespace tilewright;

namespace {

template <typename... Args> std::string show(const char *format, Args... args) {
  std::string text;
  tilewright_print_arg list[] = {args..., {}};
  formatPrint(text, format, llvm::ArrayRef(list, sizeof...(args)));
  return text;
}

template <typename T> tilewright_print_arg scalar(const T &value, tilewright_type type) {
  return {&value, type, 0, nullptr};
}

} // namespace

TEST(Print, scalars) {
  int32_t minus = -7;
  uint8_t big = 200;
  float third = 1.0f / 3;
  uint16_t half = 0x3e00, bfloat = 0x3fc0; // both 1.5
  EXPECT_EQ(show("x = %d!\n", scalar(minus, TILEWRIGHT_I32)), "x = -7!\n");
  EXPECT_EQ(show("%5d|%-5d|%05d", scalar(minus, TILEWRIGHT_I32), scalar(minus, TILEWRIGHT_I32),
                 scalar(minus, TILEWRIGHT_I32)),
            "   -7|-7   |-0007");
  EXPECT_EQ(show("%d %x", scalar(big, TILEWRIGHT_U8), scalar(big, TILEWRIGHT_U8)), "200 c8");
  EXPECT_EQ(show("%d", scalar(big, TILEWRIGHT_I8)), "-56");
  EXPECT_EQ(show("%.3f %e", scalar(third, TILEWRIGHT_F32), scalar(third, TILEWRIGHT_F32)), "0.333 3.333333e-01");
  EXPECT_EQ(show("%g %g", scalar(half, TILEWRIGHT_F16), scalar(bfloat, TILEWRIGHT_BF16)), "1.5 1.5");
  EXPECT_EQ(show("%lld %lu", scalar(minus, TILEWRIGHT_I32), scalar(big, TILEWRIGHT_U8)), "-7 200");
}

TEST(Print, tilesInNestedBrackets) {
  int64_t shape[] = {2, 3};
  int16_t tile[] = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(show("%d", tilewright_print_arg{tile, TILEWRIGHT_I16, 2, shape}), "[[1, 2, 3], [4, 5, 6]]");
  EXPECT_EQ(show("%i", tilewright_print_arg{tile, TILEWRIGHT_I16, 1, shape}), "[1, 2]");
}

TEST(Print, shortLengthsKeepTheLowBits) {
  int32_t value = 0x12ff80;
  uint32_t whole = 0x12ff80;
  auto signedOne = scalar(value, TILEWRIGHT_I32);
  EXPECT_EQ(show("%hhd %hd %d", signedOne, signedOne, signedOne), "-128 -128 1245056");
  EXPECT_EQ(show("%hhu %hx", signedOne, signedOne), "128 ff80");
  EXPECT_EQ(show("%hd", scalar(whole, TILEWRIGHT_U32)), "65408"); // %d of an unsigned element shows its value
  EXPECT_EQ(show("%hhd %ld", scalar(1.0e3, TILEWRIGHT_F64), scalar(1.0e3, TILEWRIGHT_F64)), "-24 1000");
}

TEST(Print, nothingBadComesOfABrokenFormat) {
  int32_t one = 1;
  EXPECT_EQ(show("100%%"), "100%");
  EXPECT_EQ(show("%"), "");
  EXPECT_EQ(show("%d"), "");
  EXPECT_EQ(show("%s", scalar(one, TILEWRIGHT_I32)), "");
}
