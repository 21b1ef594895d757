// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions inside a warp. Let C say where the source has what (r', l') is to get: register A r' + B l' of lane
// D r' + E l'. In a round that fills one register r' of all lanes at once, lanes in the kernel of E would read the same
// lane, and not the same register of it. So lane l' fills r' + Q l' instead, with Q chosen so that M = E + D Q is
// invertible where it matters; then the lane that is read determines the register, P applied to it, and the selects
// before and after are P and Q.
#include "layout/Distributed.h"
#include "layout/conversion/Conversion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::layout {

unsigned WarpExchange::sourceLane(unsigned lane, unsigned warp) const {
  unsigned source = 0;
  for (auto [bit, moved] : enumerate(sourceOfLane))
    source ^= lane >> bit & 1 ? moved : 0;
  for (auto [bit, moved] : enumerate(sourceOfWarp))
    source ^= warp >> bit & 1 ? moved : 0;
  return source;
}

bool WarpExchange::isShuffle(const ShuffleRound &round) const {
  if (round.laneXor)
    return true;
  for (auto [bit, moved] : enumerate(sourceOfLane))
    if (moved != 1u << bit)
      return true;
  return any_of(sourceOfWarp, [](Mask moved) { return moved != 0; });
}

namespace {

struct Place {
  Mask reg = 0, lane = 0;
  Place operator^(Place other) const { return {reg ^ other.reg, lane ^ other.lane}; }
};

// The registers and lanes of the source as one space, registers first, so that a solution prefers them.
class Source {
public:
  Source(const LinearLayout &from) : from(from), registerBits(from.inputBits(Dim::Register)) {
    registers.insert(from.basisOf(Dim::Register));
    all.insert(from.basisOf(Dim::Register));
    all.insert(from.basisOf(Dim::Lane));
  }
  // A place in the same warp that holds the element; in the same lane if there is one.
  std::optional<Place> find(F2Vector element) const {
    if (std::optional<F2Vector> in = registers.coordinates(element))
      return Place{Mask(*in), 0};
    if (std::optional<F2Vector> in = all.coordinates(element))
      return split(*in);
    return std::nullopt;
  }
  // The same, relative to a unit that may stay where it is.
  std::optional<Place> findStaying(F2Vector element, ArrayRef<F2Vector> basis, unsigned bit, Place unit) const {
    F2Vector here = bit < basis.size() ? basis[bit] : 0;
    if (std::optional<F2Vector> in = registers.coordinates(element ^ here))
      return Place{Mask(*in), 0} ^ unit;
    return std::nullopt;
  }
  // Places that hold the first element.
  SmallVector<Place> copies() const {
    SmallVector<Place> places;
    SmallVector<F2Vector> both(from.basisOf(Dim::Register));
    append_range(both, from.basisOf(Dim::Lane));
    for (F2Vector vector : F2Matrix(from.outputBits(), both).kernel())
      places.push_back(split(vector));
    return places;
  }

private:
  Place split(F2Vector input) const {
    return {Mask(input & maskTrailingOnes<uint64_t>(registerBits)), Mask(input >> registerBits)};
  }

  const LinearLayout &from;
  unsigned registerBits;
  F2Space registers, all;
};

// The map from lanes (and warps) to registers as stages of selects, one for each independent register it gives.
SmallVector<SelectStage> selectStages(ArrayRef<Mask> ofLane, ArrayRef<Mask> ofWarp) {
  F2Space images;
  SmallVector<F2Vector> basis;
  auto insert = [&](Mask image) {
    if (images.insert(image))
      basis.push_back(image);
  };
  for_each(ofLane, insert);
  for_each(ofWarp, insert);
  F2Space span(basis);
  SmallVector<SelectStage> stages;
  for (auto [index, registers] : enumerate(basis)) {
    SelectStage stage{Mask(registers), 0, 0};
    for (auto [bit, image] : enumerate(ofLane))
      stage.lanes |= Mask(*span.coordinates(image) >> index & 1) << bit;
    for (auto [bit, image] : enumerate(ofWarp))
      stage.warps |= Mask(*span.coordinates(image) >> index & 1) << bit;
    stages.push_back(stage);
  }
  return stages;
}

} // namespace

std::optional<WarpExchange> planWarpExchange(const LinearLayout &from, const LinearLayout &to) {
  Source source(from);
  ArrayRef<F2Vector> registers = to.basisOf(Dim::Register), lanes = to.basisOf(Dim::Lane),
                     warps = to.basisOf(Dim::Warp);
  // C, column by column.
  SmallVector<Place> ofRegister, ofLane(lanes.size()), ofWarp;
  for (F2Vector element : registers) {
    std::optional<Place> place = source.find(element);
    if (!place)
      return std::nullopt;
    ofRegister.push_back(*place);
  }
  SmallVector<unsigned> staying, moving;
  for (auto [bit, element] : enumerate(lanes)) {
    std::optional<Place> place = source.findStaying(element, from.basisOf(Dim::Lane), bit, {0, Mask(1) << bit});
    (place ? staying : moving).push_back(bit);
    if (!place)
      place = source.find(element);
    if (!place)
      return std::nullopt;
    ofLane[bit] = *place;
  }
  for (auto [bit, element] : enumerate(warps)) {
    ArrayRef<F2Vector> basis = from.basisOf(Dim::Warp);
    std::optional<Place> place = source.findStaying(element, basis, bit, {});
    if (!place)
      place = source.find(element ^ (bit < basis.size() ? basis[bit] : 0));
    if (!place)
      return std::nullopt;
    ofWarp.push_back(*place);
  }

  // Q and M: lane after lane, those that stay first. `read` is the span of M's columns; fixed[i] is the register part
  // of the i-th vector put in.
  SmallVector<Mask> q(lanes.size(), 0);
  F2Space read;
  SmallVector<Mask> fixed;
  unsigned count = 0;
  auto accept = [&](unsigned bit) {
    if (read.contains(ofLane[bit].lane))
      return false;
    read.insert(ofLane[bit].lane);
    fixed.push_back(ofLane[bit].reg);
    ++count;
    return true;
  };
  SmallVector<unsigned> open;
  for (unsigned bit : concat<unsigned>(staying, moving))
    if (!accept(bit))
      open.push_back(bit);
  SmallVector<Place> copies = source.copies();
  for (unsigned bit : open) {
    auto consistent = [&] {
      Mask reg = 0;
      std::optional<F2Vector> sum = read.coordinates(ofLane[bit].lane);
      for (unsigned i = 0; i < count; ++i)
        reg ^= sum && (*sum >> i & 1) ? fixed[i] : 0;
      return sum && reg == ofLane[bit].reg;
    };
    if (consistent())
      continue;
    bool found = false;
    for (auto [index, place] : enumerate(ofRegister))
      if (!found && !read.contains(ofLane[bit].lane ^ place.lane)) {
        q[bit] = Mask(1) << index;
        ofLane[bit] = ofLane[bit] ^ place;
        found = accept(bit);
      }
    for (Place copy : copies)
      if (!found && !read.contains(ofLane[bit].lane ^ copy.lane)) {
        ofLane[bit] = ofLane[bit] ^ copy;
        found = accept(bit);
      }
    if (!found)
      return std::nullopt;
  }

  // P, on the lanes that are read; elsewhere zero.
  unsigned sourceLanes = from.inputBits(Dim::Lane);
  F2Space lanesRead;
  SmallVector<Mask> registerOf;
  for (Place place : ofLane) {
    lanesRead.insert(place.lane);
    registerOf.push_back(place.reg);
  }
  for (unsigned bit = 0; bit < sourceLanes; ++bit) {
    lanesRead.insert(Mask(1) << bit);
    registerOf.push_back(0);
  }
  auto p = [&](Mask lane) {
    Mask reg = 0;
    F2Vector sum = *lanesRead.coordinates(lane);
    for (auto [index, part] : enumerate(registerOf))
      reg ^= sum >> index & 1 ? part : 0;
    return reg;
  };

  WarpExchange exchange;
  SmallVector<Mask> beforeOfLane, beforeOfWarp;
  for (unsigned bit = 0; bit < sourceLanes; ++bit)
    beforeOfLane.push_back(p(Mask(1) << bit));
  for (Place place : ofWarp)
    beforeOfWarp.push_back(place.reg ^ p(place.lane));
  exchange.before = selectStages(beforeOfLane, beforeOfWarp);
  exchange.after = selectStages(q, {});
  for (Place place : ofLane)
    exchange.sourceOfLane.push_back(place.lane);
  for (Place place : ofWarp)
    exchange.sourceOfWarp.push_back(place.lane);

  // Registers that come from the same lane in neighbouring rounds: what is narrower than 32 bits can share a shuffle.
  SmallVector<unsigned> bits;
  for (bool sameLane : {true, false})
    for (auto [index, place] : enumerate(ofRegister))
      if ((place.lane == 0) == sameLane)
        bits.push_back(index);
  for (unsigned number = 0; number < 1u << bits.size(); ++number) {
    ShuffleRound round{0, 0, 0};
    for (auto [index, bit] : enumerate(bits))
      if (number >> index & 1) {
        round.to |= 1u << bit;
        round.from ^= ofRegister[bit].reg;
        round.laneXor ^= ofRegister[bit].lane;
      }
    round.from ^= p(round.laneXor);
    exchange.rounds.push_back(round);
  }
  return exchange;
}

} // namespace tilewright::layout
