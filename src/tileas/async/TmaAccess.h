// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the tensor memory accelerator can copy a tile of a view, and in which boxes.
#ifndef TILEWRIGHT_TILEAS_ASYNC_TMAACCESS_H
#define TILEWRIGHT_TILEAS_ASYNC_TMAACCESS_H

#include "layout/memory/SharedLayouts.h"
#include "tileas/ir/Tileas.h"

namespace tilewright::tileas {

struct TmaAccess {
  llvm::SmallVector<int64_t> box; // by dimension of the view
  unsigned splitDim;              // of the view: the one whose elements are neighbours
  int64_t boxes;
  layout::SwizzleMode swizzle;
  layout::LinearLayout layout; // of the tile in shared memory, as the boxes are written
};

/// Nothing where it cannot, or a hint of the load or store forbids it; `why` says so then, as the end of a sentence.
std::optional<TmaAccess> describeTmaAccess(mlir::Operation *access, mlir::Value view, llvm::ArrayRef<int64_t> dimMap,
                                           llvm::ArrayRef<int64_t> shape, std::string &why);

/// Hoists the view of a described access out of the regions of the function, with its operands, which are casts of
/// parameters, so that every agent can use it.
void hoistView(mlir::Value view, mlir::func::FuncOp function);

/// Whether the tensor cores multiply in a loop. Encoding tensor maps in the kernel, 2.5 us on an H200, costs little
/// beside that, and much beside a kernel without.
bool multipliesInLoop(mlir::func::FuncOp function);

} // namespace tilewright::tileas

#endif
