// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/TensorMemory.h"
#include "layout/Distributed.h"
#include "llvm/Support/ErrorHandling.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

static LinearLayout rows(Dim in, uint64_t size) {
  return LinearLayout::identity(size, in, Dim::Row);
}
static LinearLayout columns(Dim in, uint64_t size) {
  return LinearLayout::identity(size, in, Dim::Column);
}

LinearLayout tensorMemoryAccess(TensorMemoryShape shape, unsigned repeats) {
  LinearLayout repeated = columns(Dim::Register, repeats);
  switch (shape) {
  case TensorMemoryShape::L32x32b:
    return rows(Dim::Lane, 32) * repeated;
  case TensorMemoryShape::L16x64b:
    // Lane bit 0 chooses between rows r and r + 8, bit 1 between the two columns.
    return LinearLayout({{Dim::Lane, 5}}, {{Dim::Row, 4}, {Dim::Column, 1}}, {8 << 1, 1, 1 << 1, 2 << 1, 4 << 1}) *
           repeated;
  case TensorMemoryShape::L16x128b:
    return columns(Dim::Lane, 4) * rows(Dim::Lane, 8) * rows(Dim::Register, 2) * repeated;
  case TensorMemoryShape::L16x256b:
    return columns(Dim::Register, 2) * columns(Dim::Lane, 4) * rows(Dim::Lane, 8) * rows(Dim::Register, 2) * repeated;
  }
  llvm_unreachable("a shape");
}

LinearLayout tensorMemoryAccessOfWarpgroup(TensorMemoryShape shape, unsigned repeats) {
  LinearLayout warp = tensorMemoryAccess(shape, repeats);
  if (warp.outputSize(Dim::Row) == 16)
    warp = warp * rows(Dim::Register, 2);
  return warp * rows(Dim::Warp, 4);
}

LinearLayout tensorMemoryAccumulator(int64_t m, int64_t n) {
  assert((m == 64 || m == 128 || m == 256) && n <= 512);
  LinearLayout alongN = LinearLayout::identity(n, Dim::Column, tileDim(1));
  auto alongM = [](uint64_t size, Dim in) { return LinearLayout::identity(size, in, tileDim(0)); };
  if (m == 64)
    return alongM(16, Dim::Row) * LinearLayout::zeros(2, Dim::Row, tileDim(0)) * alongM(4, Dim::Row) * alongN;
  return alongM(128, Dim::Row) * alongM(m / 128, Dim::Block) * alongN;
}

LinearLayout tensorMemoryTile(int64_t m, int64_t n) {
  if (m == 64)
    return tensorMemoryAccumulator(m, n);
  return LinearLayout::identity(128, Dim::Row, tileDim(0)) * LinearLayout::identity(n, Dim::Column, tileDim(1)) *
         LinearLayout::identity(m / 128, Dim::Column, tileDim(0));
}

TensorMemoryShape tensorMemoryShapeFor(const LinearLayout &tile) {
  return tile.freeBits(Dim::Row) ? TensorMemoryShape::L16x256b : TensorMemoryShape::L32x32b;
}

LinearLayout tensorMemoryPlaces(const LinearLayout &tile, int64_t warpgroups) {
  uint64_t columnsOfGroup = tile.inputSize(Dim::Column) / warpgroups;
  LinearLayout group;
  if (tensorMemoryShapeFor(tile) == TensorMemoryShape::L32x32b) {
    group = tensorMemoryAccess(TensorMemoryShape::L32x32b, columnsOfGroup);
  } else {
    // The upper 16 rows of each warp's hold nothing.
    LinearLayout nothing({}, {{Dim::Row, 1}}, {});
    group = tensorMemoryAccess(TensorMemoryShape::L16x256b, columnsOfGroup / 8) * nothing;
  }
  return group * rows(Dim::Warp, 4) * columns(Dim::Warp, warpgroups);
}

LinearLayout tensorMemoryRegisters(const LinearLayout &tile, int64_t warpgroups) {
  return tensorMemoryPlaces(tile, warpgroups).then(tile);
}

} // namespace tilewright::layout
