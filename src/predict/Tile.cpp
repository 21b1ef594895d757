// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Tile.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace llvm;

namespace tilewright::predict {
namespace {

constexpr int64_t sector = 32;

double inSectors(double count, double runBytes) {
  return count * std::ceil(runBytes / sector) * sector;
}

// Of runs that begin at any multiple of `alignment` bytes, on average: of 64 bytes at 2 bytes three sectors but for one
// of 16 begins.
double inSectorsFrom(double count, double runBytes, int64_t alignment) {
  if (alignment >= sector)
    return inSectors(count, runBytes);
  return count * (std::ceil(runBytes / alignment) * alignment - alignment + sector);
}

Tile boxOf(const Access &access, Evaluator &evaluate) {
  Tile tile;
  hash_code key = hash_combine(evaluate(access.base).number);
  double elements = 1, elementBytes = access.elementBits / 8.0;
  int64_t first = 0; // elements from the array's begin, as far as is known
  struct Extent {
    int64_t stride, inside;
  };
  SmallVector<Extent> dims;
  for (unsigned dim = 0; dim < access.extents.size(); ++dim) {
    ScalarValue offset = evaluate(access.offsets[dim]), stride = evaluate(access.strides[dim]);
    key = hash_combine(key, offset.number, access.extents[dim]);
    tile.isKnown &= offset.isKnown;
    int64_t inside = insideOf(access, dim, evaluate);
    elements *= inside;
    if (offset.isKnown && stride.isKnown)
      first += offset.number * stride.number;
    if (access.extents[dim] > 1)
      dims.push_back({stride.isKnown ? std::abs(stride.number) : INT64_MAX, inside});
  }
  llvm::sort(dims, [](const Extent &a, const Extent &b) { return a.stride < b.stride; });
  // Rows that follow one another in memory are one run.
  int64_t run = 1, alignment = std::gcd(int64_t(first * elementBytes), sector);
  bool isRun = true;
  for (const Extent &each : dims) {
    isRun &= each.stride == run;
    if (isRun)
      run *= each.inside;
    else if (each.stride < INT64_MAX && each.inside > 1)
      alignment = std::gcd(alignment, int64_t(each.stride * elementBytes));
  }
  tile.key = size_t(key);
  tile.bytes = elements * elementBytes;
  if (run > 0) {
    tile.ownBytes = inSectors(elements / run, run * elementBytes);
    tile.sectorBytes = inSectorsFrom(elements / run, run * elementBytes, std::max<int64_t>(1, alignment));
  }
  // Elements that are near each other share sectors without being neighbours.
  if (run == 1 && !dims.empty() && dims.front().stride < INT64_MAX) {
    tile.ownBytes = std::min(tile.ownBytes, std::max<double>(elements * elementBytes * dims.front().stride, sector));
    tile.sectorBytes = tile.ownBytes;
  }
  return tile;
}

} // namespace

int64_t insideOf(const Access &access, unsigned dim, Evaluator &evaluate) {
  ScalarValue extent = evaluate(access.shape[dim]), offset = evaluate(access.offsets[dim]);
  int64_t box = access.extents[dim];
  if (!extent.isKnown || !offset.isKnown)
    return box;
  int64_t from = std::max<int64_t>(0, offset.number), to = std::min(extent.number, offset.number + box);
  return std::max<int64_t>(0, to - from);
}

Tile tileOf(const Access &access, Evaluator &evaluate) {
  if (!access.offsets.empty() || access.identity == noScalar)
    return boxOf(access, evaluate);
  Tile tile;
  ScalarValue identity = evaluate(access.identity);
  double elementBytes = access.elementBits / 8.0;
  tile.key = size_t(hash_combine(identity.number, access.count));
  tile.bytes = access.count * elementBytes;
  tile.sectorBytes = inSectors(double(access.count) / access.run, access.run * elementBytes);
  tile.ownBytes = tile.sectorBytes;
  tile.isKnown = identity.isKnown;
  return tile;
}

double fetchedPart(const Access &access, Evaluator &evaluate) {
  if (access.isShared == noScalar || evaluate(access.isShared).known().value_or(0) == 0)
    return 1;
  return 1.0 / access.cluster;
}

std::optional<double> arrayBytesOf(const Access &access, Evaluator &evaluate) {
  double bytes = access.elementBits / 8.0;
  if (access.shape.empty())
    return std::nullopt;
  for (ScalarId extent : access.shape) {
    ScalarValue value = evaluate(extent);
    if (!value.isKnown)
      return std::nullopt;
    bytes *= value.number;
  }
  return bytes;
}

std::optional<int64_t> tripsOf(const Step &loop, Evaluator &evaluate) {
  ScalarValue first = evaluate(loop.first), step = evaluate(loop.step);
  std::optional<int64_t> last = evaluate.most(loop.last);
  if (!first.isKnown || !last || !step.isKnown || step.number <= 0)
    return std::nullopt;
  return first.number >= *last ? 0 : divideCeilSigned(*last - first.number, step.number);
}

void enterIteration(const Step &loop, int64_t number, Evaluator &evaluate) {
  ScalarValue first = evaluate(loop.first), step = evaluate(loop.step);
  evaluate.setVariable(loop.variable, {first.number + number * step.number, first.isKnown && step.isKnown});
}

} // namespace tilewright::predict
