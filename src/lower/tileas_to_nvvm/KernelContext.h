// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts that patterns of several families need besides the operation they rewrite: the threads that run it, and the
// kernel as a whole.
// All of it is read off the original IR before the conversion begins, since a pattern sees IR of which the part before
// its operation is converted: definitions are casts there, and users that came earlier are gone. A map from an
// operation holds until that operation is converted; operations keep their identity when a region moves into another
// operation.
//
// Scalars are not converted: their analyses (`tileaa::knownDivisor`) are valid at any time, if
// `tileaa.assume_div_by` of scalars stays until the end.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_KERNELCONTEXT_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_KERNELCONTEXT_H

#include "layout/LinearLayout.h"
#include "lower/tileas_to_nvvm/RegisterTypes.h"
#include "lower/tileas_to_nvvm/memory/VectorRegisters.h"
#include "machine/Architecture.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tilewright {

/// Where prints and failed asserts go: to our host buffer where a launcher has set it, and where none has nowhere, or
/// to the driver's vprintf.
enum class PrintChannel { HostBuffer, HostBufferOrDriver };

/// Threads that run operations together, and their own numbers, i32. Numbers that depend on the thread alone, outputs
/// of a linear map, are computed once, behind these at the top of the scope.
struct ThreadScope {
  struct Number {
    layout::LinearLayout map;
    layout::Dim out;
    mlir::Value value;
  };

  int64_t warps;
  mlir::Value lane, warp, thread;
  /// The last operation at the top; null for a scope whose numbers are computed where they are asked for.
  mlir::Operation *top = nullptr;
  /// A memo: the order of patterns decides in which order these stand at the top, and nothing else.
  std::vector<Number> numbers = {};
};

class KernelContext {
public:
  /// Computes the numbers of threads at the top of the function, and of a producer.
  KernelContext(mlir::func::FuncOp function, const nvidia::Architecture &architecture, PrintChannel channel);

  mlir::func::FuncOp function;
  const nvidia::Architecture &architecture;
  PrintChannel channel;
  RegisterTypeConverter types;
  /// Of all accesses through pointers, copies among them.
  PointerVectors vectors;
  /// Tensor memory is accessed: after a wait, accesses to it before are visible by a fence (tcgen05.fence).
  bool usesTmem;
  /// The address space of pointers: global memory, unless the kernel has memory of its own, which is shared and whose
  /// addresses may be anywhere.
  unsigned addressSpace;
  /// A pointer to the CTA's shared memory.
  mlir::Value sharedBase;

  /// The threads that run an operation of the original IR.
  ThreadScope &scopeOf(mlir::Operation *op) { return producers.contains(op) ? *producer : all; }
  /// Whether it is run by consumers: while they are there, others of the CTA are not.
  bool isByConsumers(mlir::Operation *op) const { return consumers.contains(op); }

  /// A variable of the thread, an integer that is zero at first: a pointer to it. It stands in the function's first
  /// block, of whose variables LLVM makes registers.
  mlir::Value makeVariable(unsigned width);

  /// Of the last pattern that did not match.
  std::string failure;

private:
  void enterAgents();
  void leaveExtraBlocks(mlir::OpBuilder &b);

  ThreadScope all;
  std::optional<ThreadScope> producer; // of several warps that produce together
  llvm::DenseSet<mlir::Operation *> producers, consumers;
};

/// The array of the module in which all buffers lie; it is as large as the launch says.
constexpr llvm::StringLiteral sharedMemoryName = "tilewright_shared_memory";

} // namespace tilewright

#endif
