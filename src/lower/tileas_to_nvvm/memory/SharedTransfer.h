// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread's part of a tile between registers and a buffer of shared memory, by the instructions that
// `layout::chooseSharedAccess` chooses: vectors, or ldmatrix and stmatrix, for which each lane supplies the address of
// a row that other lanes get.
#ifndef TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_SHAREDTRANSFER_H
#define TILEWRIGHT_LOWER_TILEAS_TO_NVVM_MEMORY_SHAREDTRANSFER_H

#include "layout/memory/SharedAccess.h"
#include "lower/tileas_to_nvvm/ThreadBuilder.h"

namespace tilewright {

/// Loads what is asked for when it is asked for, each instruction once.
class SharedLoader {
public:
  /// `layout` is of the tile in registers, `base` the buffer's place in bytes, i32. A part of a buffer has the layout
  /// of the whole one and another base.
  SharedLoader(const layout::LinearLayout &layout, tileas::BufferType buffer, mlir::Value base, ThreadBuilder &thread);

  mlir::Value get(uint64_t reg);
  llvm::SmallVector<mlir::Value> getAll();

  /// Where an input's bit goes in the buffer, in elements.
  uint64_t offset(layout::Dim in, unsigned bit) const { return places.basisOf(in)[bit]; }
  const layout::LinearLayout &offsets() const { return places; }

private:
  void load(unsigned instruction);

  ThreadBuilder &thread;
  mlir::Type element;
  mlir::Value base;
  layout::LinearLayout places; // Register, Lane, Warp -> Offset
  layout::SharedAccess access;
  llvm::DenseMap<uint64_t, unsigned> instructionOf; // by the offset of a register's element
  llvm::DenseMap<uint64_t, mlir::Value> loaded;
};

/// With a `rank`, i32, into the buffer of that CTA of the cluster.
void storeShared(mlir::ValueRange registers, const layout::LinearLayout &layout, tileas::BufferType buffer,
                 mlir::Value base, ThreadBuilder &thread, mlir::Value rank = {});

/// The address space of the shared memory of all CTAs of a cluster.
constexpr unsigned clusterSpace = 7;
/// A pointer to shared memory as the CTA of a rank in the cluster has it.
mlir::Value inCta(mlir::Value pointer, mlir::Value rank, ThreadBuilder &thread);

/// Neighbouring elements as words of 32 bits, and the reverse; an element of 32 bits is a word itself, but for its
/// type.
llvm::SmallVector<mlir::Value> packWords(llvm::ArrayRef<mlir::Value> elements, ThreadBuilder &thread);
llvm::SmallVector<mlir::Value> unpackWord(mlir::Value word, mlir::Type element, ThreadBuilder &thread);

/// Makes this thread's writes to shared memory visible to wgmma and the tensor memory accelerator, which read past the
/// threads' caches (fence.proxy.async).
void showToHardware(ThreadBuilder &thread);

} // namespace tilewright

#endif
