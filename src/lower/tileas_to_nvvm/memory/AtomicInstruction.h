// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_ATOMICINSTRUCTION_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_ATOMICINSTRUCTION_H

#include "lower/tileas_to_nvvm/ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilewright {

/// Whether the architecture has an instruction that combines elements of the type so.
bool hasAtomicInstruction(mlir::arith::AtomicRMWKind kind, mlir::Type element,
                          const nvidia::Architecture &architecture);

/// The old value at `pointer`, which one instruction combines with `value`. Without a use of the old value it may be a
/// reduction, and its value is `value`.
///
/// The instruction is written out: LLVM 22 drops the ordering of an atomicrmw that PTX has an instruction for, and
/// gives it the scope of the device.
mlir::Value atomicInstruction(mlir::arith::AtomicRMWKind kind, tileaa::Ordering ordering, mlir::Value pointer,
                              mlir::Value value, bool isUsed, ThreadBuilder &thread);

} // namespace tilewright

#endif
