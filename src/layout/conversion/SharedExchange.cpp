// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges through shared memory, with a layout of it computed for the two sides.
//
// An offset has three parts, from the lowest: the chain (elements of one vector or matrix row, which both sides may
// use), the rest of the 128 bytes that make up all banks, and the line. Lanes that are served at once conflict when
// they differ in the line only. So the vectors of the tile that choose the line must span a space that meets, for each
// side, what its lanes and their vectors span in zero only. Two subspaces of a dimension always have a common
// complement: with e_i and f_i completing the intersection of the two to the one and to the other, the sums e_i + f_i
// do, and what lies outside both. Where line bits are more than that space has, they must take some of the lanes'.
#include "layout/conversion/Conversion.h"
#include "layout/memory/AccessQuality.h"
#include "layout/memory/SharedLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

namespace {

// Sizes in bytes that follow from the width of elements.
struct Widths {
  unsigned elementBits;
  unsigned word, row, span; // bits of an offset inside 4, 16, 128 bytes

  explicit Widths(unsigned elementBits)
      : elementBits(elementBits), word(inside(32)), row(inside(128)), span(inside(1024)) {}
  unsigned inside(unsigned bits) const { return bits > elementBits ? Log2_32(bits / elementBits) : 0; }
};

using Vectors = SmallVector<F2Vector>;

Vectors unitVectors(unsigned bits) {
  Vectors units;
  for (unsigned bit = 0; bit < bits; ++bit)
    units.push_back(F2Vector(1) << bit);
  return units;
}

// Those of the candidates that are new beyond the space, which they complete.
Vectors extend(F2Space &space, ArrayRef<F2Vector> candidates, unsigned most = 64) {
  Vectors added;
  for (F2Vector vector : candidates)
    if (added.size() < most && !space.contains(vector)) {
      space.insert(vector);
      added.push_back(vector);
    }
  return added;
}

// The vectors that registers of both have, the first in the order of the source's registers.
Vectors commonRegisters(const LinearLayout &from, const LinearLayout &to) {
  ArrayRef<F2Vector> a = from.basisOf(Dim::Register), b = to.basisOf(Dim::Register);
  F2Space inB(b), inCommon;
  Vectors common;
  for (F2Vector vector : a)
    if (inB.contains(vector) && inCommon.insert(vector))
      common.push_back(vector);
  append_range(common, extend(inCommon, intersection(a, b)));
  return common;
}

// One side, as tile vectors.
struct Side {
  Vectors registers, lanes, warps;
  explicit Side(const LinearLayout &layout)
      : registers(layout.basisOf(Dim::Register)), lanes(layout.basisOf(Dim::Lane)), warps(layout.basisOf(Dim::Warp)) {}
};

// The chain and what is done with it by each side.
struct Candidate {
  Vectors chain;
  SharedAccess::Kind store, load;
};

class ExchangeSearch {
public:
  ExchangeSearch(const LinearLayout &from, const LinearLayout &to, const ConversionOptions &options)
      : from(from), to(to), a(from), b(to), widths(options.elementBits), options(options) {}

  std::optional<SharedExchange> run();

private:
  Vectors matrixChain(const Side &side, SharedAccess::Kind kind, ArrayRef<F2Vector> registers) const;
  SmallVector<Candidate> candidates() const;
  Vectors together(const Side &side, SharedAccess::Kind kind, ArrayRef<F2Vector> chain) const;
  LinearLayout memory(const Candidate &candidate) const;

  const LinearLayout &from, &to;
  Side a, b;
  Widths widths;
  ConversionOptions options;
};

// The vectors of a row of 16 bytes of matrices whose fragments the side holds.
Vectors ExchangeSearch::matrixChain(const Side &side, SharedAccess::Kind kind, ArrayRef<F2Vector> registers) const {
  if (widths.elementBits > 32 || side.lanes.size() != 5 || registers.size() < widths.word)
    return {};
  if (kind == SharedAccess::MatrixTransposed)
    return widths.elementBits == 16 && !side.registers.empty() ? Vectors(ArrayRef(side.lanes).drop_front(2))
                                                               : Vectors();
  Vectors chain(registers.take_front(widths.word));
  append_range(chain, ArrayRef(side.lanes).take_front(2));
  return chain;
}

SmallVector<Candidate> ExchangeSearch::candidates() const {
  Vectors common = commonRegisters(from, to);
  SmallVector<Candidate> all;
  auto add = [&](Vectors chain, SharedAccess::Kind store, SharedAccess::Kind load) {
    if (chain.size() > widths.row)
      chain.truncate(widths.row);
    if (F2Space(chain).dimension() == chain.size())
      all.push_back({chain, store, load});
  };
  // Vectors on both sides: the common ones, or fewer if lanes prevent that, or with more of one side.
  auto more = [&](const Side &side) {
    Vectors chain(common);
    F2Space space(common);
    append_range(chain, extend(space, side.registers));
    return chain;
  };
  for (size_t length = 0; length <= std::min<size_t>(common.size(), widths.row); ++length)
    add(Vectors(ArrayRef(common).take_front(length)), SharedAccess::Vector, SharedAccess::Vector);
  add(more(a), SharedAccess::Vector, SharedAccess::Vector);
  add(more(b), SharedAccess::Vector, SharedAccess::Vector);

  // Matrices on one side or on both.
  const SharedAccess::Kind kinds[] = {SharedAccess::Matrix, SharedAccess::MatrixTransposed};
  for (bool isStore : {true, false}) {
    const Side &side = isStore ? a : b;
    if (isStore ? !options.stmatrix : !options.ldmatrix)
      continue;
    for (SharedAccess::Kind kind : kinds)
      for (ArrayRef<F2Vector> registers : {ArrayRef<F2Vector>(side.registers), ArrayRef<F2Vector>(common)}) {
        Vectors chain = matrixChain(side, kind, registers);
        if (chain.empty())
          continue;
        add(chain, isStore ? kind : SharedAccess::Vector, isStore ? SharedAccess::Vector : kind);
        for (SharedAccess::Kind other : kinds)
          if (isStore && options.ldmatrix)
            add(chain, kind, other);
      }
  }
  return all;
}

// The addresses that one part of an access covers at once: its vectors and the lanes that are served together.
Vectors ExchangeSearch::together(const Side &side, SharedAccess::Kind kind, ArrayRef<F2Vector> chain) const {
  Vectors vectors(chain.take_front(std::min<size_t>(chain.size(), widths.word)));
  ArrayRef<F2Vector> lanes(side.lanes);
  if (kind == SharedAccess::Vector) {
    F2Space registers(side.registers);
    unsigned width = 0;
    while (width < chain.size() && registers.contains(chain[width]))
      ++width;
    unsigned bytes = std::max(1u, (widths.elementBits << width) / 8);
    append_range(vectors, chain.slice(std::min<size_t>(chain.size(), widths.word))
                              .take_front(width > widths.word ? width - widths.word : 0));
    append_range(vectors, lanes.take_front(Log2_32(lanesPerWavefront(std::min(16u, bytes)))));
    return vectors;
  }
  vectors.assign(chain.begin(), chain.end());
  if (kind == SharedAccess::Matrix) {
    append_range(vectors, lanes.drop_front(2));
    return vectors;
  }
  F2Space space(vectors);
  append_range(vectors, extend(space, side.registers, 1));
  append_range(vectors, lanes.take_front(2));
  return vectors;
}

LinearLayout ExchangeSearch::memory(const Candidate &candidate) const {
  unsigned bits = from.outputBits();
  Vectors preferred;
  for (const Vectors *list : {&a.lanes, &b.lanes, &a.warps, &b.warps, &a.registers, &b.registers})
    append_range(preferred, *list);
  append_range(preferred, unitVectors(bits));

  // Vectors that fill the rest of a word, preferably lanes that both sides share.
  Vectors low(candidate.chain);
  F2Space taken(low);
  if (low.size() < widths.word) {
    Vectors shared = intersection(a.lanes, b.lanes);
    append_range(shared, preferred);
    append_range(low, extend(taken, shared, widths.word - low.size()));
  }

  Vectors ofA = together(a, candidate.store, low), ofB = together(b, candidate.load, low);
  unsigned lineBits = bits > widths.span ? bits - widths.span : 0;
  Vectors both = intersection(ofA, ofB);
  F2Space spaceE(both), spaceF(both), outside(ofA);
  Vectors e = extend(spaceE, ofA), f = extend(spaceF, ofB);
  outside.insert(ofB);
  Vectors lines = extend(outside, preferred);
  for (auto [one, other] : zip(e, f))
    lines.push_back(one ^ other);
  if (lines.size() > lineBits)
    lines.truncate(lineBits);
  F2Space all(low);
  all.insert(lines);
  // Too few: some lanes have to share banks; those of the side that has more.
  append_range(lines, extend(all, ArrayRef(e).drop_front(std::min(e.size(), f.size())), lineBits - lines.size()));
  append_range(lines, extend(all, ArrayRef(f).drop_front(std::min(e.size(), f.size())), lineBits - lines.size()));
  append_range(lines, extend(all, both, lineBits - lines.size()));
  append_range(lines, extend(all, preferred, lineBits - lines.size()));

  Vectors offsets(low);
  append_range(offsets, extend(all, preferred));
  append_range(offsets, lines);
  assert(offsets.size() == bits && "a basis of the tile");
  return LinearLayout({{Dim::Offset, bits}}, from.outputs(), offsets);
}

std::optional<SharedExchange> ExchangeSearch::run() {
  std::optional<SharedExchange> best;
  for (const Candidate &candidate : candidates()) {
    LinearLayout shared = memory(candidate);
    std::optional<SharedAccess> store =
        chooseSharedAccess(from, shared, SharedDirection::Store, widths.elementBits, candidate.store);
    std::optional<SharedAccess> load =
        chooseSharedAccess(to, shared, SharedDirection::Load, widths.elementBits, candidate.load);
    if (!store || !load)
      continue;
    SharedExchange exchange{shared, *store, *load, {}, true};
    if (!best || store->score() + load->score() < best->store.score() + best->load.score())
      best = exchange;
  }
  return best;
}

// The elements in memory at once: the tile that the warps of a CTA hold, T, is a sum K + W of the number of the part
// and the contents of each part. Lanes and warps stay inside W, so that in each part every thread has the same
// registers.
class Parts {
public:
  Parts(const LinearLayout &from, const LinearLayout &to) : from(from), to(to) {
    for (const LinearLayout *layout : {&from, &to})
      for (Dim in : {Dim::Lane, Dim::Warp})
        append_range(threads, layout->basisOf(in));
    for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
      held.insert(from.basisOf(in));
  }

  bool choose(unsigned bits);
  std::optional<SharedExchange> exchange(const ConversionOptions &options);
  unsigned heldBits() const { return held.dimension(); }

private:
  // One side's part number zero: registers as masks, and the layout of W in them.
  struct Side {
    SmallVector<Mask> registers;
    LinearLayout all, first;
  };
  Side sideOf(const LinearLayout &layout, ArrayRef<Mask> ofParts) const;
  void finish(SharedAccess &access, const Side &side, const LinearLayout &offsets) const;
  F2Vector partOf(F2Vector element) const {
    return *coordinates.coordinates(element) & maskTrailingOnes<uint64_t>(parts.size());
  }
  F2Vector inPart(F2Vector element) const { return *coordinates.coordinates(element) >> parts.size(); }

  const LinearLayout &from, &to;
  Vectors threads, parts, basis; // the vectors of K, and those of W
  F2Space held, coordinates;
};

bool Parts::choose(unsigned bits) {
  F2Space taken(F2Space(threads).basis());
  Vectors candidates = commonRegisters(from, to);
  // The first are left for vectors.
  for (F2Vector vector : reverse(candidates))
    if (parts.size() < bits && !taken.contains(vector)) {
      taken.insert(vector);
      parts.push_back(vector);
    }
  coordinates.insert(parts);
  basis = extend(coordinates, threads);
  for (F2Vector unit : unitVectors(from.outputBits()))
    if (held.contains(unit))
      append_range(basis, extend(coordinates, {unit}));
  append_range(basis, extend(coordinates, held.basis()));
  return parts.size() == bits;
}

Parts::Side Parts::sideOf(const LinearLayout &layout, ArrayRef<Mask> ofParts) const {
  Side side;
  SmallVector<F2Vector> masks(ofParts.begin(), ofParts.end());
  Mask pivots = 0;
  for (F2Vector vector : F2Space(masks).basis())
    pivots |= Mask(1) << Log2_64(vector);
  Vectors all, first;
  for (auto [bit, vector] : enumerate(layout.basisOf(Dim::Register))) {
    all.push_back(inPart(vector));
    if (pivots >> bit & 1)
      continue;
    Mask mask = Mask(1) << bit;
    for (auto [index, part] : enumerate(ofParts))
      mask ^= partOf(vector) >> index & 1 ? part : 0;
    side.registers.push_back(mask);
    first.push_back(inPart(vector));
  }
  for (Dim in : {Dim::Lane, Dim::Warp})
    for (F2Vector vector : layout.basisOf(in)) {
      all.push_back(inPart(vector));
      first.push_back(inPart(vector));
    }
  auto make = [&](unsigned registers, ArrayRef<F2Vector> vectors) {
    return LinearLayout({{Dim::Register, registers},
                         {Dim::Lane, layout.inputBits(Dim::Lane)},
                         {Dim::Warp, layout.inputBits(Dim::Warp)}},
                        {{tileDim(0), unsigned(basis.size())}}, vectors);
  };
  side.all = make(layout.inputBits(Dim::Register), all);
  side.first = make(side.registers.size(), first);
  return side;
}

// Masks and offsets in the numbers of the whole side's registers.
void Parts::finish(SharedAccess &access, const Side &side, const LinearLayout &offsets) const {
  for (SmallVector<Mask> *masks : {&access.inner, &access.outer})
    for (Mask &mask : *masks) {
      Mask whole = 0;
      for (auto [bit, reg] : enumerate(side.registers))
        whole ^= mask >> bit & 1 ? reg : 0;
      mask = whole;
    }
  access.offsets = side.all.then(offsets);
}

std::optional<SharedExchange> Parts::exchange(const ConversionOptions &options) {
  SmallVector<Mask> stores, loads;
  F2Space ofFrom(from.basisOf(Dim::Register)), ofTo(to.basisOf(Dim::Register));
  for (F2Vector part : parts) {
    stores.push_back(*ofFrom.coordinates(part));
    loads.push_back(*ofTo.coordinates(part));
  }
  Side store = sideOf(from, stores), load = sideOf(to, loads);
  std::optional<SharedExchange> exchange = ExchangeSearch(store.first, load.first, options).run();
  if (!exchange)
    return std::nullopt;
  LinearLayout offsets = exchange->shared.inverse();
  finish(exchange->store, store, offsets);
  finish(exchange->load, load, offsets);
  for (auto [one, other] : zip_equal(stores, loads))
    exchange->parts.push_back({one, other});
  // From coordinates in W to elements of the tile.
  Vectors elements;
  for (F2Vector vector : exchange->shared.basisOf(Dim::Offset))
    elements.push_back(F2Matrix(from.outputBits(), basis).apply(vector));
  exchange->shared = LinearLayout(exchange->shared.inputs(), from.outputs(), elements);
  return exchange;
}

} // namespace

std::optional<SharedExchange> chooseSharedExchange(const LinearLayout &from, const LinearLayout &to,
                                                   const ConversionOptions &options) {
  if (options.elementBits < 8 || options.elementBits > 64)
    return std::nullopt;
  Parts parts(from, to);
  unsigned bits = 0;
  while ((uint64_t(options.elementBits) << parts.heldBits() >> bits) / 8 > options.mostSharedBytes)
    ++bits;
  return parts.choose(bits) ? parts.exchange(options) : std::nullopt;
}

} // namespace tilewright::layout
