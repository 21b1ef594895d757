// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/analysis/Polynomial.h"

#include <gtest/gtest.h>
#include <limits>

using namespace tilewright::tileaa;

namespace {

const Polynomial row = Polynomial::ofScalar(0), stride = Polynomial::ofScalar(1), base = Polynomial::ofScalar(2);

TEST(Polynomial, AddsAndMultipliesTermByTerm) {
  Polynomial address = base + (row * stride + 3) * 4;
  EXPECT_EQ(address, stride * row * 4 + 12 + base);
  EXPECT_EQ(address - row * 4 * stride, base + 12);
  EXPECT_TRUE((address - address).isZero());
  EXPECT_EQ((row + 1) * (row - 1), row * row - 1);
}

TEST(Polynomial, WrapsAroundAt64Bits) {
  Polynomial least(std::numeric_limits<int64_t>::min());
  EXPECT_TRUE((least + least).isZero());
  EXPECT_EQ((least - 1).getConstant(), std::numeric_limits<int64_t>::max());
}

TEST(Polynomial, KnowsConstantsAndScalars) {
  EXPECT_EQ(Polynomial(0).getConstant(), 0);
  EXPECT_EQ((row + 2 - row).getConstant(), 2);
  EXPECT_FALSE(row.getConstant());
  EXPECT_EQ(stride.getScalar(), 1u);
  EXPECT_FALSE((stride * 2).getScalar());
  EXPECT_FALSE((stride + 1).getScalar());
  EXPECT_TRUE((base + row * stride).uses(1));
  EXPECT_FALSE((base + row).uses(1));
}

TEST(Polynomial, DividesExactlyOnly) {
  EXPECT_EQ((row * stride * 8 + 4).dividedBy(4), row * stride * 2 + 1);
  EXPECT_FALSE((row * 8 + 2).dividedBy(4));
}

TEST(Polynomial, TakesOneScalarOutOfItsTerms) {
  EXPECT_EQ((base + row * stride * 4 + row * 2 + 12).coefficientOf(0), stride * 4 + 2);
  EXPECT_EQ((row * row).coefficientOf(0), row);
  EXPECT_TRUE(base.coefficientOf(0).isZero());
}

} // namespace
