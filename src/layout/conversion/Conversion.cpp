// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/conversion/Conversion.h"
#include "layout/Distributed.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

// Per multiprocessor and cycle: a wavefront of shared memory or a shuffle, four arithmetic instructions of a warp. A
// barrier costs the latency of the store before it and of the load after.
double ConversionCost::cycles() const {
  return shuffles + wavefronts + (selects + accesses) / 4.0 + barriers * 30.0;
}

// With all lanes and so many warps, and only the registers given.
static LinearLayout withInputs(const LinearLayout &layout, ArrayRef<unsigned> registers, unsigned laneBits,
                               unsigned warpBits) {
  SmallVector<F2Vector> vectors;
  for (unsigned bit : registers)
    vectors.push_back(layout.basisOf(Dim::Register)[bit]);
  auto append = [&](Dim in, unsigned bits) {
    append_range(vectors, layout.basisOf(in));
    vectors.append(bits - layout.inputBits(in), 0);
  };
  append(Dim::Lane, laneBits);
  append(Dim::Warp, warpBits);
  return LinearLayout({{Dim::Register, unsigned(registers.size())}, {Dim::Lane, laneBits}, {Dim::Warp, warpBits}},
                      layout.outputs(), vectors);
}

static SmallVector<unsigned> registersOf(const LinearLayout &layout) {
  SmallVector<unsigned> registers;
  for (unsigned bit = 0; bit < layout.inputBits(Dim::Register); ++bit)
    registers.push_back(bit);
  return registers;
}

static ConversionCost costOf(const WarpExchange &exchange, unsigned registers, unsigned elementBits) {
  ConversionCost cost;
  unsigned moved = count_if(exchange.rounds, [&](const ShuffleRound &round) { return exchange.isShuffle(round); });
  unsigned sameLane = 1;
  while (sameLane < exchange.rounds.size() && exchange.rounds[sameLane].laneXor == 0)
    sameLane *= 2;
  // Rounds that read the same lane share a shuffle of 32 bits; wider elements need several.
  unsigned packed = elementBits < 32 ? std::min(32 / elementBits, sameLane) : 1;
  cost.shuffles = moved / packed * std::max(1u, elementBits / 32);
  if (moved % packed)
    ++cost.shuffles;
  cost.selects = (exchange.before.size() * (1u << registers) + exchange.after.size() * exchange.rounds.size()) *
                 std::max(1u, elementBits / 32);
  return cost;
}

// Blocks of a cluster keep what they have: the same part of the tile each, before and after.
static bool staysInBlocks(const LinearLayout &from, const LinearLayout &to) {
  Dim inBlock[] = {Dim::Register, Dim::Lane, Dim::Warp};
  LinearLayout held = from.restrictInputs(inBlock), wanted = to.restrictInputs(inBlock);
  return from.inputBits(Dim::Block) == to.inputBits(Dim::Block) && from.basisOf(Dim::Block) == to.basisOf(Dim::Block) &&
         wanted.relativeTo(held);
}

// The source's registers without copies, as bits of their number.
static SmallVector<unsigned> movedRegisters(const LinearLayout &from) {
  SmallVector<unsigned> bits;
  for (unsigned bit = 0; bit < from.inputBits(Dim::Register); ++bit)
    if (!(from.redundantBits(Dim::Register) >> bit & 1))
      bits.push_back(bit);
  return bits;
}

// Fills in the registers of the result and returns those that receive something: the result's registers that are sums
// of others are found in what those receive.
static SmallVector<unsigned> receivingRegisters(const LinearLayout &to, Conversion &conversion) {
  SmallVector<unsigned> receiving;
  F2Space span;
  for (auto [bit, vector] : enumerate(to.basisOf(Dim::Register))) {
    std::optional<F2Vector> earlier = span.coordinates(vector);
    span.insert(vector);
    Mask mask = 0;
    if (earlier) {
      for (auto [index, at] : enumerate(receiving))
        mask |= (*earlier >> at & 1) ? Mask(1) << index : 0;
    } else {
      mask = Mask(1) << receiving.size();
      receiving.push_back(bit);
    }
    conversion.result.push_back(mask);
  }
  return receiving;
}

static ConversionCost costOf(const SharedExchange &exchange, unsigned elementBits) {
  ConversionCost cost;
  unsigned parts = 1u << exchange.parts.size();
  cost.accesses = (exchange.store.instructions() + exchange.load.instructions()) * parts;
  cost.wavefronts = (exchange.store.wavefronts + exchange.load.wavefronts) * parts;
  cost.barriers = 2 * parts - 1; // between store and load, and before the next part
  cost.sharedBytes = exchange.shared.inputSize(Dim::Offset) * elementBits / 8;
  return cost;
}

std::optional<Conversion> chooseConversion(const LinearLayout &from, const LinearLayout &to,
                                           const ConversionOptions &options) {
  assert(from.shape() == to.shape() && "layouts of the same tile");
  assert(from.restrictInputs(kDistributed).isSurjective() && "the source holds every element");
  if (!staysInBlocks(from, to))
    return std::nullopt;
  Conversion conversion;
  conversion.source = movedRegisters(from);
  SmallVector<unsigned> receiving = receivingRegisters(to, conversion);
  unsigned laneBits = std::max(from.inputBits(Dim::Lane), to.inputBits(Dim::Lane));
  unsigned warpBits = std::max(from.inputBits(Dim::Warp), to.inputBits(Dim::Warp));
  LinearLayout source = withInputs(from, conversion.source, laneBits, warpBits);
  LinearLayout target = withInputs(to, receiving, laneBits, warpBits);

  std::optional<WarpExchange> inWarp = chooseWarpExchange(source, target);
  bool staysInWarp = inWarp.has_value();
  if (inWarp) {
    conversion.cost = costOf(*inWarp, conversion.source.size(), options.elementBits);
    conversion.warp = *inWarp;
    conversion.kind = ConversionKind::Warp;
    if (conversion.cost.shuffles == 0 && inWarp->before.empty() && inWarp->after.empty()) {
      // Copies may differ from those that the exchange would leave, and be right.
      bool same = from.inputBits(Dim::Register) == to.inputBits(Dim::Register) &&
                  withInputs(from, registersOf(from), laneBits, warpBits) ==
                      withInputs(to, registersOf(to), laneBits, warpBits);
      conversion.kind = same ? ConversionKind::None : ConversionKind::Registers;
      return conversion;
    }
    if (!options.shuffles && conversion.cost.shuffles)
      inWarp.reset();
  }
  if (options.sharedMemory)
    if (std::optional<SharedExchange> shared = chooseSharedExchange(source, target, options)) {
      ConversionCost cost = costOf(*shared, options.elementBits);
      shared->acrossWarps = !staysInWarp;
      if (!inWarp || cost.cycles() < conversion.cost.cycles()) {
        conversion.kind = ConversionKind::Shared;
        conversion.shared = *shared;
        conversion.warp = {};
        conversion.cost = cost;
        return conversion;
      }
    }
  return inWarp ? std::optional<Conversion>(conversion) : std::nullopt;
}

static const char *nameOf(SharedAccess::Kind kind, bool store) {
  switch (kind) {
  case SharedAccess::Vector:
    return store ? "st.shared" : "ld.shared";
  case SharedAccess::Matrix:
    return store ? "stmatrix" : "ldmatrix";
  case SharedAccess::MatrixTransposed:
    return store ? "stmatrix.trans" : "ldmatrix.trans";
  }
  return "";
}

std::string Conversion::str() const {
  std::string text;
  raw_string_ostream stream(text);
  switch (kind) {
  case ConversionKind::None:
    return "nothing to do";
  case ConversionKind::Registers:
    return "other names for registers";
  case ConversionKind::Warp:
    stream << cost.shuffles << " shuffles, " << cost.selects << " selects";
    break;
  case ConversionKind::Shared:
    for (bool store : {true, false}) {
      const SharedAccess &access = store ? shared.store : shared.load;
      stream << access.instructions() << ' ' << nameOf(access.kind, store) << " of " << access.elements()
             << (access.elements() == 1 ? " element in " : " elements in ") << access.wavefronts << " wavefronts, ";
    }
    stream << cost.sharedBytes << " bytes";
    if (!shared.parts.empty())
      stream << ", " << (1u << shared.parts.size()) << " times";
    break;
  }
  return text;
}

} // namespace tilewright::layout
