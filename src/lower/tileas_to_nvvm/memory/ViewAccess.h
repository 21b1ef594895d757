// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where in global memory the elements of a tile of a view lie, and which of them are inside the view.
//
// Each dimension of the tile has a part of its coordinate from the thread and one from the register. The first is
// computed once, and together with the box's corner and the base it is the thread's address; registers add to it.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_VIEWACCESS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_VIEWACCESS_H

#include "layout/memory/AccessQuality.h"
#include "lower/tileas_to_nvvm/ThreadBuilder.h"
#include "lower/tileas_to_nvvm/memory/VectorRegisters.h"

namespace tilewright {

/// The common part of load_view and store_view. `tile` may be a scalar.
struct ViewBox {
  tileaa::ViewType view;
  mlir::ValueRange parts; // base, dynamic extents, dynamic strides
  llvm::SmallVector<mlir::Value> offsets;
  llvm::ArrayRef<int64_t> dimMap;
  std::optional<llvm::ArrayRef<bool>> inbounds;
  mlir::Type tile;
  bool isLoad;
};

class ViewAccess {
public:
  ViewAccess(const ViewBox &box, ThreadBuilder &thread);

  /// The first registers of all accesses.
  llvm::SmallVector<unsigned> starts() const;
  /// The registers of the access that starts there, in the order of memory.
  llvm::SmallVector<unsigned> registersFrom(unsigned start) const { return vector.from(start); }
  int64_t width() const { return vector.width(); }

  mlir::Value pointer(unsigned reg);
  /// Its number, i64.
  mlir::Value address(unsigned reg);
  /// Whether the elements of the access are inside the view; nothing where they are for certain.
  mlir::Value isInside(unsigned reg);
  int64_t alignment() const { return width() * bytes; }
  /// Whether an access is of 16 bytes that may begin anywhere.
  bool isShifted() const { return shifts; }
  /// How many elements of such an access, whose first one is inside, are so, i32; nothing where all are for certain.
  mlir::Value countInside(unsigned reg);

  /// A remark on how wide the accesses of the load or store are.
  void remark(mlir::Operation *op) const;

private:
  struct TileDim {
    unsigned viewDim;
    mlir::Value stride; // i64, in bytes
    std::optional<int64_t> knownStride;
    mlir::Value limit;          // coordinates below it are inside
    bool checked, wide = false; // wide: limit is of the position in the view, i64
    mlir::Value corner;         // i64, of the box
    mlir::Value thread;         // i32, the thread's part
    bool split;                 // whether registers add to it
  };
  mlir::Value extent(unsigned viewDim);
  mlir::Value stride(unsigned viewDim);
  int64_t extentDivisor(unsigned viewDim) const;
  int64_t strideDivisor(unsigned viewDim) const;
  mlir::Value dynamicDim(unsigned viewDim) const;
  mlir::Value dynamicStride(unsigned viewDim) const;
  void chooseVector();
  void chooseCheck(TileDim &dim, int64_t size);
  uint64_t registerPart(unsigned dim, unsigned reg) const;
  /// The address, but for a number of bytes that is known.
  std::pair<mlir::Value, int64_t> place(unsigned reg);

  ThreadBuilder &thread;
  ViewBox box;
  tileaa::ViewType type;
  const layout::LinearLayout *layout = nullptr; // none for a scalar
  int64_t bytes;
  llvm::SmallVector<TileDim> dims;
  VectorRegisters vector;
  bool shifts = false;
  std::optional<unsigned> contiguous; // the dimension of the tile along which a vector lies
  mlir::Value base;                   // i64: the thread's address
  mlir::Value always;                 // a condition of all accesses
};

} // namespace tilewright

#endif
