// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slices of tiles that are too large for registers: the passes that make them read how large they are to be, and record
// what they made, in attributes of the function.
#ifndef TILEWRIGHT_TILEAA_IR_SLICES_H
#define TILEWRIGHT_TILEAA_IR_SLICES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tilewright::tileaa {

/// The elements of slices that a plan file asks for, and those by which tiles were sliced.
constexpr llvm::StringLiteral sliceAskedAttr = "tileaa.slice_asked", sliceMadeAttr = "tileaa.slice_made";
/// Tiles of more than mostOfSlice elements may be too large for registers; slices of fewer than leastOfSlice leave
/// threads idle.
constexpr int64_t leastOfSlice = 1024, mostOfSlice = 32768;

std::optional<int64_t> sliceAsked(mlir::Operation *function);
void setSliceAsked(mlir::Operation *function, int64_t elements);
/// Nothing where no tile was sliced.
std::optional<int64_t> sliceMade(mlir::Operation *function);
void setSliceMade(mlir::Operation *function, int64_t elements);
/// Removes both.
void removeSliceSizes(mlir::Operation *function);

/// Adds to `tileaa.slices`, as in "1024x1024xf32 by 16x1024"; each text is there once.
void noteSlices(mlir::Operation *function, mlir::RankedTensorType whole, llvm::ArrayRef<int64_t> slice);
/// All of them, as in "1024x1024xf32 by 16x1024, ...".
std::string textOfSlices(mlir::Operation *function);

} // namespace tilewright::tileaa

#endif
