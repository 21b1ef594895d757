// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where tensor maps that CTAs encode lie in global memory, from where alone the hardware takes them.
//
// CTAs of a launch have the same maps, and so have launches with the same arrays. The module has a table of maps by the
// numbers that they follow from (TensorMapFields). A CTA that finds its map there uses it; the first one encodes it
// there. Entries are never changed or removed, so that no CTA waits for another one, or tells that it is done. Where
// the entry is another map's, or is being written, a CTA encodes its map at a place of its own, which it frees in the
// end.
//
// Example: of 4096 CTAs, 132 multiprocessors with three each, the first 396 find the entry empty or being written: one
// writes it, 395 have places of their own, and the 3700 after them find it.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_TENSORMAPTABLE_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_ASYNC_TENSORMAPTABLE_H

#include "lower/tileas_to_nvvm/async/TensorMapFields.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilewright {

/// By the threads of a warp together: the address of the map with these fields, i64, where it is written. `scratch` is
/// the address of 128 bytes in shared memory, i32.
mlir::Value findTensorMap(const TensorMapFields &fields, mlir::Value scratch, ThreadBuilder &thread);

/// Whether the map at an address, i64, lies at a place of the CTA's own, and by one thread: frees that.
mlir::Value isOwnTensorMap(mlir::Value address, ThreadBuilder &thread);
void freeTensorMap(mlir::Value address, ThreadBuilder &thread);

/// The table and the places, as globals of the module, if a kernel writes any map.
void addTensorMaps(mlir::ModuleOp module);

} // namespace tilewright

#endif
