// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/MmaLayouts.h"
#include "layout/Distributed.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

static LinearLayout along(Dim in, int64_t size, unsigned dim) {
  return LinearLayout::identity(size, in, tileDim(dim));
}

bool isMmaSync(MmaShape shape) {
  if (shape.elementBits == 64)
    return (shape.m == 8 && shape.n == 8 && shape.k == 4) ||
           (shape.m == 16 && shape.n == 8 && (shape.k == 4 || shape.k == 8 || shape.k == 16));
  bool width = shape.elementBits == 4 || shape.elementBits == 8 || shape.elementBits == 16 || shape.elementBits == 32;
  int64_t bits = shape.k * shape.elementBits;
  return width && shape.m == 16 && shape.n == 8 && (bits == 128 || bits == 256);
}

LinearLayout mmaSync(MmaOperand operand, MmaShape shape) {
  assert(isMmaSync(shape));
  // An element of f64 takes a register of its own too.
  int64_t packed = std::max<int64_t>(1, 32 / shape.elementBits), kSteps = shape.k / (4 * packed);
  switch (operand) {
  case MmaOperand::A:
    return along(Dim::Register, packed, 1) * along(Dim::Lane, 4, 1) * along(Dim::Lane, 8, 0) *
           along(Dim::Register, shape.m / 8, 0) * along(Dim::Register, kSteps, 1);
  case MmaOperand::B:
    return along(Dim::Register, packed, 0) * along(Dim::Lane, 4, 0) * along(Dim::Lane, 8, 1) *
           along(Dim::Register, kSteps, 0);
  case MmaOperand::Accumulator:
    return along(Dim::Register, 2, 1) * along(Dim::Lane, 4, 1) * along(Dim::Lane, 8, 0) *
           along(Dim::Register, shape.m / 8, 0);
  }
  llvm_unreachable("an operand");
}

LinearLayout wgmma(MmaOperand operand, MmaShape shape) {
  assert(shape.m == 64 && shape.k * shape.elementBits == 256 && operand != MmaOperand::B &&
         "m64, 32 bytes of k, B in shared memory");
  // Each warp computes 16 rows as mma.sync would, over all of n.
  LinearLayout warp = mmaSync(operand, {16, 8, shape.k, shape.elementBits});
  if (operand == MmaOperand::Accumulator)
    warp = warp * along(Dim::Register, shape.n / 8, 1);
  return warp * along(Dim::Warp, 4, 0);
}

LinearLayout mmaTile(MmaOperand operand, const MmaTiling &tiling) {
  LinearLayout one = tiling.shape.m == 64 ? wgmma(operand, tiling.shape) : mmaSync(operand, tiling.shape);
  LinearLayout warpsM = along(Dim::Warp, tiling.warpsM, 0), warpsN = along(Dim::Warp, tiling.warpsN, 1);
  // Along k the registers continue first, so that the instructions of one k step stand together at a distance.
  unsigned order[] = {1, 0};
  switch (operand) {
  case MmaOperand::A:
    return fitToShape(one * warpsM * LinearLayout::zeros(tiling.warpsN, Dim::Warp, tileDim(0)), {tiling.m, tiling.k},
                      order);
  case MmaOperand::B:
    return fitToShape(one * LinearLayout::zeros(tiling.warpsM, Dim::Warp, tileDim(0)) * warpsN, {tiling.k, tiling.n},
                      order);
  case MmaOperand::Accumulator:
    return fitToShape(one * warpsM * warpsN, {tiling.m, tiling.n}, order);
  }
  llvm_unreachable("an operand");
}

} // namespace tilewright::layout
