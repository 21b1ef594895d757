// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_PRODUCTIONS_VIEWS_H
#define TILEWRIGHT_FUZZ_PROGRAMS_PRODUCTIONS_VIEWS_H

#include "fuzz/programs/Body.h"

namespace tilewright::programs {

enum class ViewKind { Partition, Strided, GatherScatter };

// A tile view of an area and an index in its index space.
struct ViewPlace {
  ViewKind kind = ViewKind::Partition;
  Shape tile, extents, strides;
  Shape steps; // between neighbouring tiles
  llvm::SmallVector<int32_t> dimMap;
  int32_t sparse = 0;
  Value view;
  llvm::SmallVector<Value> index;
  llvm::SmallVector<bool> inbounds;
};

// False if none of these fits the area.
bool makeView(Body &body, const Area &area, bool isStore, llvm::ArrayRef<ViewKind> kinds, ViewPlace &place);

// The attributes of a load, or of a store, at that place.
llvm::SmallVector<mlir::NamedAttribute> accessAttributes(Body &body, const ViewPlace &place, Body::Ordering ordering,
                                                         bool isStore, bool hasToken);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_PRODUCTIONS_VIEWS_H
