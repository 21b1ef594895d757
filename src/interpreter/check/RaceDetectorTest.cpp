// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/RaceDetector.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tilewright::interpreter;

namespace {

using Token = RaceDetector::Token;
constexpr Token none = RaceDetector::none;

// Elements of four bytes; the place of an access is a number of its own, counted from 1.
struct Program {
  RaceDetector detector;
  uint32_t place = 0;

  SmallVector<uint64_t> elements(uint64_t first, uint64_t count, uint64_t stride = 4) {
    SmallVector<uint64_t> addresses;
    for (uint64_t i = 0; i < count; ++i)
      addresses.push_back(first + i * stride);
    return addresses;
  }
  MemoryEvent event(uint32_t block, Order order = Order::Weak, Scope scope = Scope::Block) {
    return {++place, block, order, scope, 4};
  }
  Token load(MemoryEvent event, SmallVector<uint64_t> addresses, Token before = none) {
    return detector.perform(event, before, {std::move(addresses), {}, {}});
  }
  Token store(MemoryEvent event, SmallVector<uint64_t> addresses, Token before = none) {
    return detector.perform(event, before, {{}, std::move(addresses), {}});
  }
  Token modify(MemoryEvent event, SmallVector<uint64_t> addresses, Token before = none) {
    return detector.perform(event, before, {{}, {}, std::move(addresses)});
  }
  // "1-2 unordered": the places of all races and what they are.
  std::string races() {
    constexpr const char *names[] = {"same store", "unordered", "blocks", "scope", "mixed sizes"};
    std::string text;
    for (const Race &race : detector.races())
      text += (text.empty() ? "" : ", ") + std::to_string(race.first.place) + "-" + std::to_string(race.second.place) +
              " " + names[static_cast<int>(race.kind)];
    return text;
  }
};

} // namespace

TEST(RaceDetector, tokensOrderWithinABlock) {
  Program p;
  Token stored = p.store(p.event(0), p.elements(0, 8));
  Token loaded = p.load(p.event(0), p.elements(0, 8), stored);
  p.store(p.event(0), p.elements(0, 8), loaded);
  EXPECT_EQ(p.races(), "");
}

TEST(RaceDetector, programOrderIsNone) {
  Program p;
  p.store(p.event(0), p.elements(0, 8));
  p.load(p.event(0), p.elements(0, 8));
  EXPECT_EQ(p.races(), "1-2 unordered");
  EXPECT_EQ(p.detector.races()[0].address, 0u);
}

TEST(RaceDetector, aTokenUsedTwiceOrdersNoneOfTheTwo) {
  Program p;
  Token start = p.store(p.event(0), p.elements(0, 8));
  p.load(p.event(0), p.elements(0, 4), start);
  p.store(p.event(0), p.elements(0, 8), start);
  EXPECT_EQ(p.races(), "2-3 unordered");
}

TEST(RaceDetector, joinedTokensOrderAfterAll) {
  Program p;
  Token a = p.load(p.event(0), p.elements(0, 4)), b = p.load(p.event(0), p.elements(16, 4));
  p.store(p.event(0), p.elements(0, 8), p.detector.join({a, b}));
  EXPECT_EQ(p.races(), "");
  p.store(p.event(0), p.elements(0, 8), p.detector.join({a, b}));
  EXPECT_EQ(p.races(), "3-4 unordered");
}

TEST(RaceDetector, otherBytesDoNotConflict) {
  Program p;
  p.store(p.event(0), p.elements(0, 8, 8));
  p.store(p.event(0), p.elements(4, 8, 8));
  p.store(p.event(1), p.elements(64, 8));
  EXPECT_EQ(p.races(), "");
  p.load(p.event(1), p.elements(8, 1));
  EXPECT_EQ(p.races(), "1-4 blocks");
}

TEST(RaceDetector, readsDoNotConflict) {
  Program p;
  for (uint32_t block = 0; block < 9; ++block)
    p.load(p.event(block), p.elements(0, 8));
  EXPECT_EQ(p.races(), "");
  p.store(p.event(9), p.elements(28, 1));
  EXPECT_EQ(p.detector.races().size(), 9u);
}

TEST(RaceDetector, aStoreMayNotHitAnElementTwice) {
  Program p;
  p.store(p.event(0), {8, 4, 8});
  EXPECT_EQ(p.races(), "1-1 same store");
  EXPECT_EQ(p.detector.races()[0].address, 8u);
  p.store(p.event(0, Order::Relaxed), {108, 104, 108});
  p.modify(p.event(0, Order::Relaxed), {208, 204, 208});
  p.load(p.event(0), {308, 304, 308});
  EXPECT_EQ(p.races(), "1-1 same store");
}

// The example of the header, and each of the ways in which it goes wrong.
TEST(RaceDetector, flagsPassMessages) {
  auto message = [](Order release, Scope releaseScope, Order acquire, Scope acquireScope, bool writerToken = true,
                    bool readerToken = true) {
    Program p;
    Token data = p.store(p.event(0), p.elements(0, 8));
    p.store(p.event(0, release, releaseScope), {100}, writerToken ? data : none);
    Token flag = p.load(p.event(1, acquire, acquireScope), {100});
    p.load(p.event(1), p.elements(0, 8), readerToken ? flag : none);
    return p.races();
  };
  const std::string race = "1-4 blocks";
  EXPECT_EQ(message(Order::Release, Scope::Device, Order::Acquire, Scope::Device), "");
  EXPECT_EQ(message(Order::Release, Scope::System, Order::Acquire, Scope::Device), "");
  EXPECT_EQ(message(Order::Release, Scope::Device, Order::Acquire, Scope::Device, false), race);
  EXPECT_EQ(message(Order::Release, Scope::Device, Order::Acquire, Scope::Device, true, false), race);
  EXPECT_EQ(message(Order::Relaxed, Scope::Device, Order::Acquire, Scope::Device), race);
  EXPECT_EQ(message(Order::Release, Scope::Device, Order::Relaxed, Scope::Device), race);
  EXPECT_EQ(message(Order::Release, Scope::Block, Order::Acquire, Scope::Device), "2-3 scope, " + race);
  EXPECT_EQ(message(Order::Release, Scope::Device, Order::Acquire, Scope::Block), "2-3 scope, " + race);
}

TEST(RaceDetector, anAcquireBeforeTheReleaseGetsNothing) {
  Program p;
  Token flag = p.load(p.event(1, Order::Acquire, Scope::Device), {100});
  Token data = p.store(p.event(0), {0});
  p.store(p.event(0, Order::Release, Scope::Device), {100}, data);
  p.load(p.event(1), {0}, flag);
  EXPECT_EQ(p.races(), "2-4 blocks");
}

TEST(RaceDetector, elementsSynchronizeOneByOne) {
  Program p;
  Token data = p.store(p.event(0), {0});
  p.store(p.event(0, Order::Release, Scope::Device), {100}, data);
  Token other = p.load(p.event(1, Order::Acquire, Scope::Device), {104});
  p.load(p.event(1), {0}, other);
  EXPECT_EQ(p.races(), "1-4 blocks");
}

// A relaxed store hides the release before it, a relaxed read-modify-write hands it on.
TEST(RaceDetector, releaseSequences) {
  for (bool overwritten : {false, true}) {
    Program p;
    Token data = p.store(p.event(0), {0});
    p.modify(p.event(0, Order::Release, Scope::Device), {100}, data);
    MemoryEvent relaxed = p.event(1, Order::Relaxed, Scope::Device);
    if (overwritten)
      p.store(relaxed, {100});
    else
      p.modify(relaxed, {100});
    Token flag = p.load(p.event(2, Order::Acquire, Scope::Device), {100});
    p.load(p.event(2), {0}, flag);
    EXPECT_EQ(p.races(), overwritten ? "1-5 blocks" : "");
  }
}

TEST(RaceDetector, locksOrderWhatTheyProtect) {
  Program p;
  for (uint32_t block = 0; block < 20; ++block) {
    Token locked = p.modify(p.event(block, Order::Acquire, Scope::Device), {100});
    Token loaded = p.load(p.event(block), {0}, locked);
    Token stored = p.store(p.event(block), {0}, loaded);
    p.store(p.event(block, Order::Release, Scope::Device), {100}, stored);
  }
  EXPECT_EQ(p.races(), "");
}

TEST(RaceDetector, theLastOfManyBlocksMayRead) {
  for (uint32_t careless : {~0u, 3u}) {
    Program p;
    Token counted = none;
    for (uint32_t block = 0; block < 10; ++block) {
      Token part = p.store(p.event(block), {block * 4});
      counted = p.modify(p.event(block, Order::AcquireRelease, Scope::Device), {100}, block == careless ? none : part);
    }
    p.load(p.event(9), p.elements(0, 10), counted);
    EXPECT_EQ(p.races(), careless == 3 ? "7-21 blocks" : "");
  }
}

TEST(RaceDetector, atomicsNeedEachOthersScope) {
  Program p;
  p.modify(p.event(0, Order::Relaxed, Scope::Device), {0});
  p.modify(p.event(1, Order::Relaxed, Scope::System), {0});
  p.load(p.event(2, Order::Relaxed, Scope::Device), {0});
  EXPECT_EQ(p.races(), "");
  p.modify(p.event(3, Order::Relaxed, Scope::Block), {0});
  EXPECT_EQ(p.races(), "2-4 scope, 1-4 scope, 3-4 scope");
}

TEST(RaceDetector, atomicsOfOneBlockNeedNoToken) {
  Program p;
  p.modify(p.event(0, Order::Relaxed, Scope::Block), {0});
  p.store(p.event(0, Order::Relaxed, Scope::Block), {0});
  EXPECT_EQ(p.races(), "");
  p.load(p.event(0), {0});
  EXPECT_EQ(p.races(), "2-3 unordered, 1-3 unordered");
}

TEST(RaceDetector, atomicsOfDifferentSizesRace) {
  Program p;
  p.modify(p.event(0, Order::Relaxed, Scope::Device), {0});
  MemoryEvent half = p.event(1, Order::Relaxed, Scope::Device);
  half.elementBytes = 2;
  p.modify(half, {2});
  EXPECT_EQ(p.races(), "1-2 mixed sizes");
  EXPECT_EQ(p.detector.races()[0].address, 2u);
}

// An atomic write may not make a plain read before it forgotten.
TEST(RaceDetector, plainReadsAreKeptUnderAtomics) {
  Program p;
  Token read = p.load(p.event(0), {0});
  p.modify(p.event(0, Order::Relaxed, Scope::Device), {0}, read);
  p.modify(p.event(1, Order::Relaxed, Scope::Device), {0});
  EXPECT_EQ(p.races(), "1-3 blocks");
}

TEST(RaceDetector, countsPairsOfPlaces) {
  Program p;
  MemoryEvent store = p.event(0);
  for (store.block = 0; store.block < 6; ++store.block)
    p.store(store, p.elements(0, 4));
  ASSERT_EQ(p.races(), "1-1 blocks");
  EXPECT_EQ(p.detector.races()[0].count, 5u);
}

// As a GEMM of 1024 x 1024 in tiles of 64 does: 4096 loads of two operands and 256 stores, each of 64 rows.
TEST(RaceDetector, isFastForTiles) {
  Program p;
  auto tile = [&](uint64_t base, uint64_t row, uint64_t column) {
    SmallVector<uint64_t> addresses;
    for (uint64_t i = 0; i < 64; ++i)
      for (uint64_t j = 0; j < 64; ++j)
        addresses.push_back(base + ((row * 64 + i) * 1024 + column * 64 + j) * 4);
    return addresses;
  };
  for (uint64_t m = 0; m < 16; ++m)
    for (uint64_t n = 0; n < 16; ++n) {
      uint32_t block = m * 16 + n;
      for (uint64_t k = 0; k < 16; ++k) {
        p.load(p.event(block), tile(0, m, k));
        p.load(p.event(block), tile(1 << 24, k, n));
      }
      p.store(p.event(block), tile(1 << 25, m, n));
    }
  EXPECT_EQ(p.races(), "");
}
