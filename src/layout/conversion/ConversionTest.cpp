// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/MmaLayouts.h"
#include "layout/RandomLayouts.h"
#include "layout/conversion/ExecuteConversion.h"
#include "layout/memory/AccessQuality.h"
#include "layout/memory/SharedLayouts.h"
#include "layout/memory/TensorMemory.h"
#include "gtest/gtest.h"

using namespace tilewright::layout;

namespace {

unsigned lanesOf(const LinearLayout &a, const LinearLayout &b, Dim dim) {
  return std::max(a.inputSize(dim), b.inputSize(dim));
}

// Chooses, executes, and looks at every register of every thread.
Conversion expectConverts(const LinearLayout &from, const LinearLayout &to, const ConversionOptions &options,
                          const std::string &what) {
  std::optional<Conversion> conversion = chooseConversion(from, to, options);
  EXPECT_TRUE(conversion) << what;
  if (!conversion)
    return {};
  unsigned lanes = lanesOf(from, to, Dim::Lane), warps = lanesOf(from, to, Dim::Warp);
  llvm::Expected<RegisterFile> result =
      executeConversion(*conversion, fillByLayout(from, lanes, warps), options.elementBits);
  if (!result) {
    ADD_FAILURE() << what << ": " << llvm::toString(result.takeError()) << "\n" << from.str() << "\n" << to.str();
    return *conversion;
  }
  EXPECT_EQ(result->values, fillByLayout(to, lanes, warps).values) << what << ": " << conversion->str() << "\n"
                                                                   << from.str() << "\n"
                                                                   << to.str();
  return *conversion;
}

struct Named {
  std::string name;
  LinearLayout layout;
};

std::vector<Named> instances(int64_t m, int64_t n) {
  std::vector<Named> all;
  auto blocked = [&](const char *name, Blocked blocked) { all.push_back({name, blockedLayout(blocked, {m, n})}); };
  blocked("rows of 8", {{1, 8}, {8, 4}, {4, 1}, {1, 0}});
  blocked("rows of 4", {{1, 4}, {4, 8}, {2, 2}, {1, 0}});
  blocked("rows of 1", {{1, 1}, {1, 32}, {4, 1}, {1, 0}});
  blocked("columns of 8", {{8, 1}, {4, 8}, {1, 4}, {0, 1}});
  blocked("squares", {{2, 2}, {8, 4}, {2, 2}, {0, 1}});
  auto tile = [&](const char *name, MmaOperand operand, MmaShape shape, int64_t warpsM, int64_t warpsN) {
    MmaTiling tiling{shape, warpsM, warpsN, m, n, n};
    if (operand == MmaOperand::B)
      tiling.k = m;
    all.push_back({name, mmaTile(operand, tiling)});
  };
  tile("accumulator", MmaOperand::Accumulator, {16, 8, 16, 16}, 2, 2);
  tile("A of f16", MmaOperand::A, {16, 8, 16, 16}, 2, 2);
  tile("B of f16", MmaOperand::B, {16, 8, 16, 16}, 2, 2);
  tile("A of tf32", MmaOperand::A, {16, 8, 8, 32}, 4, 1);
  tile("A of f8", MmaOperand::A, {16, 8, 32, 8}, 4, 1);
  tile("wgmma accumulator", MmaOperand::Accumulator, {64, std::clamp<int64_t>(n, 8, 256), 16, 16}, 1, 1);
  tile("wgmma A", MmaOperand::A, {64, 8, 16, 16}, 1, 1);
  if (m == 128 && n <= 64)
    all.push_back({"tensor memory",
                   tensorMemoryAccessOfWarpgroup(TensorMemoryShape::L32x32b, n).then(tensorMemoryAccumulator(m, n))});
  return all;
}

} // namespace

TEST(Conversion, allPairsOfInstances) {
  unsigned kinds[4] = {};
  for (auto [m, n] : {std::pair<int64_t, int64_t>{64, 64}, {128, 32}, {32, 128}, {16, 16}, {128, 4}})
    for (const Named &from : instances(m, n))
      for (const Named &to : instances(m, n))
        for (unsigned bits : {8, 16, 32}) {
          if (bits != 16 && m * n > 2048)
            continue;
          Conversion conversion = expectConverts(from.layout, to.layout, {bits}, from.name + " to " + to.name);
          ++kinds[unsigned(conversion.kind)];
          if (from.layout == to.layout)
            EXPECT_EQ(conversion.kind, ConversionKind::None) << from.name;
        }
  for (unsigned count : kinds)
    EXPECT_GT(count, 10u);
}

// Each way for itself, also where the other is cheaper.
TEST(Conversion, randomLayoutsByEachWay) {
  RandomLayouts random(21);
  unsigned shuffled = 0;
  for (unsigned round = 0; round < 400; ++round) {
    unsigned bits = 8u << random.below(4), rows = 4 + random.below(2), columns = 4;
    unsigned tile = rows + columns, extra = random.below(3), warps = random.below(3);
    auto any = [&] { return random.distributed(tile + extra - 5 - warps, 5, warps, rows, columns); };
    LinearLayout from = any(), to = any();
    ConversionOptions shared{bits, true, true, false, true};
    expectConverts(from, to, shared, "through shared memory");

    // A warp's part in another order of registers and lanes.
    LinearLayout inside = random.distributed(tile + extra - 5, 5, 0, rows, columns);
    LinearLayout other = random.distributed(tile + extra - 5, 5, 0, rows, columns);
    ConversionOptions shuffle{bits, true, true, true, false};
    if (chooseConversion(inside, other, shuffle)) {
      ++shuffled;
      expectConverts(inside, other, shuffle, "by shuffles");
    } else {
      EXPECT_NE(extra, 0u) << inside.str() << other.str();
    }
    // Bits that change places, over several warps.
    LinearLayout product = inside * LinearLayout::identity(4, Dim::Warp, tileDim(0));
    LinearLayout moved = other * LinearLayout::identity(4, Dim::Warp, tileDim(0));
    if (extra == 0)
      expectConverts(product, moved, shuffle, "by shuffles in several warps");
  }
  EXPECT_GT(shuffled, 250u);
}

// Any linear map of registers and lanes, and for each warp another register and lane: exchanges within a warp.
TEST(Conversion, anyMapInsideOfWarps) {
  RandomLayouts random(25);
  for (unsigned round = 0; round < 200; ++round) {
    unsigned registers = 1 + random.below(4), bits = registers + 5;
    LinearLayout from = random.distributed(registers, 5, 2, 3, bits + 2 - 3);
    // By number: registers, lanes, warps.
    llvm::SmallVector<F2Vector> vectors = random.basis(bits, bits);
    for (unsigned warp = 0; warp < 2; ++warp)
      vectors.push_back(random.below(1u << bits) | F2Vector(1) << (bits + warp));
    llvm::SmallVector<F2Vector> elements;
    for (F2Vector vector : vectors)
      elements.push_back(from.applyFlat(vector));
    LinearLayout to(from.inputs(), from.outputs(), elements);
    Conversion conversion = expectConverts(from, to, {32, false, false, true, false}, "inside of warps");
    EXPECT_LE(conversion.cost.shuffles, 1u << registers);
  }
}

TEST(Conversion, registersOnly) {
  LinearLayout layout = mmaSync(MmaOperand::Accumulator, {16, 8, 16, 16});
  LinearLayout renamed({{Dim::Register, 2}, {Dim::Lane, 5}}, layout.outputs(),
                       {8 << 3, 1, 2, 4, 1 << 3, 2 << 3, 4 << 3});
  EXPECT_EQ(expectConverts(layout, renamed, {16}, "renamed").kind, ConversionKind::Registers);
  // The accumulator of f16 is the operand A of half the k: no data moves between threads.
  MmaTiling tiling{{16, 8, 16, 16}, 4, 1, 64, 16, 16};
  Conversion reuse = expectConverts(mmaTile(MmaOperand::Accumulator, tiling), mmaTile(MmaOperand::A, tiling), {16},
                                    "the product of attention");
  EXPECT_LE(unsigned(reuse.kind), unsigned(ConversionKind::Registers)) << reuse.str();
  // A reduced row, broadcast again: copies are there already.
  LinearLayout rows = layout.slice(1);
  EXPECT_EQ(expectConverts(rows, layout.slice(1), {32}, "rows").kind, ConversionKind::None);
}

TEST(Conversion, shufflesAreFew) {
  ConversionOptions options{32, false, false, true, false};
  // One register bit and one lane bit change places: half of the registers move.
  LinearLayout from({{Dim::Register, 2}, {Dim::Lane, 5}}, {{tileDim(0), 7}}, {1, 2, 4, 8, 16, 32, 64});
  LinearLayout one({{Dim::Register, 2}, {Dim::Lane, 5}}, {{tileDim(0), 7}}, {4, 2, 1, 8, 16, 32, 64});
  Conversion conversion = expectConverts(from, one, options, "one bit");
  EXPECT_EQ(conversion.cost.shuffles, 2u);
  EXPECT_EQ(conversion.cost.selects, 8u);
  LinearLayout two({{Dim::Register, 2}, {Dim::Lane, 5}}, {{tileDim(0), 7}}, {4, 8, 1, 2, 16, 32, 64});
  conversion = expectConverts(from, two, options, "two bits");
  EXPECT_EQ(conversion.cost.shuffles, 3u);
  EXPECT_EQ(conversion.cost.selects, 16u);
  // Lanes alone: every register once; halves travel in pairs.
  LinearLayout lanes({{Dim::Register, 2}, {Dim::Lane, 5}}, {{tileDim(0), 7}}, {1, 2, 8, 4, 16, 32, 64});
  conversion = expectConverts(from, lanes, options, "lanes");
  EXPECT_EQ(conversion.cost.shuffles, 4u);
  EXPECT_EQ(conversion.cost.selects, 0u);
  options.elementBits = 16;
  EXPECT_EQ(expectConverts(from, lanes, options, "lanes of f16").cost.shuffles, 2u);
}

// The case of a transposition in shared memory: 16 x 32 of f32, rows stored, columns loaded.
TEST(Conversion, transposesWithoutConflicts) {
  LinearLayout from = blockedLayout({{1, 1}, {1, 32}, {1, 1}, {1, 0}}, {16, 32});
  LinearLayout to = blockedLayout({{1, 1}, {16, 2}, {1, 1}, {0, 1}}, {16, 32});
  Conversion conversion = expectConverts(from, to, {32, true, true, false, true}, "transposed");
  EXPECT_EQ(conversion.shared.store.wavefronts, 16u);
  EXPECT_EQ(conversion.shared.load.wavefronts, 16u);
}

TEST(Conversion, sharedMemoryIsFreeOfConflicts) {
  // Any two layouts without copies: each side takes only the wavefronts that its bytes need.
  RandomLayouts random(22);
  for (unsigned round = 0; round < 200; ++round) {
    LinearLayout from = random.distributed(4, 5, 0, 4, 5), to = random.distributed(4, 5, 0, 4, 5);
    for (unsigned bits : {32, 64}) {
      std::optional<SharedExchange> exchange = chooseSharedExchange(from, to, {bits});
      ASSERT_TRUE(exchange);
      EXPECT_EQ(exchange->store.wavefronts, 16u * bits / 32) << from.str() << to.str();
      EXPECT_EQ(exchange->load.wavefronts, 16u * bits / 32) << from.str() << to.str();
    }
  }
}

// The epilogue of a GEMM: an accumulator in f16 to rows of 16 bytes, by stmatrix without conflicts.
TEST(Conversion, usesMatrixInstructions) {
  LinearLayout accumulator = mmaTile(MmaOperand::Accumulator, {{64, 64, 16, 16}, 1, 1, 64, 64, 64});
  LinearLayout rows = blockedLayout({{1, 8}, {4, 8}, {4, 1}, {1, 0}}, {64, 64});
  Conversion conversion = expectConverts(accumulator, rows, {16}, "epilogue");
  EXPECT_EQ(conversion.kind, ConversionKind::Shared);
  EXPECT_EQ(conversion.shared.store.kind, SharedAccess::Matrix);
  EXPECT_EQ(conversion.str(), "4 stmatrix of 8 elements in 16 wavefronts, 4 ld.shared of 8 elements in 16 wavefronts, "
                              "8192 bytes");
  // Without stmatrix (before sm_90) pairs are stored; still without conflicts.
  conversion = expectConverts(accumulator, rows, {16, true, false}, "epilogue");
  EXPECT_EQ(conversion.shared.store.kind, SharedAccess::Vector);
  EXPECT_EQ(conversion.shared.store.wavefronts, 16u);

  // Columns, too: stmatrix.trans.
  LinearLayout columns = blockedLayout({{8, 1}, {8, 4}, {1, 4}, {0, 1}}, {64, 64});
  conversion = expectConverts(accumulator, columns, {16}, "epilogue of columns");
  EXPECT_EQ(conversion.shared.store.kind, SharedAccess::MatrixTransposed);
  EXPECT_EQ(conversion.shared.store.wavefronts, 16u);
  EXPECT_EQ(conversion.shared.load.wavefronts, 16u);

  // Loaded rows to the operands of mma.sync on sm_80: ldmatrix, for B of rows with .trans.
  ConversionOptions ampere{16, true, false};
  LinearLayout a = mmaTile(MmaOperand::A, {{16, 8, 16, 16}, 4, 1, 64, 64, 64});
  conversion = expectConverts(rows, a, ampere, "operand A");
  EXPECT_EQ(conversion.str(), "4 st.shared of 8 elements in 16 wavefronts, 4 ldmatrix of 8 elements in 16 wavefronts, "
                              "8192 bytes");
  LinearLayout b = mmaTile(MmaOperand::B, {{16, 8, 16, 16}, 1, 4, 64, 64, 64});
  conversion = expectConverts(rows, b, ampere, "operand B");
  EXPECT_EQ(conversion.str(),
            "4 st.shared of 8 elements in 16 wavefronts, 4 ldmatrix.trans of 8 elements in 16 wavefronts, "
            "8192 bytes");
  // With stmatrix there is another way of the same cost: pairs that A needs in one thread become neighbours.
  EXPECT_EQ(expectConverts(rows, a, {16}, "operand A").cost.wavefronts, 32u);
}

TEST(Conversion, wavefrontsAreThoseOfTheAddresses) {
  RandomLayouts random(23);
  for (unsigned round = 0; round < 100; ++round) {
    unsigned bits = 8u << random.below(4);
    LinearLayout from = random.distributed(4, 5, 1, 5, 5), to = random.distributed(4, 5, 1, 5, 5);
    std::optional<SharedExchange> exchange = chooseSharedExchange(from, to, {bits, false, false});
    ASSERT_TRUE(exchange);
    for (bool store : {true, false}) {
      const SharedAccess &access = store ? exchange->store : exchange->load;
      LinearLayout offsets = (store ? from : to).then(exchange->shared.inverse());
      unsigned counted = 0;
      for (unsigned instruction = 0; instruction < access.instructions(); ++instruction) {
        unsigned reg = 0;
        for (unsigned bit = 0; bit < access.outer.size(); ++bit)
          reg ^= instruction >> bit & 1 ? access.outer[bit] : 0;
        llvm::SmallVector<uint64_t> addresses;
        for (uint64_t lane = 0; lane < kLanes; ++lane)
          addresses.push_back(offsets.applyFlat({{Dim::Register, reg}, {Dim::Lane, lane}}) * bits / 8);
        counted += countWavefronts(addresses, std::max(1u, access.elements() * bits / 8));
      }
      EXPECT_EQ(access.wavefronts, counted);
    }
  }
}

// Between registers and a layout of shared memory that others have chosen, as TMA and wgmma do.
TEST(Conversion, accessesGivenMemory) {
  LinearLayout accumulator = mmaTile(MmaOperand::Accumulator, {{64, 64, 16, 16}, 1, 1, 64, 64, 64});
  LinearLayout a = mmaTile(MmaOperand::A, {{64, 64, 16, 16}, 1, 1, 64, 64, 64});
  LinearLayout rows = blockedLayout({{1, 8}, {4, 8}, {4, 1}, {1, 0}}, {64, 64});
  auto execute = [](const LinearLayout &from, const LinearLayout &to, const SharedExchange &exchange) {
    Conversion conversion;
    conversion.kind = ConversionKind::Shared;
    conversion.shared = exchange;
    for (unsigned bit = 0; bit < from.inputBits(Dim::Register); ++bit)
      conversion.source.push_back(bit);
    for (unsigned bit = 0; bit < to.inputBits(Dim::Register); ++bit)
      conversion.result.push_back(Mask(1) << bit);
    llvm::Expected<RegisterFile> result = executeConversion(conversion, fillByLayout(from, 32, 4), 16);
    ASSERT_TRUE(bool(result));
    EXPECT_EQ(result->values, fillByLayout(to, 32, 4).values);
  };
  for (SwizzleMode mode : {SwizzleMode::None, SwizzleMode::B32, SwizzleMode::B64, SwizzleMode::B128})
    for (bool columns : {false, true}) {
      LinearLayout shared =
          tmaTile({64, 64}, columns ? llvm::ArrayRef<unsigned>{0, 1} : llvm::ArrayRef<unsigned>{1, 0}, mode, 16);
      SharedAccess store = chooseSharedAccess(accumulator, shared, SharedDirection::Store, 16);
      SharedAccess load = chooseSharedAccess(a, shared, SharedDirection::Load, 16);
      EXPECT_EQ(store.kind, columns ? SharedAccess::MatrixTransposed : SharedAccess::Matrix);
      EXPECT_EQ(load.kind, columns ? SharedAccess::MatrixTransposed : SharedAccess::Matrix);
      // Swizzled, there are no conflicts. Else the eight rows of a matrix meet in one unit of 16 bytes; transposed, two
      // of a thread's registers can be chosen that do not.
      EXPECT_EQ(store.wavefronts, mode != SwizzleMode::None ? 16u : columns ? 64u : 128u);
      EXPECT_EQ(load.wavefronts, store.wavefronts);
      execute(accumulator, a, {shared, store, load, {}, true});
      SharedAccess fill = chooseSharedAccess(rows, shared, SharedDirection::Store, 16);
      if (!columns)
        EXPECT_EQ(fill.elements(), 8u);
      if (!columns && mode == SwizzleMode::B128)
        EXPECT_EQ(fill.wavefronts, 16u);
      execute(rows, a, {shared, fill, load, {}, true});
    }
}

TEST(Conversion, goesInPartsIfMemoryIsShort) {
  LinearLayout from = mmaTile(MmaOperand::Accumulator, {{64, 128, 16, 16}, 1, 1, 64, 128, 64});
  LinearLayout to = blockedLayout({{1, 8}, {2, 16}, {4, 1}, {1, 0}}, {64, 128});
  ConversionOptions options{16, true, true, false, true, 4096};
  Conversion conversion = expectConverts(from, to, options, "in parts");
  EXPECT_EQ(conversion.cost.sharedBytes, 4096u);
  EXPECT_EQ(conversion.shared.parts.size(), 2u);
  EXPECT_EQ(conversion.cost.wavefronts, 64u);
  RandomLayouts random(24);
  unsigned inParts = 0;
  for (unsigned round = 0; round < 200; ++round) {
    // Two registers in common, somewhere.
    unsigned bits = 8u << random.below(3);
    auto vectors = random.basis(10, 10);
    auto any = [&] {
      auto mine = vectors;
      std::shuffle(mine.begin() + 2, mine.end(), random.engine);
      mine[0] ^= random.below(2) ? mine[1] : 0;
      return LinearLayout({{Dim::Register, 4}, {Dim::Lane, 5}, {Dim::Warp, 1}}, {{tileDim(0), 5}, {tileDim(1), 5}},
                          mine);
    };
    LinearLayout one = any(), other = any();
    uint64_t bytes = 1024 * bits / 8;
    for (uint64_t most : {bytes, bytes / 2, bytes / 4}) {
      Conversion small = expectConverts(one, other, {bits, false, false, false, true, most}, "in parts");
      if (small.kind != ConversionKind::Shared)
        continue;
      EXPECT_LE(small.cost.sharedBytes, most);
      inParts += !small.shared.parts.empty();
    }
  }
  EXPECT_GT(inParts, 200u);
  // Nothing in common: there is no way.
  EXPECT_FALSE(chooseConversion(blockedLayout({{8, 1}, {1, 32}, {1, 1}, {0, 1}}, {8, 32}),
                                blockedLayout({{1, 8}, {8, 4}, {1, 1}, {1, 0}}, {8, 32}),
                                {32, true, true, false, true, 256}));
}

TEST(Conversion, blocksDoNotExchange) {
  LinearLayout blocks = LinearLayout::identity(2, Dim::Block, tileDim(0));
  LinearLayout from = LinearLayout::identity(32, Dim::Lane, tileDim(0)) * blocks;
  LinearLayout to = blocks * LinearLayout::identity(32, Dim::Lane, tileDim(0));
  EXPECT_FALSE(chooseConversion(from, to, {32}));
  // Each block on its own: the conversion is that of its part.
  LinearLayout accumulator = mmaTile(MmaOperand::Accumulator, {{64, 64, 16, 16}, 1, 1, 64, 64, 64});
  LinearLayout rows = blockedLayout({{1, 8}, {4, 8}, {4, 1}, {1, 0}}, {64, 64});
  std::optional<Conversion> alone = chooseConversion(accumulator, rows, {16});
  std::optional<Conversion> pair = chooseConversion(accumulator * blocks, rows * blocks, {16});
  ASSERT_TRUE(alone && pair);
  EXPECT_EQ(pair->str(), alone->str());
  llvm::Expected<RegisterFile> result = executeConversion(*pair, fillByLayout(accumulator, 32, 4), 16);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->values, fillByLayout(rows, 32, 4).values);
}
