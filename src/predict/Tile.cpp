// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "predict/Tile.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::predict {
namespace {

constexpr double sector = 32;

double inSectors(double count, double runBytes) {
  return count * std::ceil(runBytes / sector) * sector;
}

Tile boxOf(const Access &access, Evaluator &evaluate) {
  Tile tile;
  hash_code key = hash_combine(evaluate(access.base).number);
  double elements = 1, elementBytes = access.elementBits / 8.0;
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
    if (access.extents[dim] > 1)
      dims.push_back({stride.isKnown ? std::abs(stride.number) : INT64_MAX, inside});
  }
  llvm::sort(dims, [](const Extent &a, const Extent &b) { return a.stride < b.stride; });
  // Rows that follow one another in memory are one run.
  int64_t run = 1;
  for (const Extent &each : dims) {
    if (each.stride != run)
      break;
    run *= each.inside;
  }
  tile.key = size_t(key);
  tile.bytes = elements * elementBytes;
  tile.sectorBytes = run > 0 ? inSectors(elements / run, run * elementBytes) : 0;
  // Elements that are near each other share sectors without being neighbours.
  if (run == 1 && !dims.empty() && dims.front().stride < INT64_MAX)
    tile.sectorBytes =
        std::min(tile.sectorBytes, std::max<double>(elements * elementBytes * dims.front().stride, sector));
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
  ScalarValue first = evaluate(loop.first), last = evaluate(loop.last), step = evaluate(loop.step);
  if (!first.isKnown || !last.isKnown || !step.isKnown || step.number <= 0)
    return std::nullopt;
  return first.number >= last.number ? 0 : divideCeilSigned(last.number - first.number, step.number);
}

void enterIteration(const Step &loop, int64_t number, Evaluator &evaluate) {
  ScalarValue first = evaluate(loop.first), step = evaluate(loop.step);
  evaluate.setVariable(loop.variable, {first.number + number * step.number, first.isKnown && step.isKnown});
}

} // namespace tilewright::predict
