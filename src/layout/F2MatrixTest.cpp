// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/F2Matrix.h"
#include "layout/RandomLayouts.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <iterator>
#include <set>

using namespace tilewright::layout;

namespace {

// Every sum of the vectors.
std::set<F2Vector> sums(llvm::ArrayRef<F2Vector> vectors) {
  std::set<F2Vector> all{0};
  for (F2Vector vector : vectors) {
    std::set<F2Vector> more;
    for (F2Vector sum : all)
      more.insert(sum ^ vector);
    all.insert(more.begin(), more.end());
  }
  return all;
}

} // namespace

TEST(F2Space, isTheSetOfSums) {
  RandomLayouts random(1);
  for (unsigned round = 0; round < 200; ++round) {
    auto vectors = random.vectors(random.below(7), 6);
    F2Space space(vectors);
    std::set<F2Vector> all = sums(vectors);
    EXPECT_EQ(all.size(), size_t(1) << space.dimension());
    EXPECT_EQ(all, sums(space.basis()));
    for (F2Vector vector = 0; vector < 64; ++vector) {
      std::optional<F2Vector> coordinates = space.coordinates(vector);
      EXPECT_EQ(coordinates.has_value(), all.count(vector) == 1);
      if (coordinates)
        EXPECT_EQ(F2Matrix(6, vectors).apply(*coordinates), vector);
      for (F2Vector member : all)
        EXPECT_EQ(space.remainder(vector ^ member), space.remainder(vector));
    }
  }
}

TEST(F2Space, intersectionIsThatOfSets) {
  RandomLayouts random(2);
  for (unsigned round = 0; round < 200; ++round) {
    auto a = random.vectors(random.below(6), 7), b = random.vectors(random.below(6), 7);
    std::set<F2Vector> both, inA = sums(a), inB = sums(b);
    std::set_intersection(inA.begin(), inA.end(), inB.begin(), inB.end(), std::inserter(both, both.end()));
    auto common = intersection(a, b);
    EXPECT_EQ(sums(common), both);
    EXPECT_EQ(size_t(1) << common.size(), both.size());
  }
}

TEST(F2Matrix, solvesInvertsAndMultiplies) {
  RandomLayouts random(3);
  for (unsigned round = 0; round < 200; ++round) {
    unsigned rows = 1 + random.below(6), columns = 1 + random.below(6);
    F2Matrix matrix(rows, random.vectors(columns, rows));
    std::set<F2Vector> image, zeros;
    for (F2Vector x = 0; x < 1u << columns; ++x) {
      image.insert(matrix.apply(x));
      if (!matrix.apply(x))
        zeros.insert(x);
    }
    EXPECT_EQ(image.size(), size_t(1) << matrix.rank());
    EXPECT_EQ(sums(matrix.kernel()), zeros);
    for (F2Vector y = 0; y < 1u << rows; ++y) {
      std::optional<F2Vector> x = matrix.solve(y);
      EXPECT_EQ(x.has_value(), image.count(y) == 1);
      if (x)
        EXPECT_EQ(matrix.apply(*x), y);
    }
    F2Matrix next(3, random.vectors(rows, 3));
    for (F2Vector x = 0; x < 1u << columns; ++x)
      EXPECT_EQ((next * matrix).apply(x), next.apply(matrix.apply(x)));
    EXPECT_EQ(matrix.transpose().transpose(), matrix);
    EXPECT_EQ(matrix.transpose().rank(), matrix.rank());
    F2Matrix square(rows, random.basis(rows, rows));
    ASSERT_TRUE(square.inverse());
    EXPECT_EQ(square * *square.inverse(), F2Matrix::identity(rows));
    EXPECT_EQ(*square.inverse() * square, F2Matrix::identity(rows));
    EXPECT_EQ(*square.inverse()->inverse(), square);
    EXPECT_EQ(matrix.inverse().has_value(), rows == columns && matrix.rank() == rows);
  }
}
