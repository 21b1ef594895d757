// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/SharedAccess.h"
#include "layout/memory/AccessQuality.h"
#include "layout/memory/MatrixAccess.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

namespace {

// Where registers, lanes and warps have their elements, bit by bit, as offsets.
class Offsets {
public:
  Offsets(const LinearLayout &map, unsigned elementBits)
      : elementBits(elementBits), rowBits(Log2_32(8 * kMatrixRowBytes / elementBits)),
        registers(map.basisOf(Dim::Register)), lanes(map.basisOf(Dim::Lane)), warps(map.basisOf(Dim::Warp)),
        span(registers) {}

  // At most 2^bits elements.
  std::optional<SharedAccess> vector(unsigned bits) const;
  std::optional<SharedAccess> matrix() const;
  std::optional<SharedAccess> transposedMatrix() const;

  const unsigned elementBits, rowBits;

private:
  uint64_t bytes(F2Vector offset) const { return offset * elementBits / 8; }
  F2Vector offsetOf(Mask mask) const { return F2Matrix(64, registers).apply(mask); }
  bool cover(SharedAccess &access, unsigned bits) const;
  bool keepClear(F2Vector low, ArrayRef<F2Vector> rowLanes) const;
  bool addOthers(SharedAccess &access, F2Vector low, unsigned atOnce) const;
  unsigned rowWavefronts(ArrayRef<F2Vector> rows) const;

  SmallVector<F2Vector> registers, lanes, warps;
  F2Space span; // of registers
};

// Registers make up the lowest bits of offsets.
bool Offsets::cover(SharedAccess &access, unsigned bits) const {
  for (unsigned bit = access.inner.size(); bit < bits; ++bit) {
    std::optional<F2Vector> mask = span.coordinates(F2Vector(1) << bit);
    if (!mask)
      return false;
    access.inner.push_back(*mask);
  }
  return true;
}

// Offsets outside of a vector or row move it as a whole.
bool Offsets::keepClear(F2Vector low, ArrayRef<F2Vector> rowLanes) const {
  auto clear = [&](F2Vector offset) { return !(offset & low); };
  return all_of(rowLanes, clear) && all_of(warps, clear);
}

// The other registers, each with what of the inner ones makes its low bits vanish; up to 2^atOnce go into the same
// instruction.
bool Offsets::addOthers(SharedAccess &access, F2Vector low, unsigned atOnce) const {
  F2Space used;
  SmallVector<F2Vector> own;
  for (Mask mask : access.inner)
    own.push_back(offsetOf(mask));
  used.insert(own);
  SmallVector<Mask> others;
  for (auto [bit, offset] : enumerate(registers)) {
    if (!used.insert(offset))
      continue;
    Mask mask = Mask(1) << bit;
    for (auto [index, inner] : enumerate(access.inner))
      if (own[index] & low && offset & own[index])
        mask ^= inner;
    if (offsetOf(mask) & low)
      return false;
    others.push_back(mask);
  }
  size_t joined = std::min<size_t>(atOnce, others.size());
  access.inner.append(others.begin(), others.begin() + joined);
  access.outer.assign(others.begin() + joined, others.end());
  return true;
}

std::optional<SharedAccess> Offsets::vector(unsigned bits) const {
  SharedAccess access;
  F2Vector low = maskTrailingOnes<uint64_t>(bits);
  if (!keepClear(low, lanes) || !cover(access, bits) || !addOthers(access, low, 0))
    return std::nullopt;
  SmallVector<F2Vector> addresses;
  for (F2Vector offset : lanes)
    addresses.push_back(bytes(offset));
  access.wavefronts = sharedWavefronts(addresses, std::max(1u, elementBits << bits >> 3)) * access.instructions();
  return access;
}

// Eight rows of 16 bytes, selected by three bits.
unsigned Offsets::rowWavefronts(ArrayRef<F2Vector> rows) const {
  SmallVector<F2Vector> addresses;
  for (F2Vector offset : rows)
    addresses.push_back(bytes(offset));
  return sharedWavefronts(addresses, kMatrixRowBytes, /*allLanesAtOnce=*/true);
}

std::optional<SharedAccess> Offsets::matrix() const {
  SharedAccess access;
  access.kind = SharedAccess::Matrix;
  F2Vector low = maskTrailingOnes<uint64_t>(rowBits);
  if (elementBits > 32 || lanes.size() != 5 || !cover(access, rowBits - 2) ||
      lanes[0] != F2Vector(1) << (rowBits - 2) || lanes[1] != F2Vector(1) << (rowBits - 1))
    return std::nullopt;
  ArrayRef<F2Vector> rows = ArrayRef(lanes).drop_front(2);
  if (!keepClear(low, rows) || !addOthers(access, low, 2))
    return std::nullopt;
  unsigned matrices = access.elements() >> (rowBits - 2);
  access.wavefronts = rowWavefronts(rows) * matrices * access.instructions();
  return access;
}

std::optional<SharedAccess> Offsets::transposedMatrix() const {
  SharedAccess access;
  access.kind = SharedAccess::MatrixTransposed;
  F2Vector low = maskTrailingOnes<uint64_t>(rowBits);
  if (elementBits != 16 || lanes.size() != 5 || lanes[2] != 1 || lanes[3] != 2 || lanes[4] != 4)
    return std::nullopt;
  // A thread has two rows of a column. Any register can be the second, as rows may lie anywhere: the one that suits the
  // banks best.
  unsigned fewest = ~0u;
  for (auto [bit, offset] : enumerate(registers)) {
    unsigned wavefronts = rowWavefronts({offset, lanes[0], lanes[1]});
    if (!offset || offset & low || wavefronts >= fewest)
      continue;
    access.inner.assign({Mask(1) << bit});
    fewest = wavefronts;
  }
  if (access.inner.empty() || !keepClear(low, ArrayRef(lanes).take_front(2)) || !addOthers(access, low, 2))
    return std::nullopt;
  access.wavefronts = fewest * (access.elements() / 2) * access.instructions();
  return access;
}

} // namespace

std::optional<SharedAccess> chooseSharedAccess(const LinearLayout &layout, const LinearLayout &shared,
                                               SharedDirection direction, unsigned elementBits,
                                               SharedAccess::Kind kind) {
  assert(elementBits >= 8 && elementBits <= 64 && "elements of whole bytes");
  LinearLayout map = layout.then(shared.inverse());
  Offsets offsets(map, elementBits);
  std::optional<SharedAccess> best;
  switch (kind) {
  case SharedAccess::Vector:
    // A narrower vector can have fewer wavefronts: more lanes are served at once.
    for (unsigned bits = 0; bits <= offsets.rowBits; ++bits)
      if (std::optional<SharedAccess> found = offsets.vector(bits); found && (!best || found->score() < best->score()))
        best = found;
    break;
  case SharedAccess::Matrix:
    best = offsets.matrix();
    break;
  case SharedAccess::MatrixTransposed:
    best = offsets.transposedMatrix();
    break;
  }
  if (best)
    best->offsets = map;
  if (best && direction == SharedDirection::Store) {
    best->idleLanes = layout.redundantBits(Dim::Lane);
    best->idleWarps = layout.redundantBits(Dim::Warp);
    if (best->idleLanes && kind != SharedAccess::Vector)
      return std::nullopt; // all lanes of a warp take part in a matrix
  }
  return best;
}

SharedAccess chooseSharedAccess(const LinearLayout &layout, const LinearLayout &shared, SharedDirection direction,
                                unsigned elementBits, bool matrices) {
  SharedAccess best = *chooseSharedAccess(layout, shared, direction, elementBits, SharedAccess::Vector);
  for (SharedAccess::Kind kind : {SharedAccess::Matrix, SharedAccess::MatrixTransposed})
    if (matrices)
      if (auto found = chooseSharedAccess(layout, shared, direction, elementBits, kind);
          found && found->score() < best.score())
        best = *found;
  return best;
}

} // namespace tilewright::layout
