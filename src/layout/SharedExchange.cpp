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
#include "layout/AccessQuality.h"
#include "layout/Conversion.h"
#include "layout/SharedLayouts.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

namespace {

// What the width of elements makes of bytes.
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

class Planner {
public:
  Planner(const LinearLayout &from, const LinearLayout &to, const ConversionOptions &options)
      : from(from), to(to), a(from), b(to), widths(options.elementBits), options(options) {}

  std::optional<SharedExchange> plan();

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
Vectors Planner::matrixChain(const Side &side, SharedAccess::Kind kind, ArrayRef<F2Vector> registers) const {
  if (widths.elementBits > 32 || side.lanes.size() != 5 || registers.size() < widths.word)
    return {};
  if (kind == SharedAccess::MatrixTransposed)
    return widths.elementBits == 16 && !side.registers.empty() ? Vectors(ArrayRef(side.lanes).drop_front(2))
                                                               : Vectors();
  Vectors chain(registers.take_front(widths.word));
  append_range(chain, ArrayRef(side.lanes).take_front(2));
  return chain;
}

SmallVector<Candidate> Planner::candidates() const {
  Vectors common;
  F2Space inA(a.registers), inB(b.registers), inCommon;
  for (F2Vector vector : a.registers)
    if (inB.contains(vector) && inCommon.insert(vector))
      common.push_back(vector);
  append_range(common, extend(inCommon, intersection(a.registers, b.registers)));

  SmallVector<Candidate> all;
  auto add = [&](Vectors chain, SharedAccess::Kind store, SharedAccess::Kind load) {
    if (chain.size() > widths.row)
      chain.truncate(widths.row);
    if (F2Space(chain).dimension() == chain.size())
      all.push_back({chain, store, load});
  };
  // Vectors on both sides: what they have in common first, then more of the one or the other.
  auto more = [&](const Side &side) {
    Vectors chain(common);
    F2Space space(common);
    append_range(chain, extend(space, side.registers));
    return chain;
  };
  // Shorter chains, where lanes stand in the way of a vector.
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

// What one part of an access reaches at once: its vectors and the lanes that are served together.
Vectors Planner::together(const Side &side, SharedAccess::Kind kind, ArrayRef<F2Vector> chain) const {
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

LinearLayout Planner::memory(const Candidate &candidate) const {
  unsigned bits = from.outputBits();
  Vectors preferred;
  for (const Vectors *list : {&a.lanes, &b.lanes, &a.warps, &b.warps, &a.registers, &b.registers})
    append_range(preferred, *list);
  append_range(preferred, unitVectors(bits));

  // What fills a word that the chain does not, best lanes that both sides have together.
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

std::optional<SharedExchange> Planner::plan() {
  if (widths.elementBits < 8 || widths.elementBits > 64)
    return std::nullopt;
  std::optional<SharedExchange> best;
  for (const Candidate &candidate : candidates()) {
    LinearLayout shared = memory(candidate);
    std::optional<SharedAccess> store =
        planSharedAccess(from, shared, SharedDirection::Store, widths.elementBits, candidate.store);
    std::optional<SharedAccess> load =
        planSharedAccess(to, shared, SharedDirection::Load, widths.elementBits, candidate.load);
    if (!store || !load)
      continue;
    SharedExchange exchange{shared, *store, *load, true};
    if (!best || store->score() + load->score() < best->store.score() + best->load.score())
      best = exchange;
  }
  return best;
}

} // namespace

std::optional<SharedExchange> planSharedExchange(const LinearLayout &from, const LinearLayout &to,
                                                 const ConversionOptions &options) {
  return Planner(from, to, options).plan();
}

} // namespace tilewright::layout
