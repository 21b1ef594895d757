// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of the PTX ISA, formula by formula.
#include "layout/MmaLayouts.h"
#include "gtest/gtest.h"
#include <functional>
#include <set>

using namespace tilewright::layout;

namespace {

using Place = llvm::SmallVector<int64_t>;

// Each element of each lane is where `place(lane, i)` says, and there are `registers` of them.
void expectTable(const LinearLayout &layout, unsigned registers, Place shape,
                 std::function<Place(int64_t lane, int64_t i)> place) {
  EXPECT_EQ(layout.inputSize(Dim::Register), registers);
  EXPECT_EQ(layout.inputSize(Dim::Lane), 32u);
  EXPECT_EQ(layout.shape(), shape);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < int64_t(registers); ++i)
      EXPECT_EQ(layout.apply({{Dim::Register, uint64_t(i)}, {Dim::Lane, uint64_t(lane)}}), place(lane, i))
          << "lane " << lane << " element " << i;
}

} // namespace

// 9.7.14.5.7: m16n8k8
TEST(MmaSync, k8) {
  expectTable(mmaSync(MmaOperand::A, {16, 8, 8, 16}), 4, {16, 8},
              [](int64_t lane, int64_t i) { return Place{i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)}; });
  expectTable(mmaSync(MmaOperand::B, {16, 8, 8, 16}), 2, {8, 8},
              [](int64_t lane, int64_t i) { return Place{lane % 4 * 2 + i, lane / 4}; });
  // tf32, and f64 likewise
  for (unsigned bits : {32, 64}) {
    expectTable(mmaSync(MmaOperand::A, {16, 8, 8, bits}), 4, {16, 8}, [](int64_t lane, int64_t i) {
      return Place{i == 0 || i == 2 ? lane / 4 : lane / 4 + 8, i < 2 ? lane % 4 : lane % 4 + 4};
    });
    expectTable(mmaSync(MmaOperand::B, {16, 8, 8, bits}), 2, {8, 8},
                [](int64_t lane, int64_t i) { return Place{i == 0 ? lane % 4 : lane % 4 + 4, lane / 4}; });
  }
}

// 9.7.14.5.6: m16n8k4
TEST(MmaSync, k4) {
  for (unsigned bits : {32, 64}) {
    expectTable(mmaSync(MmaOperand::A, {16, 8, 4, bits}), 2, {16, 4},
                [](int64_t lane, int64_t i) { return Place{i == 0 ? lane / 4 : lane / 4 + 8, lane % 4}; });
    expectTable(mmaSync(MmaOperand::B, {16, 8, 4, bits}), 1, {4, 8},
                [](int64_t lane, int64_t) { return Place{lane % 4, lane / 4}; });
  }
  // 9.7.14.5.2: m8n8k4 of f64
  expectTable(mmaSync(MmaOperand::A, {8, 8, 4, 64}), 1, {8, 4},
              [](int64_t lane, int64_t) { return Place{lane / 4, lane % 4}; });
  expectTable(mmaSync(MmaOperand::B, {8, 8, 4, 64}), 1, {4, 8},
              [](int64_t lane, int64_t) { return Place{lane % 4, lane / 4}; });
  expectTable(mmaSync(MmaOperand::Accumulator, {8, 8, 4, 64}), 2, {8, 8},
              [](int64_t lane, int64_t i) { return Place{lane / 4, lane % 4 * 2 + i}; });
}

// 9.7.14.5.8 and .9: m16n8k16
TEST(MmaSync, k16) {
  expectTable(mmaSync(MmaOperand::A, {16, 8, 16, 16}), 8, {16, 16}, [](int64_t lane, int64_t i) {
    return Place{i < 2 || (4 <= i && i < 6) ? lane / 4 : lane / 4 + 8,
                 i < 4 ? lane % 4 * 2 + (i & 1) : lane % 4 * 2 + (i & 1) + 8};
  });
  expectTable(mmaSync(MmaOperand::B, {16, 8, 16, 16}), 4, {16, 8}, [](int64_t lane, int64_t i) {
    return Place{i < 2 ? lane % 4 * 2 + (i & 1) : lane % 4 * 2 + (i & 1) + 8, lane / 4};
  });
  expectTable(mmaSync(MmaOperand::A, {16, 8, 16, 64}), 8, {16, 16}, [](int64_t lane, int64_t i) {
    return Place{i % 2 == 0 ? lane / 4 : lane / 4 + 8, i % 2 == 0 ? i * 2 + lane % 4 : i * 2 - 2 + lane % 4};
  });
  expectTable(mmaSync(MmaOperand::A, {16, 8, 16, 8}), 8, {16, 16},
              [](int64_t lane, int64_t i) { return Place{i < 4 ? lane / 4 : lane / 4 + 8, lane % 4 * 4 + (i & 3)}; });
  expectTable(mmaSync(MmaOperand::B, {16, 8, 16, 8}), 4, {16, 8},
              [](int64_t lane, int64_t i) { return Place{lane % 4 * 4 + i, lane / 4}; });
}

// 9.7.14.5.10 and .11: m16n8k32, m16n8k64
TEST(MmaSync, k32AndK64) {
  expectTable(mmaSync(MmaOperand::A, {16, 8, 32, 8}), 16, {16, 32}, [](int64_t lane, int64_t i) {
    return Place{i < 4 || (8 <= i && i < 12) ? lane / 4 : lane / 4 + 8,
                 i < 8 ? lane % 4 * 4 + (i & 3) : lane % 4 * 4 + (i & 3) + 16};
  });
  expectTable(mmaSync(MmaOperand::B, {16, 8, 32, 8}), 8, {32, 8}, [](int64_t lane, int64_t i) {
    return Place{i < 4 ? lane % 4 * 4 + (i & 3) : lane % 4 * 4 + (i & 3) + 16, lane / 4};
  });
  expectTable(mmaSync(MmaOperand::A, {16, 8, 32, 4}), 16, {16, 32},
              [](int64_t lane, int64_t i) { return Place{i < 8 ? lane / 4 : lane / 4 + 8, lane % 4 * 8 + (i & 7)}; });
  expectTable(mmaSync(MmaOperand::A, {16, 8, 64, 4}), 32, {16, 64}, [](int64_t lane, int64_t i) {
    return Place{i < 8 || (16 <= i && i < 24) ? lane / 4 : lane / 4 + 8,
                 i < 16 ? lane % 4 * 8 + (i & 7) : lane % 4 * 8 + (i & 7) + 32};
  });
  expectTable(mmaSync(MmaOperand::B, {16, 8, 64, 4}), 16, {64, 8}, [](int64_t lane, int64_t i) {
    return Place{i < 8 ? lane % 4 * 8 + (i & 7) : lane % 4 * 8 + (i & 7) + 32, lane / 4};
  });
}

TEST(MmaSync, accumulator) {
  for (unsigned bits : {8, 16, 32, 64})
    expectTable(mmaSync(MmaOperand::Accumulator, {16, 8, bits == 64 ? 8 : 256 / int64_t(bits), bits}), 4, {16, 8},
                [](int64_t lane, int64_t i) { return Place{i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)}; });
}

TEST(MmaSync, shapes) {
  EXPECT_TRUE(isMmaSync({16, 8, 16, 16}));
  EXPECT_FALSE(isMmaSync({16, 8, 32, 16}));
  EXPECT_FALSE(isMmaSync({16, 16, 16, 16}));
  EXPECT_FALSE(isMmaSync({8, 8, 8, 64}));
}

// 9.7.15.5.1.1.1: m64nNk16 and the others: element d_i of thread t of the warpgroup
TEST(Wgmma, fragments) {
  for (int64_t n : {8, 64, 256}) {
    LinearLayout layout = wgmma(MmaOperand::Accumulator, {64, n, 16, 16});
    EXPECT_EQ(layout.inputSize(Dim::Register), unsigned(n / 2));
    for (int64_t thread = 0; thread < 128; ++thread)
      for (int64_t i = 0; i < n / 2; ++i)
        EXPECT_EQ(
            layout.apply(
                {{Dim::Register, uint64_t(i)}, {Dim::Lane, uint64_t(thread % 32)}, {Dim::Warp, uint64_t(thread / 32)}}),
            (Place{thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, i / 4 * 8 + thread % 4 * 2 + i % 2}));
  }
  LinearLayout a = wgmma(MmaOperand::A, {64, 8, 16, 16});
  for (int64_t thread = 0; thread < 128; ++thread)
    for (int64_t i = 0; i < 8; ++i)
      EXPECT_EQ(
          a.apply(
              {{Dim::Register, uint64_t(i)}, {Dim::Lane, uint64_t(thread % 32)}, {Dim::Warp, uint64_t(thread / 32)}}),
          (Place{thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, i / 4 * 8 + thread % 4 * 2 + i % 2}));
}

TEST(MmaTile, eachWarpHasItsRowsAndColumns) {
  MmaTiling tiling{{16, 8, 16, 16}, 2, 2, 64, 32, 32};
  LinearLayout a = mmaTile(MmaOperand::A, tiling), b = mmaTile(MmaOperand::B, tiling),
               c = mmaTile(MmaOperand::Accumulator, tiling);
  EXPECT_EQ(a.shape(), (Place{64, 32}));
  EXPECT_EQ(b.shape(), (Place{32, 32}));
  EXPECT_EQ(c.shape(), (Place{64, 32}));
  EXPECT_EQ(a.freeBits(Dim::Warp), 2u);
  EXPECT_EQ(b.freeBits(Dim::Warp), 1u);
  EXPECT_TRUE(c.isBijective());
  // Of each of its accumulators, a warp has the row of A and the column of B.
  for (uint64_t warp = 0; warp < 4; ++warp) {
    auto held = [&](const LinearLayout &layout, unsigned dim) {
      std::set<uint64_t> seen;
      for (uint64_t lane = 0; lane < 32; ++lane)
        for (uint64_t i = 0; i < layout.inputSize(Dim::Register); ++i)
          seen.insert(layout.apply({{Dim::Register, i}, {Dim::Lane, lane}, {Dim::Warp, warp}})[dim]);
      return seen;
    };
    EXPECT_EQ(held(a, 0), held(c, 0));
    EXPECT_EQ(held(b, 1), held(c, 1));
    EXPECT_EQ(held(a, 1).size(), 32u);
  }
}
