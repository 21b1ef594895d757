// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Overlap.h"
#include "gtest/gtest.h"
#include <random>
#include <set>
#include <vector>

using namespace tilewright;

namespace {

// Every byte of the array, element by element.
std::vector<std::vector<uintptr_t>> bytesOf(const StridedArray &array) {
  std::vector<std::vector<uintptr_t>> elements;
  std::vector<int64_t> index(array.shape.size(), 0);
  for (int64_t length : array.shape)
    if (length == 0)
      return elements;
  for (;;) {
    uintptr_t start = array.data;
    for (size_t i = 0; i < index.size(); ++i)
      start += index[i] * array.byteStrides[i];
    elements.emplace_back();
    for (int64_t byte = 0; byte < array.elementBytes; ++byte)
      elements.back().push_back(start + byte);
    size_t axis = index.size();
    while (axis > 0 && ++index[axis - 1] == array.shape[axis - 1])
      index[--axis] = 0;
    if (axis == 0)
      return elements;
  }
}

bool slowOverlap(const StridedArray &a, const StridedArray &b) {
  std::set<uintptr_t> bytes;
  for (auto &element : bytesOf(a))
    bytes.insert(element.begin(), element.end());
  for (auto &element : bytesOf(b))
    for (uintptr_t byte : element)
      if (bytes.count(byte))
        return true;
  return false;
}

bool slowOverlapsItself(const StridedArray &array) {
  std::set<uintptr_t> bytes;
  for (auto &element : bytesOf(array))
    for (uintptr_t byte : element)
      if (!bytes.insert(byte).second)
        return true;
  return false;
}

} // namespace

TEST(Overlap, commonCases) {
  int64_t rows[] = {8, 4}, contiguous[] = {16, 4}, columns[] = {32, 8}, transposed[] = {4, 16};
  StridedArray whole{1000, 4, rows, contiguous};
  EXPECT_TRUE(overlap(whole, whole));
  EXPECT_FALSE(overlapsItself(whole));
  EXPECT_FALSE(overlap(whole, {1000 + 128, 4, rows, contiguous}));
  EXPECT_TRUE(overlap(whole, {1000 + 127, 4, rows, contiguous}));
  // Even and odd columns of one matrix interleave.
  EXPECT_FALSE(overlap({1000, 4, rows, columns}, {1004, 4, rows, columns}));
  EXPECT_TRUE(overlap({1000, 4, rows, columns}, {1008, 4, rows, columns}));
  EXPECT_FALSE(overlapsItself({1000, 4, llvm::ArrayRef<int64_t>({4, 8}), transposed}));
  // A broadcast row, a sliding window, an empty array, a scalar.
  EXPECT_TRUE(overlapsItself({1000, 4, rows, llvm::ArrayRef<int64_t>({0, 4})}));
  EXPECT_TRUE(overlapsItself({1000, 4, rows, llvm::ArrayRef<int64_t>({4, 4})}));
  EXPECT_FALSE(overlapsItself({1000, 4, llvm::ArrayRef<int64_t>({0, 8}), llvm::ArrayRef<int64_t>({0, 0})}));
  EXPECT_FALSE(overlapsItself({1000, 4, {}, {}}));
  EXPECT_TRUE(overlap({1000, 4, {}, {}}, {1003, 1, {}, {}}));
}

// Real and imaginary parts of complex numbers: many axes and elements, and none in common.
TEST(Overlap, interleavedPartsOfLargeArrays) {
  int64_t shape[] = {512, 64, 64}, strides[] = {64 * 64 * 8, 64 * 8, 8};
  StridedArray re{4096, 4, shape, strides}, im{4100, 4, shape, strides};
  EXPECT_FALSE(overlap(re, im));
  EXPECT_FALSE(overlapsItself(re));
  EXPECT_TRUE(overlap(re, {4099, 4, shape, strides}));
  int64_t transposed[] = {64 * 64 * 8, 8, 64 * 8};
  EXPECT_FALSE(overlap(re, {4100, 4, shape, transposed}));
  EXPECT_TRUE(overlap(re, {4096, 4, shape, transposed}));
}

TEST(Overlap, agreesWithEnumerationOnRandomArrays) {
  std::mt19937 random(7);
  auto pick = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
  int overlapping = 0;
  for (int i = 0; i < 20000; ++i) {
    int64_t shapes[2][3], strides[2][3];
    StridedArray arrays[2];
    for (int a = 0; a < 2; ++a) {
      int rank = pick(0, 3);
      for (int axis = 0; axis < rank; ++axis) {
        shapes[a][axis] = pick(pick(0, 9) ? 1 : 0, 4);
        strides[a][axis] = pick(0, 24);
      }
      arrays[a] = {static_cast<uintptr_t>(1000 + pick(0, 60)), int64_t(1) << pick(0, 3),
                   llvm::ArrayRef(shapes[a], rank), llvm::ArrayRef(strides[a], rank)};
    }
    ASSERT_EQ(overlap(arrays[0], arrays[1]), slowOverlap(arrays[0], arrays[1])) << i;
    ASSERT_EQ(overlapsItself(arrays[0]), slowOverlapsItself(arrays[0])) << i;
    overlapping += overlapsItself(arrays[0]);
  }
  EXPECT_GT(overlapping, 1000);
}
