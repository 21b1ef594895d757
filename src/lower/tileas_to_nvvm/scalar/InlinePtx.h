// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of PTX, written out, that stand between values and their uses.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SCALAR_INLINEPTX_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_SCALAR_INLINEPTX_H

#include "lower/tileas_to_nvvm/ThreadBuilder.h"

namespace tilewright {

/// An instruction that changes a structure of registers; `operands`, of these kinds of constraints, are numbered behind
/// these.
mlir::Value changeRegisters(llvm::StringRef text, llvm::StringRef kinds, llvm::ArrayRef<mlir::Value> operands,
                            mlir::Value registers, ThreadBuilder &thread);

/// The results, of these types, of an instruction that does nothing but compute them.
llvm::SmallVector<mlir::Value> computeByPtx(const llvm::Twine &text, llvm::StringRef constraints,
                                            llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<mlir::Type> types,
                                            ThreadBuilder &thread);

/// Likewise of an instruction that reads memory, which others may write.
llvm::SmallVector<mlir::Value> readByPtx(const llvm::Twine &text, llvm::StringRef constraints,
                                         llvm::ArrayRef<mlir::Value> operands, llvm::ArrayRef<mlir::Type> types,
                                         ThreadBuilder &thread);

/// An instruction that acts on memory or on the thread.
void actByPtx(const llvm::Twine &text, llvm::StringRef constraints, llvm::ArrayRef<mlir::Value> operands,
              ThreadBuilder &thread);

/// The same values as they are behind an instruction that waits for them.
llvm::SmallVector<mlir::Value> passThrough(llvm::StringRef text, llvm::ArrayRef<mlir::Value> values,
                                           ThreadBuilder &thread);

/// How long the hardware may let a thread sleep between looks at a barrier in memory, in nanoseconds: it looks again in
/// any case.
constexpr int64_t longestSleep = 0x989680;

} // namespace tilewright

#endif
