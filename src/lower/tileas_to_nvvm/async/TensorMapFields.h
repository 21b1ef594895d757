// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of a tensor map, and the numbers from which they follow.
//
// Example: a map for boxes of 64x128 of a view of bf16 [?, ?] with strides [?, 1] follows from five numbers that are
// known when the kernel runs, and a sixth one that says what is known before: the box, the swizzle and the element.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_TENSORMAPFIELDS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_TENSORMAPFIELDS_H

#include "lower/tileas_to_nvvm/ThreadBuilder.h"

namespace tilewright {

class TensorMapFields {
public:
  /// `parts` are the registers of a view of this type.
  TensorMapFields(tileas::TensorMapAttr map, tileaa::ViewType type, mlir::ValueRange parts, ThreadBuilder &thread);

  /// So many numbers a map has at most: of five dimensions the extents and strides, the base, and what is known.
  static constexpr int64_t mostNumbers = 12;
  /// Maps are equal where all of these are, i64.
  llvm::SmallVector<mlir::Value> numbers(ThreadBuilder &thread) const;

  /// By one thread: into a map in shared memory, at an address there, i32, that is zero yet.
  void encode(mlir::Value place, ThreadBuilder &thread) const;

private:
  uint64_t known() const;

  tileas::TensorMapAttr map;
  tileaa::ViewType type;
  mlir::Value base;
  llvm::SmallVector<mlir::Value> extents, strides;
};

/// The address of a global of the module, i64.
mlir::Value addressOfGlobal(llvm::StringRef name, ThreadBuilder &thread);

/// A global of the module: where maps to be stored by point for arrays without elements.
inline constexpr llvm::StringLiteral nothingName = "tilewright_nothing";

} // namespace tilewright

#endif
