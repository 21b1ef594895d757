// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/MatrixDescriptor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

namespace {

// Byte steps of the bits of one coordinate, from the lowest; consumed from the front.
struct Steps {
  SmallVector<uint32_t> bytes;

  // The next bits step by `first`, twice that, and so on, through `count` elements.
  bool take(uint64_t count, uint32_t first) {
    for (; count > 1; count /= 2, first *= 2) {
      if (bytes.empty() || bytes.front() != first)
        return false;
      bytes.erase(bytes.begin());
    }
    return true;
  }
  // All that are left step evenly; from where.
  std::optional<uint32_t> takeRest() {
    if (bytes.empty())
      return 0;
    uint32_t first = bytes.front();
    if (first % 16 || !take(uint64_t(1) << bytes.size(), first))
      return std::nullopt;
    return first;
  }
};

} // namespace

// A tile without its swizzle: each bit of a coordinate steps by a power of two of its own.
static std::optional<LinearLayout> unswizzled(const LinearLayout &shared, SwizzleMode mode, unsigned elementBits) {
  LinearLayout plain = addressSwizzle(mode, shared.inputSize(Dim::Offset), elementBits).then(shared);
  if (!plain.isBijective())
    return std::nullopt;
  for (F2Vector vector : plain.basisOf(Dim::Offset))
    if (!isPowerOf2_64(vector))
      return std::nullopt;
  return plain.inverse();
}

static Steps stepsOf(const LinearLayout &offsets, Dim dim, uint64_t count, unsigned elementBits) {
  Steps steps;
  for (F2Vector offset : offsets.basisOf(dim).take_front(Log2_64(count)))
    steps.bytes.push_back(offset * elementBits / 8);
  return steps;
}

// The canonical forms, with T elements in 16 bytes and spans of S bytes:
//   K major:  8 rows S apart, then `stride`; k: T elements, then the rest of the span (no swizzle: `leading`)
//   MN major: S / 16 times T elements, then `leading` (no swizzle: `stride`);
//             k: 8 rows S apart, then `stride` (no swizzle: `leading`)
static std::optional<MatrixDescriptor> matchForm(Major major, SwizzleMode mode, Steps mn, Steps k, uint64_t unit,
                                                 unsigned elementBits) {
  uint32_t span = spanOf(mode), element = elementBits / 8;
  bool plain = mode == SwizzleMode::None;
  MatrixDescriptor found{major, mode, 0, 0, {}};
  if (major == Major::K) {
    uint64_t kExtent = uint64_t(1) << k.bytes.size();
    if (!mn.take(8, span) || !k.take(std::min(unit, kExtent), element))
      return std::nullopt;
    std::optional<uint32_t> rows = mn.takeRest();
    if (!plain && !k.take(uint64_t(1) << k.bytes.size(), 16))
      return std::nullopt;
    std::optional<uint32_t> columns = k.takeRest();
    if (!rows || !columns)
      return std::nullopt;
    found.stride = *rows;
    found.leading = *columns;
    return found;
  }
  uint64_t mnExtent = uint64_t(1) << mn.bytes.size();
  uint64_t spanElements = span / 16 * unit;
  if (mnExtent < unit || !mn.take(std::min(spanElements, mnExtent), element) || !k.take(8, span))
    return std::nullopt;
  std::optional<uint32_t> spans = mn.takeRest(), rows = k.takeRest();
  if (!spans || !rows)
    return std::nullopt;
  found.leading = plain ? *rows : *spans;
  found.stride = plain ? *spans : *rows;
  return found;
}

std::optional<MatrixDescriptor> describeOperand(const LinearLayout &shared, unsigned elementBits, OperandBox box) {
  Dim mnDim = tileDim(0), kDim = tileDim(1);
  if (elementBits < 8 || shared.outputSize(mnDim) < uint64_t(box.mn) || shared.outputSize(kDim) < uint64_t(box.k))
    return std::nullopt;
  uint64_t unit = 128 / elementBits;
  for (SwizzleMode mode : {SwizzleMode::B128, SwizzleMode::B64, SwizzleMode::B32, SwizzleMode::None}) {
    std::optional<LinearLayout> offsets = unswizzled(shared, mode, elementBits);
    if (!offsets)
      continue;
    Steps mn = stepsOf(*offsets, mnDim, box.mn, elementBits), k = stepsOf(*offsets, kDim, box.k, elementBits);
    for (Major major : {Major::K, Major::MN})
      if (std::optional<MatrixDescriptor> found = matchForm(major, mode, mn, k, unit, elementBits)) {
        found->start = offsets->then(
            LinearLayout::strided(offsets->outputSize(Dim::Offset), elementBits / 8, Dim::Offset, Dim::Offset));
        return found;
      }
  }
  return std::nullopt;
}

// The part that both have: addresses and strides.
static uint64_t encode(const MatrixDescriptor &descriptor, uint32_t address) {
  assert(descriptor.leading / 16 < 1 << 14 && descriptor.stride / 16 < 1 << 14);
  return uint64_t((address & 0x3FFFF) >> 4) | uint64_t(descriptor.leading / 16) << 16 |
         uint64_t(descriptor.stride / 16) << 32;
}

// From no swizzle up to 128 bytes: 0, 1, 2, 3.
static uint64_t doublings(SwizzleMode mode) {
  return Log2_32(spanOf(mode) / 16);
}

uint64_t encodeForWgmma(const MatrixDescriptor &descriptor, uint32_t address) {
  const uint64_t modes[] = {0, 3, 2, 1};
  return encode(descriptor, address) | modes[doublings(descriptor.mode)] << 62;
}

uint64_t encodeForTcgen05(const MatrixDescriptor &descriptor, uint32_t address) {
  const uint64_t modes[] = {0, 6, 4, 2}, version = 1;
  return encode(descriptor, address) | version << 46 | modes[doublings(descriptor.mode)] << 61;
}

} // namespace tilewright::layout
