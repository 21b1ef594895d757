// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formats and rounding against LLVM's APFloat, which shares nothing with them; f8E5M3FNU, which LLVM does not have,
// against the dialect's constants.
#include "interpreter/FloatFormat.h"
#include "cuda_tile/ir/E5M3.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>
#include <random>

using namespace tilewright::interpreter;
using llvm::APFloat;
using llvm::APInt;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

struct Twin {
  Element element;
  const llvm::fltSemantics &semantics;
};

const Twin twins[] = {
    {Element::F16, APFloat::IEEEhalf()},      {Element::BF16, APFloat::BFloat()},
    {Element::TF32, APFloat::FloatTF32()},    {Element::F32, APFloat::IEEEsingle()},
    {Element::F64, APFloat::IEEEdouble()},    {Element::F8E4M3FN, APFloat::Float8E4M3FN()},
    {Element::F8E5M2, APFloat::Float8E5M2()}, {Element::F4E2M1FN, APFloat::Float4E2M1FN()},
};

const std::pair<Rounding, llvm::RoundingMode> modes[] = {
    {Rounding::NearestEven, APFloat::rmNearestTiesToEven},
    {Rounding::NearestAway, APFloat::rmNearestTiesToAway},
    {Rounding::Zero, APFloat::rmTowardZero},
    {Rounding::NegativeInf, APFloat::rmTowardNegative},
    {Rounding::PositiveInf, APFloat::rmTowardPositive},
};

bool isSame(double left, double right) {
  return (std::isnan(left) && std::isnan(right)) || (left == right && std::signbit(left) == std::signbit(right));
}

double toDouble(APFloat number) {
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  EXPECT_FALSE(losesInfo && !number.isNaN());
  return number.convertToDouble();
}

/// Numbers of all magnitudes of a type and a little beyond, with few and with many bits: ties are among them.
std::vector<double> samplesFor(const FloatFormat &format) {
  std::vector<double> samples = {0.0, -0.0, infinity, -infinity, notANumber, 1e300, -1e300, 5e-324};
  std::mt19937_64 random(7);
  double largest = format.decode(format.largest << format.unusedBits);
  int low = format.minExponent - static_cast<int>(format.mantissaBits) - 3,
      high = std::min(std::ilogb(largest) + 2, 1023);
  for (int i = 0; i < 20000; ++i) {
    unsigned bits = 1 + random() % std::min(format.mantissaBits + 4, 53u);
    auto significand = static_cast<double>(random() >> 11 >> (53 - bits)) + (i % 3 == 0 ? 0x1p-20 : 0);
    int exponent = low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    double sample = std::ldexp(significand, exponent - static_cast<int>(bits));
    samples.push_back(random() & 1 ? -sample : sample);
  }
  return samples;
}

} // namespace

TEST(FloatFormat, readsWhatLLVMReads) {
  for (const Twin &twin : twins) {
    const FloatFormat &format = formatOf(twin.element);
    unsigned width = APFloat::semanticsSizeInBits(twin.semantics);
    std::mt19937_64 random(1);
    unsigned count = width <= 19 ? 1u << width : 100000;
    for (unsigned i = 0; i < count; ++i) {
      Bits bits = width <= 19 ? i : random() >> (64 - width);
      APFloat number(twin.semantics, APInt(width, bits));
      double value = format.decode(bits << format.unusedBits);
      ASSERT_TRUE(isSame(value, toDouble(number))) << elementName(twin.element).str() << " " << bits;
      ASSERT_EQ(format.isNaN(bits << format.unusedBits), number.isNaN());
      ASSERT_EQ(format.isSubnormal(bits << format.unusedBits), number.isDenormal());
      if (!number.isNaN()) {
        bool isSaturated = number.isInfinity() && format.saturates;
        ASSERT_EQ(isSaturated ? bits : format.encode(value) >> format.unusedBits, bits);
      }
    }
  }
}

TEST(FloatFormat, roundsAsLLVMRounds) {
  for (const Twin &twin : twins) {
    const FloatFormat &format = formatOf(twin.element);
    double largest = format.decode(format.largest << format.unusedBits);
    for (double sample : samplesFor(format)) {
      for (auto [mode, theirs] : modes) {
        double value = format.decode(format.encode(sample, mode));
        APFloat number(sample);
        bool losesInfo;
        number.convert(twin.semantics, theirs, &losesInfo);
        double expected = toDouble(number);
        if (format.saturates || format.infinity == FloatFormat::none) {
          // LLVM's f8E4M3FN overflows to NaN, and its f4E2M1FN has its own ideas of overflow.
          bool isTooLarge = std::fabs(sample) > largest;
          expected = std::isnan(sample) && format.nan == FloatFormat::none ? largest
                     : isTooLarge                                          ? std::copysign(largest, sample)
                                                                           : expected;
        }
        ASSERT_TRUE(isSame(value, expected)) << elementName(twin.element).str() << " " << sample << " to " << value
                                             << ", expected " << expected << " by " << static_cast<int>(mode);
      }
    }
  }
}

TEST(FloatFormat, somethingMoreBreaksTies) {
  const FloatFormat &half = formatOf(Element::F16);
  EXPECT_EQ(half.encode(Exact{false, (1 << 11) + 1, 0}), half.encode(2048.0));
  EXPECT_EQ(half.encode(Exact{false, (1 << 11) + 1, 0, /*isMore=*/true}), half.encode(2050.0));
  EXPECT_EQ(half.encode(Exact{false, 1, 0, /*isMore=*/true}, Rounding::PositiveInf), 0x3C01u);
  EXPECT_EQ(half.encode(Exact{false, 1, -200}, Rounding::PositiveInf), 1u);
  EXPECT_EQ(half.encode(Exact{true, ~uint64_t(0), -200}, Rounding::NegativeInf), 0x8001u);
  EXPECT_EQ(half.encode(Exact{false, ~uint64_t(0), 0}), 0x7C00u);
}

TEST(FloatFormat, unsignedFormatOfFiveBitsOfExponent) {
  const FloatFormat &format = formatOf(Element::F8E5M3FNU);
  for (unsigned bits = 0; bits < 256; ++bits) {
    EXPECT_TRUE(isSame(format.decode(bits), tilewright::cuda_tile::decodeE5M3(bits).convertToDouble()));
  }
  for (double sample : samplesFor(format)) {
    if (std::isnan(sample)) {
      EXPECT_EQ(format.encode(sample), 0xFFu);
      continue;
    }
    double magnitude = std::min(std::fabs(sample), 114688.0);
    EXPECT_EQ(format.encode(sample), tilewright::cuda_tile::encodeE5M3(APFloat(magnitude))) << sample;
  }
}

TEST(FloatFormat, powersOfTwo) {
  const FloatFormat &format = formatOf(Element::F8E8M0FNU);
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(format.decode(code), std::ldexp(1.0, code - 127));
    EXPECT_EQ(format.encode(format.decode(code)), static_cast<Bits>(code));
  }
  EXPECT_TRUE(std::isnan(format.decode(0xFF)));
  EXPECT_EQ(format.encode(notANumber), 0xFFu);
  EXPECT_EQ(format.encode(1.5, Rounding::Zero), 127u);
  EXPECT_EQ(format.encode(1.5, Rounding::PositiveInf), 128u);
  EXPECT_EQ(format.encode(-1.5, Rounding::PositiveInf), 128u);
  EXPECT_EQ(format.encode(0.0, Rounding::Zero), 0u);
  EXPECT_EQ(format.encode(1e-44, Rounding::PositiveInf), 0u);
  EXPECT_EQ(format.encode(std::ldexp(1.1, -127), Rounding::PositiveInf), 1u);
  EXPECT_EQ(format.encode(infinity, Rounding::Zero), 254u);
  EXPECT_EQ(format.encode(std::ldexp(1.1, 127), Rounding::PositiveInf), 254u);
}

TEST(FloatFormat, formatsWithoutInfinitySaturate) {
  EXPECT_EQ(formatOf(Element::F8E4M3FN).encode(-infinity), 0xFEu);
  EXPECT_EQ(formatOf(Element::F8E4M3FN).encode(465.0), 0x7Eu);
  EXPECT_EQ(formatOf(Element::F8E5M2).encode(infinity), 0x7Bu);
  EXPECT_EQ(formatOf(Element::F4E2M1FN).encode(-1e9), 0xFu);
  EXPECT_EQ(formatOf(Element::F4E2M1FN).encode(notANumber), 0x7u);
}
