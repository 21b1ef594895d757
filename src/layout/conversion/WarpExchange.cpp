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

// C, column by column: where the source has the element of each bit of the result's registers, lanes and warps.
struct Columns {
  SmallVector<Place> ofRegister, ofLane, ofWarp;
  SmallVector<unsigned> staying, moving; // bits of lanes whose elements are in their lane already, and the others
};

std::optional<Columns> findColumns(const Source &source, const LinearLayout &from, const LinearLayout &to) {
  Columns columns;
  for (F2Vector element : to.basisOf(Dim::Register)) {
    std::optional<Place> place = source.find(element);
    if (!place)
      return std::nullopt;
    columns.ofRegister.push_back(*place);
  }
  for (auto [bit, element] : enumerate(to.basisOf(Dim::Lane))) {
    std::optional<Place> place = source.findStaying(element, from.basisOf(Dim::Lane), bit, {0, Mask(1) << bit});
    (place ? columns.staying : columns.moving).push_back(bit);
    if (!place)
      place = source.find(element);
    if (!place)
      return std::nullopt;
    columns.ofLane.push_back(*place);
  }
  ArrayRef<F2Vector> warps = from.basisOf(Dim::Warp);
  for (auto [bit, element] : enumerate(to.basisOf(Dim::Warp))) {
    std::optional<Place> place = source.findStaying(element, warps, bit, {});
    if (!place)
      place = source.find(element ^ (bit < warps.size() ? warps[bit] : 0));
    if (!place)
      return std::nullopt;
    columns.ofWarp.push_back(*place);
  }
  return columns;
}

// A linear map from lanes to registers, on the span of the lanes for which it has been defined.
class RegisterOfLane {
public:
  void define(Place place) {
    lanes.insert(place.lane);
    registers.push_back(place.reg);
  }
  std::optional<Mask> at(Mask lane) const {
    std::optional<F2Vector> sum = lanes.coordinates(lane);
    if (!sum)
      return std::nullopt;
    Mask reg = 0;
    for (auto [index, part] : enumerate(registers))
      reg ^= *sum >> index & 1 ? part : 0;
    return reg;
  }

private:
  F2Space lanes;
  SmallVector<Mask> registers;
};

// Chooses Q, which makes the lanes' columns of C those of M = E + D Q, and P with it: lane after lane, those that stay
// first. A lane of the result whose column lies in the span of those before it reads a lane that another one reads, and
// has to read the same register of it. Otherwise it fills another register than others do in a round, which comes from
// another lane, or it reads a copy.
class LaneChoice {
public:
  LaneChoice(Columns &columns, ArrayRef<Place> copies)
      : columns(columns), copies(copies), q(columns.ofLane.size(), 0) {}

  bool choose() {
    SmallVector<unsigned> open;
    for (unsigned bit : concat<unsigned>(columns.staying, columns.moving))
      if (!readsNewLane(bit, {}))
        open.push_back(bit);
    return all_of(open, [&](unsigned bit) { return readsSameRegister(bit) || fillsOther(bit) || readsCopy(bit); });
  }

  // Q, by bits of lanes.
  ArrayRef<Mask> filled() const { return q; }

  // P on all lanes of the source: zero where no lane reads.
  RegisterOfLane registersRead(unsigned sourceLanes) const {
    RegisterOfLane all = read;
    for (unsigned bit = 0; bit < sourceLanes; ++bit)
      all.define({0, Mask(1) << bit});
    return all;
  }

private:
  // Moves the column of a lane's bit by another place if it is new then.
  bool readsNewLane(unsigned bit, Place by) {
    Place moved = columns.ofLane[bit] ^ by;
    if (read.at(moved.lane))
      return false;
    columns.ofLane[bit] = moved;
    read.define(moved);
    return true;
  }
  bool readsSameRegister(unsigned bit) const { return read.at(columns.ofLane[bit].lane) == columns.ofLane[bit].reg; }
  bool fillsOther(unsigned bit) {
    for (auto [index, place] : enumerate(columns.ofRegister))
      if (readsNewLane(bit, place)) {
        q[bit] = Mask(1) << index;
        return true;
      }
    return false;
  }
  bool readsCopy(unsigned bit) {
    return any_of(copies, [&](Place copy) { return readsNewLane(bit, copy); });
  }

  Columns &columns;
  ArrayRef<Place> copies;
  SmallVector<Mask> q;
  RegisterOfLane read; // the register part of M, on the lanes that it reads
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

// A round for each register of the result. Those that come from the same lane are adjacent: elements narrower than
// 32 bits can share a shuffle.
SmallVector<ShuffleRound> shuffleRounds(ArrayRef<Place> ofRegister, const RegisterOfLane &p) {
  SmallVector<unsigned> bits;
  for (bool sameLane : {true, false})
    for (auto [index, place] : enumerate(ofRegister))
      if ((place.lane == 0) == sameLane)
        bits.push_back(index);
  SmallVector<ShuffleRound> rounds;
  for (unsigned number = 0; number < 1u << bits.size(); ++number) {
    ShuffleRound round{0, 0, 0};
    for (auto [index, bit] : enumerate(bits))
      if (number >> index & 1) {
        round.to |= 1u << bit;
        round.from ^= ofRegister[bit].reg;
        round.laneXor ^= ofRegister[bit].lane;
      }
    round.from ^= *p.at(round.laneXor);
    rounds.push_back(round);
  }
  return rounds;
}

} // namespace

std::optional<WarpExchange> chooseWarpExchange(const LinearLayout &from, const LinearLayout &to) {
  Source source(from);
  std::optional<Columns> columns = findColumns(source, from, to);
  if (!columns)
    return std::nullopt;
  SmallVector<Place> copies = source.copies();
  LaneChoice choice(*columns, copies);
  if (!choice.choose())
    return std::nullopt;

  unsigned sourceLanes = from.inputBits(Dim::Lane);
  RegisterOfLane p = choice.registersRead(sourceLanes);
  SmallVector<Mask> beforeOfLane, beforeOfWarp;
  for (unsigned bit = 0; bit < sourceLanes; ++bit)
    beforeOfLane.push_back(*p.at(Mask(1) << bit));
  for (Place place : columns->ofWarp)
    beforeOfWarp.push_back(place.reg ^ *p.at(place.lane));

  WarpExchange exchange;
  exchange.before = selectStages(beforeOfLane, beforeOfWarp);
  exchange.after = selectStages(choice.filled(), {});
  exchange.rounds = shuffleRounds(columns->ofRegister, p);
  for (Place place : columns->ofLane)
    exchange.sourceOfLane.push_back(place.lane);
  for (Place place : columns->ofWarp)
    exchange.sourceOfWarp.push_back(place.lane);
  return exchange;
}

} // namespace tilewright::layout
