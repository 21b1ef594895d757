// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random layouts for tests.
#ifndef TILEWRIGHT_LAYOUT_RANDOMLAYOUTS_H
#define TILEWRIGHT_LAYOUT_RANDOMLAYOUTS_H

#include "layout/LinearLayout.h"
#include <algorithm>
#include <random>

namespace tilewright::layout {

struct RandomLayouts {
  std::mt19937 engine;
  explicit RandomLayouts(unsigned seed) : engine(seed) {}

  unsigned below(unsigned bound) { return engine() % bound; }

  llvm::SmallVector<F2Vector> vectors(unsigned count, unsigned bits) {
    llvm::SmallVector<F2Vector> list;
    for (unsigned i = 0; i < count; ++i)
      list.push_back(below(1u << bits));
    return list;
  }
  // Independent if there are no more than bits, and a whole basis first if there are more.
  llvm::SmallVector<F2Vector> basis(unsigned count, unsigned bits) {
    F2Space span;
    llvm::SmallVector<F2Vector> list;
    while (list.size() < std::min(count, bits))
      if (F2Vector vector = below(1u << bits); span.insert(vector))
        list.push_back(vector);
    while (list.size() < count)
      list.push_back(below(1u << bits));
    std::shuffle(list.begin(), list.end(), engine);
    return list;
  }
  // So many bits of registers, lanes and warps onto a tile of two dimensions.
  LinearLayout distributed(unsigned registers, unsigned lanes, unsigned warps, unsigned rows, unsigned columns) {
    return LinearLayout({{Dim::Register, registers}, {Dim::Lane, lanes}, {Dim::Warp, warps}},
                        {{tileDim(0), rows}, {tileDim(1), columns}}, basis(registers + lanes + warps, rows + columns));
  }
};

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_RANDOMLAYOUTS_H
