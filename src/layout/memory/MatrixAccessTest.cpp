// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/MatrixAccess.h"
#include "layout/MmaLayouts.h"
#include "gtest/gtest.h"

using namespace tilewright::layout;

// PTX ISA 9.7.14.5.15: thread 4r + c gets elements 2c and 2c + 1 of row r; transposed, of column r.
TEST(MatrixAccess, fragments) {
  for (unsigned matrices : {1, 2, 4})
    for (bool transposed : {false, true}) {
      LinearLayout layout = matrixAccess(matrices, 16, transposed);
      EXPECT_TRUE(layout.isBijective());
      for (uint64_t matrix = 0; matrix < matrices; ++matrix)
        for (uint64_t lane = 0; lane < 32; ++lane)
          for (uint64_t half = 0; half < 2; ++half) {
            uint64_t row = lane / 4, column = lane % 4 * 2 + half;
            if (transposed)
              std::swap(row, column);
            EXPECT_EQ(layout.applyFlat({{Dim::Register, matrix * 2 + half}, {Dim::Lane, lane}}),
                      matrix * 64 + row * 8 + column);
          }
    }
  for (unsigned bits : {4, 8, 32}) {
    LinearLayout layout = matrixAccess(4, bits, false);
    unsigned packed = 32 / bits;
    for (uint64_t i = 0; i < 4 * packed; ++i)
      for (uint64_t lane = 0; lane < 32; ++lane)
        EXPECT_EQ(layout.applyFlat({{Dim::Register, i}, {Dim::Lane, lane}}),
                  i / packed * 32 * packed + lane * packed + i % packed);
  }
}

// The four matrices of ldmatrix.x4 are the operand A of m16n8k16: rows 0 and 8, then columns 0 and 8.
TEST(MatrixAccess, loadsOperands) {
  LinearLayout a = mmaSync(MmaOperand::A, {16, 8, 16, 16});
  LinearLayout fragments = matrixAccess(4, 16, false);
  std::optional<LinearLayout> where = a.relativeTo(fragments.inverse().then(a));
  ASSERT_TRUE(where); // where each element of the operand lies among the matrices
  for (uint64_t i = 0; i < 16; ++i)
    for (uint64_t k = 0; k < 16; ++k) {
      uint64_t offset = a.inverse().then(fragments).applyFlat({{tileDim(0), i}, {tileDim(1), k}});
      EXPECT_EQ(offset, (i / 8 + k / 8 * 2) * 64 + i % 8 * 8 + k % 8);
    }
  // B, k x n: plain from n x k in memory, transposed from k x n.
  LinearLayout b = mmaSync(MmaOperand::B, {16, 8, 16, 16});
  LinearLayout plain = b.inverse().then(matrixAccess(2, 16, false));
  LinearLayout transposed = b.inverse().then(matrixAccess(2, 16, true));
  for (uint64_t k = 0; k < 16; ++k)
    for (uint64_t n = 0; n < 8; ++n) {
      EXPECT_EQ(plain.applyFlat({{tileDim(0), k}, {tileDim(1), n}}), k / 8 * 64 + n * 8 + k % 8);
      EXPECT_EQ(transposed.applyFlat({{tileDim(0), k}, {tileDim(1), n}}), k / 8 * 64 + k % 8 * 8 + n);
    }
}

// Thread 4r + c has rows 4c to 4c + 3 of column r in the first register, of column r + 8 in the second; a store takes
// rows 2c and 2c + 1 of column r, then of column r + 8.
TEST(MatrixAccess, transposesBytes) {
  LinearLayout load = loadTransposedBytes(2), store = storeTransposedBytes(4);
  for (uint64_t lane = 0; lane < 32; ++lane)
    for (uint64_t i = 0; i < 16; ++i) {
      EXPECT_EQ(load.applyFlat({{Dim::Register, i}, {Dim::Lane, lane}}),
                i / 8 * 256 + (lane % 4 * 4 + i % 4) * 16 + lane / 4 + i / 4 % 2 * 8);
      EXPECT_EQ(store.applyFlat({{Dim::Register, i}, {Dim::Lane, lane}}),
                i / 4 * 128 + (lane % 4 * 2 + i % 2) * 16 + lane / 4 + i / 2 % 2 * 8);
    }
  // k x n in memory gives B of two products m16n8k16; an accumulator goes to n x m.
  LinearLayout b = mmaSync(MmaOperand::B, {16, 8, 16, 8}) * LinearLayout::identity(2, Dim::Register, tileDim(1));
  EXPECT_EQ(b.flatten().renameOutput(tileDim(0), Dim::Offset), loadTransposedBytes(1));
  LinearLayout c = mmaSync(MmaOperand::Accumulator, {16, 8, 32, 8});
  EXPECT_EQ(c.permute({1, 0}).flatten().renameOutput(tileDim(0), Dim::Offset), storeTransposedBytes(1));
}
