// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which layouts of shared memory the matrix descriptors of wgmma and tcgen05 can name. Core matrices are 8 rows of 16
// bytes; a descriptor gives a swizzle mode and two strides between them. PTX ISA 9.7.15.5.1.2 (wgmma), 9.7.16.3 and
// 9.7.16.4 (tcgen05).
#ifndef TILEWRIGHT_LAYOUT_MEMORY_MATRIXDESCRIPTOR_H
#define TILEWRIGHT_LAYOUT_MEMORY_MATRIXDESCRIPTOR_H

#include "layout/memory/SharedLayouts.h"

namespace tilewright::layout {

enum class Major { K, MN };

struct MatrixDescriptor {
  Major major;
  SwizzleMode mode;
  // In bytes. K major: `leading` from one 16-byte column to the next (of no meaning when swizzled), `stride` from 8
  // rows to the next 8. MN major: `leading` from one span of m or n to the next, `stride` from 8 rows of k to the next
  // 8; without swizzle the two change their parts.
  uint32_t leading, stride;
  // Where the operand of the instruction at (mn, k) begins: a multiple of the instruction's size in each. In bytes,
  // to be added to the address of the tile: Offset of D0 (m or n) and D1 (k) before swizzling, linear and without
  // carries.
  LinearLayout start;
};

// The part of a tile that one instruction reads: m or n (64 of A, n of B) and k (32 bytes for wgmma).
struct OperandBox {
  int64_t mn, k;
};

// The descriptor for a tile in shared memory, Offset (in elements) -> D0 (m or n), D1 (k). For A, that is the tile as
// it is; for B (k x n), the tile permuted.
std::optional<MatrixDescriptor> describeOperand(const LinearLayout &shared, unsigned elementBits, OperandBox box);

// The 64 bits for wgmma, of the start address in bytes: addresses and strides in units of 16. The mask keeps the rank
// of the block in a cluster, which shared addresses carry above bit 18, out of the strides.
uint64_t encodeForWgmma(const MatrixDescriptor &descriptor, uint32_t address);
// The same for tcgen05.mma (PTX ISA 9.7.16.4.1).
uint64_t encodeForTcgen05(const MatrixDescriptor &descriptor, uint32_t address);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_MEMORY_MATRIXDESCRIPTOR_H
