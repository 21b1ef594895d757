// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/memory/SharedLayouts.h"
#include "layout/Distributed.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace llvm;

namespace tilewright::layout {

LinearLayout plainShared(ArrayRef<int64_t> shape, ArrayRef<unsigned> order) {
  return grid(Dim::Offset, shape, order);
}

LinearLayout swizzledShared(ArrayRef<int64_t> shape, ArrayRef<unsigned> order, XorSwizzle swizzle) {
  uint64_t row = shape[order.front()];
  assert(swizzle.vector * swizzle.maxPhase <= row && "a group stays in its row");
  LinearLayout plain = plainShared(shape, order);
  SmallVector<F2Vector> vectors(plain.basisOf(Dim::Offset));
  // Row bits that make the phase move the column of every element in the row.
  unsigned rowBit = Log2_64(row), phaseBits = Log2_64(swizzle.maxPhase);
  for (unsigned bit = 0; bit < phaseBits; ++bit) {
    unsigned at = rowBit + Log2_64(swizzle.perPhase) + bit;
    if (at < vectors.size())
      vectors[at] ^= plain.outputAt(tileDim(order.front()), swizzle.vector << bit);
  }
  return LinearLayout(plain.inputs(), plain.outputs(), vectors);
}

LinearLayout addressSwizzle(SwizzleMode mode, uint64_t elements, unsigned elementBits) {
  // Address bits 7 and up are added to bits 4 and up.
  SmallVector<F2Vector> vectors;
  auto elementsIn = [&](uint64_t bytes) { return bytes * 8 / elementBits; };
  for (unsigned bit = 0; bit < Log2_64(elements); ++bit) {
    F2Vector offset = F2Vector(1) << bit;
    for (unsigned unit = 16; unit < spanOf(mode); unit *= 2)
      if (offset == elementsIn(unit * 8))
        offset |= elementsIn(unit);
    vectors.push_back(offset);
  }
  unsigned bits = Log2_64(elements);
  return LinearLayout({{Dim::Offset, bits}}, {{Dim::Offset, bits}}, vectors);
}

LinearLayout addressSwizzle(SwizzleMode mode, uint64_t bytes) {
  return addressSwizzle(mode, bytes, 8);
}

SmallVector<int64_t> tmaBoxShape(ArrayRef<int64_t> shape, ArrayRef<unsigned> order, SwizzleMode mode,
                                 unsigned elementBits) {
  SmallVector<int64_t> box(shape);
  int64_t &row = box[order.front()];
  if (mode != SwizzleMode::None)
    row = std::min<int64_t>(row, spanOf(mode) * 8 / elementBits);
  return box;
}

LinearLayout tmaBox(ArrayRef<int64_t> box, ArrayRef<unsigned> order, SwizzleMode mode, unsigned elementBits) {
  assert(SmallVector<int64_t>(box) == tmaBoxShape(box, order, mode, elementBits) && "a row fits into the span");
  LinearLayout plain = plainShared(box, order);
  return addressSwizzle(mode, plain.inputSize(Dim::Offset), elementBits).then(plain);
}

LinearLayout tmaTile(ArrayRef<int64_t> shape, ArrayRef<unsigned> order, SwizzleMode mode, unsigned elementBits) {
  SmallVector<int64_t> box = tmaBoxShape(shape, order, mode, elementBits);
  unsigned fastest = order.front();
  LinearLayout plain =
      plainShared(box, order) * LinearLayout::identity(shape[fastest] / box[fastest], Dim::Offset, tileDim(fastest));
  // The swizzle is of addresses: boxes of fewer than 8 lines continue it.
  return addressSwizzle(mode, plain.inputSize(Dim::Offset), elementBits).then(plain);
}

} // namespace tilewright::layout
