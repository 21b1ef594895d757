// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_ANALYSIS_UNITRESHAPE_H
#define TILEWRIGHT_TILEAA_ANALYSIS_UNITRESHAPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tilewright::tileaa {

/// Dimensions of the source for those of the result of a reshape that only adds or removes extents of 1; -1 stands for
/// an added one. Nothing where elements really change place.
inline std::optional<llvm::SmallVector<int64_t>> matchUnitReshape(llvm::ArrayRef<int64_t> source,
                                                                  llvm::ArrayRef<int64_t> result) {
  llvm::SmallVector<int64_t> sourceDims;
  for (size_t dim = 0; dim < source.size(); ++dim)
    if (source[dim] != 1)
      sourceDims.push_back(dim);
  llvm::SmallVector<int64_t> mapping;
  unsigned next = 0;
  for (int64_t extent : result) {
    if (extent == 1) {
      mapping.push_back(-1);
      continue;
    }
    if (next == sourceDims.size() || source[sourceDims[next]] != extent)
      return std::nullopt;
    mapping.push_back(sourceDims[next++]);
  }
  if (next != sourceDims.size())
    return std::nullopt;
  return mapping;
}

} // namespace tilewright::tileaa

#endif
