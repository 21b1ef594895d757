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
#include "layout/MatrixAccess.h"
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

// Wavefronts first; then instructions.
unsigned scoreOf(const SharedAccess &access) {
  return 2 * access.wavefronts + access.instructions();
}

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
  std::optional<SharedAccess> access(const LinearLayout &layout, const LinearLayout &shared, SharedAccess::Kind kind,
                                     bool store) const;
  std::optional<SharedAccess> access(const LinearLayout &layout, const LinearLayout &shared, SharedAccess::Kind kind,
                                     bool store, unsigned mostBits) const;

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

// How a side with this layout accesses the memory, if it can in this way.
std::optional<SharedAccess> Planner::access(const LinearLayout &layout, const LinearLayout &shared,
                                            SharedAccess::Kind kind, bool store) const {
  if (kind != SharedAccess::Vector)
    return access(layout, shared, kind, store, widths.row);
  // A narrower vector can have fewer wavefronts: more lanes are served at once.
  std::optional<SharedAccess> best;
  for (unsigned bits = 0; bits <= widths.row; ++bits) {
    std::optional<SharedAccess> found = access(layout, shared, kind, store, bits);
    if (found && (!best || scoreOf(*found) < scoreOf(*best)))
      best = found;
  }
  return best;
}

std::optional<SharedAccess> Planner::access(const LinearLayout &layout, const LinearLayout &shared,
                                            SharedAccess::Kind kind, bool store, unsigned mostBits) const {
  LinearLayout offsets = layout.then(shared.inverse());
  ArrayRef<F2Vector> registers = offsets.basisOf(Dim::Register), lanes = offsets.basisOf(Dim::Lane),
                     warps = offsets.basisOf(Dim::Warp);
  SharedAccess access;
  access.kind = kind;
  if (store) {
    access.idleLanes = layout.redundantBits(Dim::Lane);
    access.idleWarps = layout.redundantBits(Dim::Warp);
  }

  // Which offset bits the registers of an access make up, and which bits all else must leave alone.
  F2Space span(registers);
  F2Vector fixed = 0;
  auto inner = [&](unsigned bit) {
    std::optional<F2Vector> mask = span.coordinates(F2Vector(1) << bit);
    if (mask)
      access.inner.push_back(*mask);
    return mask.has_value();
  };
  ArrayRef<F2Vector> rowLanes = lanes;
  switch (kind) {
  case SharedAccess::Vector: {
    F2Vector used = 0;
    for (ArrayRef<F2Vector> list : {lanes, warps})
      for (F2Vector offset : list)
        used |= offset;
    unsigned width = 0;
    while (width < mostBits && !(used >> width & 1) && inner(width))
      ++width;
    fixed = maskTrailingOnes<uint64_t>(width);
    break;
  }
  case SharedAccess::Matrix: {
    if (access.idleLanes || lanes.size() != 5)
      return std::nullopt;
    for (unsigned bit = 0; bit < widths.word; ++bit)
      if (!inner(bit))
        return std::nullopt;
    if (lanes[0] != F2Vector(1) << widths.word || lanes[1] != F2Vector(2) << widths.word)
      return std::nullopt;
    rowLanes = lanes.drop_front(2);
    fixed = maskTrailingOnes<uint64_t>(widths.row);
    break;
  }
  case SharedAccess::MatrixTransposed: {
    if (access.idleLanes || lanes.size() != 5 || widths.elementBits != 16 || lanes[2] != 1 || lanes[3] != 2 ||
        lanes[4] != 4)
      return std::nullopt;
    fixed = maskTrailingOnes<uint64_t>(widths.row);
    // Two rows of a thread; any register, as rows may lie anywhere, but such that banks do not suffer.
    F2Vector row = 0;
    for (auto [bit, offset] : enumerate(registers)) {
      Vectors rows{offset * 2, lanes[0] * 2, lanes[1] * 2};
      if (offset & fixed)
        continue;
      if (access.inner.empty() ||
          sharedWavefronts(rows, 16, true) <
              sharedWavefronts(ArrayRef<F2Vector>{row * 2, lanes[0] * 2, lanes[1] * 2}, 16, true)) {
        access.inner.assign({Mask(1) << bit});
        row = offset;
      }
    }
    if (access.inner.empty())
      return std::nullopt;
    rowLanes = lanes.take_front(2);
    break;
  }
  }
  for (ArrayRef<F2Vector> list : {rowLanes, warps})
    for (F2Vector offset : list)
      if (offset & fixed)
        return std::nullopt;

  // The other registers, each with what makes its low bits vanish.
  F2Space used;
  SmallVector<F2Vector> innerOffsets;
  for (Mask mask : access.inner)
    innerOffsets.push_back(F2Matrix(64, registers).apply(mask));
  used.insert(innerOffsets);
  SmallVector<Mask> outer;
  for (auto [bit, offset] : enumerate(registers)) {
    if (!used.insert(offset))
      continue;
    Mask mask = Mask(1) << bit;
    if (kind != SharedAccess::MatrixTransposed)
      for (auto [index, own] : enumerate(access.inner))
        mask ^= offset >> index & 1 ? own : 0;
    else if (offset & fixed)
      return std::nullopt;
    if (F2Matrix(64, registers).apply(mask) & fixed)
      return std::nullopt;
    outer.push_back(mask);
  }
  // Copies among the registers of the source are not stored twice: they never were inserted. Matrices go up to four at
  // a time.
  unsigned matrices = kind == SharedAccess::Vector ? 0 : std::min<unsigned>(2, outer.size());
  access.inner.append(outer.begin(), outer.begin() + matrices);
  access.outer.assign(outer.begin() + matrices, outer.end());

  SmallVector<F2Vector> bytes;
  auto toBytes = [&](F2Vector offset) { return offset * widths.elementBits / 8; };
  if (kind == SharedAccess::Vector) {
    unsigned width = std::max(1u, widths.elementBits * access.elements() / 8);
    for (F2Vector offset : lanes)
      bytes.push_back(toBytes(offset));
    access.wavefronts = sharedWavefronts(bytes, width) * access.instructions();
    return access;
  }
  if (kind == SharedAccess::MatrixTransposed)
    bytes.push_back(toBytes(innerOffsets[0]));
  for (F2Vector offset : rowLanes)
    bytes.push_back(toBytes(offset));
  access.wavefronts =
      (sharedWavefronts(bytes, kMatrixRowBytes, /*allLanesAtOnce=*/true) << matrices) * access.instructions();
  return access;
}

std::optional<SharedExchange> Planner::plan() {
  if (widths.elementBits < 8 || widths.elementBits > 64)
    return std::nullopt;
  std::optional<SharedExchange> best;
  for (const Candidate &candidate : candidates()) {
    LinearLayout shared = memory(candidate);
    std::optional<SharedAccess> store = access(from, shared, candidate.store, true);
    std::optional<SharedAccess> load = access(to, shared, candidate.load, false);
    if (!store || !load)
      continue;
    SharedExchange exchange{shared, *store, *load, true};
    unsigned score = scoreOf(exchange.store) + scoreOf(exchange.load);
    if (!best || score < scoreOf(best->store) + scoreOf(best->load))
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
