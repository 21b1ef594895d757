// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers of one thread for each value of a tile program.
//
//   tensor<64xf32, {register: 32, lane: 1 2 4 8 16}>   f32, f32
//   !tileaa.view<?x64xf32, strides [64, 1]>            i64, index        base; dynamic extents, dynamic strides
//   !tileaa.token, !tileas.pipeline                    nothing
//   !tileas.pipeline_state                             i32, i32          stage, phase
//   !tileas.buffer                                     i32               its offset in shared memory, in bytes
//   !tileas.tmem                                       i32               its address in tensor memory
//   !tileas.tma_desc                                   !llvm.ptr         where the hardware reads the tensor map
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_REGISTERTYPES_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_REGISTERTYPES_H

#include "mlir/Transforms/DialectConversion.h"

namespace tilewright {

class RegisterTypeConverter : public mlir::TypeConverter {
public:
  RegisterTypeConverter();
};

/// Whether values of the type become other values than themselves.
bool isExpanded(mlir::Type type);
/// Whether an operand or result of the operation does.
bool isExpanded(mlir::Operation *op);

/// The registers that a thread has of a tile; one of a scalar.
int64_t registerCount(mlir::Type tile);

} // namespace tilewright

#endif
