// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of wgmma: parts of a tile in shared memory, by descriptors, or the left one in registers.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MMA_WGMMAOPERANDS_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MMA_WGMMAOPERANDS_H

#include "layout/memory/MatrixDescriptor.h"
#include "lower/tileas_to_nvvm/ThreadBuilder.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tilewright {

/// How hardware reads an operand from a buffer; `mn` is the tile's dimension that is not K. Nothing where the layout
/// has no descriptor.
std::optional<layout::MatrixDescriptor> describeOperand(tileas::BufferType type, unsigned mn, layout::OperandBox box);

/// An operand in memory: the descriptor of its beginning, and how far from there each instruction begins.
class MemoryOperand {
public:
  /// `base` is the buffer's offset in shared memory; warpgroups share the accumulator by its layout.
  MemoryOperand(const layout::MatrixDescriptor &descriptor, mlir::Value base, unsigned mn,
                const layout::LinearLayout &acc, ThreadBuilder &thread);

  /// For the instruction that begins there, within the warpgroup's part.
  mlir::Value at(int64_t position, int64_t k);
  mlir::NVVM::MMALayout order() const;

private:
  unsigned mn;
  ThreadBuilder &thread;
  layout::MatrixDescriptor descriptor;
  mlir::Value first;
};

/// The left operand in registers, as words.
class RegisterOperand {
public:
  RegisterOperand(mlir::Value tile, mlir::ValueRange registers, layout::LinearLayout part, ThreadBuilder &thread);

  /// For the instruction that begins there: the thread has what that needs (verify-tileas).
  llvm::SmallVector<mlir::Value> at(int64_t m, int64_t k) const;

private:
  std::optional<uint64_t> registerAt(int64_t m, int64_t k, uint64_t reg) const;

  const layout::LinearLayout &layout;
  layout::LinearLayout fragment;
  ThreadBuilder &thread;
  mlir::ValueRange values;
  layout::F2Matrix registersOf;
};

} // namespace tilewright

#endif
