// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/LinearLayout.h"
#include "layout/Distributed.h"
#include "layout/RandomLayouts.h"
#include "gtest/gtest.h"
#include <set>

using namespace tilewright::layout;

namespace {

const Dim D0 = tileDim(0), D1 = tileDim(1), D2 = tileDim(2);

LinearLayout accumulator() {
  return LinearLayout({{Dim::Register, 2}, {Dim::Lane, 5}}, {{D0, 4}, {D1, 3}},
                      {1, 8 << 3, 2, 4, 1 << 3, 2 << 3, 4 << 3});
}

} // namespace

TEST(LinearLayout, appliesByXorOfBasisVectors) {
  LinearLayout layout = accumulator();
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      llvm::SmallVector<int64_t> expected{lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2};
      EXPECT_EQ(layout.apply({{Dim::Register, uint64_t(i)}, {Dim::Lane, uint64_t(lane)}}), expected);
    }
  EXPECT_EQ(layout.basis(Dim::Register, 1, D0), 8u);
  EXPECT_EQ(layout.basis(Dim::Register, 1, D1), 0u);
  EXPECT_TRUE(layout.isBijective());
}

TEST(LinearLayout, orderOfDimensionsDoesNotMatter) {
  LinearLayout other({{Dim::Lane, 5}, {Dim::Register, 2}}, {{D1, 3}, {D0, 4}}, {2 << 4, 4 << 4, 1, 2, 4, 1 << 4, 8});
  EXPECT_EQ(other, accumulator());
  EXPECT_EQ(hash_value(other), hash_value(accumulator()));
  // One warp is no warps, but a tile of 4x1 is not one of 4.
  LinearLayout lanes = LinearLayout::identity(4, Dim::Lane, D0), warp = lanes * LinearLayout::zeros(1, Dim::Warp, D0);
  EXPECT_EQ(warp, lanes);
  EXPECT_EQ(hash_value(warp), hash_value(lanes));
  EXPECT_NE(lanes.expand(1), lanes);
}

TEST(LinearLayout, productPutsTilesBesideEachOther) {
  LinearLayout tiles =
      accumulator() * LinearLayout::identity(2, Dim::Register, D1) * LinearLayout::identity(4, Dim::Warp, D0);
  EXPECT_EQ(tiles.shape(), (llvm::SmallVector<int64_t>{64, 16}));
  EXPECT_EQ(tiles.apply({{Dim::Register, 5}, {Dim::Lane, 6}, {Dim::Warp, 3}}),
            (llvm::SmallVector<int64_t>{48 + 1, 8 + 5}));
}

TEST(LinearLayout, quotientTimesTile) {
  RandomLayouts random(4);
  for (unsigned round = 0; round < 200; ++round) {
    LinearLayout tile = random.distributed(random.below(3), random.below(4), random.below(2), 1 + random.below(2), 2);
    LinearLayout outer = random.distributed(random.below(3), random.below(3), random.below(2), 2, 1 + random.below(2));
    LinearLayout product = tile * outer;
    std::optional<LinearLayout> quotient = product.leftQuotient(tile);
    ASSERT_TRUE(quotient);
    EXPECT_EQ(*quotient, outer);
    EXPECT_EQ(tile * *quotient, product);
    LinearLayout third = random.distributed(1, 1, 0, 1, 1);
    EXPECT_EQ((tile * outer) * third, tile * (outer * third));
  }
  EXPECT_FALSE(accumulator().leftQuotient(LinearLayout::identity(4, Dim::Register, D1)));
  EXPECT_FALSE(accumulator().leftQuotient(LinearLayout::identity(2, Dim::Lane, D1)));
  EXPECT_FALSE(accumulator().leftQuotient(LinearLayout::identity(2, Dim::Block, D1)));
  // The next tile overlaps this one.
  LinearLayout skewed({{Dim::Register, 2}}, {{D0, 2}}, {1, 3});
  EXPECT_FALSE(skewed.leftQuotient(LinearLayout::identity(2, Dim::Register, D0)));
}

TEST(LinearLayout, inverses) {
  RandomLayouts random(5);
  for (unsigned round = 0; round < 300; ++round) {
    unsigned rows = random.below(4), columns = random.below(4), bits = rows + columns;
    unsigned registers = random.below(bits + 1), lanes = bits - registers;
    LinearLayout square = random.distributed(registers, lanes, 0, rows, columns);
    EXPECT_EQ(square.inverse().inverse(), square);
    LinearLayout onTile = square.inverse().then(square);
    for (F2Vector element = 0; element < 1u << bits; ++element)
      EXPECT_EQ(
          onTile.coordinate(onTile.applyFlat({{D0, element >> columns}, {D1, element & ((1 << columns) - 1)}}), D0),
          element >> columns);

    LinearLayout wide = random.distributed(registers + 1, lanes, 1, rows, columns);
    LinearLayout back = wide.rightInverse().then(wide);
    EXPECT_EQ(back, LinearLayout::identity(1 << rows, D0, D0) * LinearLayout::identity(1 << columns, D1, D1));

    LinearLayout narrow = random.distributed(registers, lanes, 0, rows + 1, columns + 1);
    LinearLayout forth = narrow.then(narrow.leftInverse());
    EXPECT_EQ(forth, LinearLayout::identity(1 << registers, Dim::Register, Dim::Register) *
                         LinearLayout::identity(1 << lanes, Dim::Lane, Dim::Lane));
  }
}

TEST(LinearLayout, compositionIsAssociativeAndApplies) {
  RandomLayouts random(6);
  for (unsigned round = 0; round < 100; ++round) {
    LinearLayout first = random.distributed(2, 3, 1, 2, 3);
    LinearLayout second({{D0, 2}, {D1, 3}}, {{Dim::Offset, 5}}, random.vectors(5, 5));
    LinearLayout third({{Dim::Offset, 6}}, {{Dim::Row, 2}, {Dim::Column, 3}}, random.vectors(6, 5));
    EXPECT_EQ(first.then(second).then(third), first.then(second.then(third)));
    for (F2Vector input = 0; input < 64; ++input) {
      F2Vector tile = first.applyFlat(input);
      EXPECT_EQ(first.then(second).applyFlat(input),
                second.applyFlat({{D0, first.coordinate(tile, D0)}, {D1, first.coordinate(tile, D1)}}));
    }
  }
}

TEST(LinearLayout, relativeToSaysWhereTheOtherHasIt) {
  RandomLayouts random(7);
  for (unsigned round = 0; round < 200; ++round) {
    LinearLayout a = random.distributed(2, 3, 1, 2, 3), b = random.distributed(3, 3, 0, 2, 3);
    std::optional<LinearLayout> where = a.relativeTo(b);
    ASSERT_TRUE(where);
    EXPECT_EQ(where->then(b), a);
  }
  LinearLayout half = LinearLayout::identity(4, Dim::Lane, D0).extendOutput(D0, 8);
  EXPECT_FALSE(LinearLayout::identity(8, Dim::Lane, D0).relativeTo(half));
}

TEST(LinearLayout, shapes) {
  LinearLayout layout = accumulator();
  LinearLayout transposed = layout.permute({1, 0});
  EXPECT_EQ(transposed.shape(), (llvm::SmallVector<int64_t>{8, 16}));
  EXPECT_EQ(transposed.apply({{Dim::Register, 3}, {Dim::Lane, 5}}), (llvm::SmallVector<int64_t>{3, 9}));
  EXPECT_EQ(transposed.permute({1, 0}), layout);

  LinearLayout flat = layout.flatten();
  EXPECT_EQ(flat.apply({{Dim::Register, 3}, {Dim::Lane, 5}}), (llvm::SmallVector<int64_t>{9 * 8 + 3}));
  EXPECT_EQ(flat.reshape({16, 8}), layout);
  EXPECT_EQ(layout.reshape({4, 4, 8}).apply({{Dim::Register, 3}, {Dim::Lane, 5}}),
            (llvm::SmallVector<int64_t>{2, 1, 3}));

  LinearLayout rows = layout.slice(1);
  EXPECT_EQ(rows.shape(), (llvm::SmallVector<int64_t>{16}));
  EXPECT_EQ(rows.freeBits(Dim::Register), 1u);
  EXPECT_EQ(rows.freeBits(Dim::Lane), 3u);
  EXPECT_EQ(layout.slice(0).shape(), (llvm::SmallVector<int64_t>{8}));
  LinearLayout again = rows.expand(1).broadcast(1, 8);
  EXPECT_EQ(again.shape(), (llvm::SmallVector<int64_t>{16, 8}));
  EXPECT_EQ(again.slice(1).withoutFreeRegisters(), rows.withoutFreeRegisters());
  EXPECT_TRUE(again.slice(1).sameUpToFreeRegisters(rows));
  EXPECT_FALSE(again.slice(1) == rows);
}

TEST(LinearLayout, redundantPlacesHoldCopies) {
  RandomLayouts random(8);
  for (unsigned round = 0; round < 100; ++round) {
    LinearLayout layout({{Dim::Register, 3}, {Dim::Lane, 4}}, {{D0, 5}}, random.vectors(7, 5));
    std::set<F2Vector> all, kept;
    unsigned count = 0;
    for (F2Vector lane = 0; lane < 16; ++lane)
      for (F2Vector reg = 0; reg < 8; ++reg) {
        F2Vector element = layout.applyFlat({{Dim::Register, reg}, {Dim::Lane, lane}});
        all.insert(element);
        if ((reg & layout.redundantBits(Dim::Register)) || (lane & layout.redundantBits(Dim::Lane)))
          continue;
        kept.insert(element);
        ++count;
      }
    EXPECT_EQ(all, kept);
    EXPECT_EQ(count, kept.size());
  }
}

TEST(LinearLayout, consecutiveRegisters) {
  EXPECT_EQ(accumulator().consecutive(D1), 2u);
  EXPECT_EQ(accumulator().consecutive(D0), 1u);
  EXPECT_EQ(LinearLayout::identity(8, Dim::Register, D0).consecutive(D0), 8u);
  EXPECT_EQ(LinearLayout::strided(8, 2, Dim::Register, D0).consecutive(D0), 1u);
}

TEST(Blocked, countsThroughTheTile) {
  Blocked blocked{{1, 4}, {8, 4}, {2, 1}, {1, 0}};
  LinearLayout layout = blockedLayout(blocked, {16, 16});
  for (int64_t warp = 0; warp < 2; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t i = 0; i < 4; ++i)
        EXPECT_EQ(
            layout.apply({{Dim::Register, uint64_t(i)}, {Dim::Lane, uint64_t(lane)}, {Dim::Warp, uint64_t(warp)}}),
            (llvm::SmallVector<int64_t>{warp * 8 + lane / 4, lane % 4 * 4 + i}));

  // Larger: each thread holds the same place of every copy, the copies along the fastest dimension first.
  LinearLayout repeated = blockedLayout(blocked, {64, 32});
  EXPECT_EQ(repeated.inputSize(Dim::Register), 32u);
  EXPECT_EQ(repeated.apply({{Dim::Register, 4}}), (llvm::SmallVector<int64_t>{0, 16}));
  EXPECT_EQ(repeated.apply({{Dim::Register, 8}}), (llvm::SmallVector<int64_t>{16, 0}));
  EXPECT_TRUE(repeated.isBijective());

  // Smaller: several hold the same.
  LinearLayout wrapped = blockedLayout(blocked, {4, 8});
  EXPECT_EQ(wrapped.shape(), (llvm::SmallVector<int64_t>{4, 8}));
  EXPECT_TRUE(wrapped.isSurjective());
  EXPECT_EQ(wrapped.freeBits(Dim::Warp), 1u);
  EXPECT_EQ(wrapped.freeBits(Dim::Lane), 0b10010u);
}
