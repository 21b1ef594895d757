// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions that CUDA C++ has no expression for. NVRTC has no headers of its own, so that bf16 is defined here, too.
#pragma once

#define KERNEL extern "C" __global__ void
#define DEVICE __device__ __forceinline__
#define DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]

struct bf16 {
  unsigned short bits;
};

// 16 bytes that are read once, past the first cache.
DEVICE uint4 load_once(const void *source) {
  uint4 value;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
               : "l"(source));
  return value;
}

DEVICE unsigned shared_address(const void *pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

// Begins a copy of 16 bytes to shared memory, or fills them with zeros.
DEVICE void copy_async(void *target, const void *source, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(target)), "l"(source),
               "r"(inside ? 16 : 0)
               : "memory");
}

// Closes a group of copies.
DEVICE void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

// Waits until at most so many of the latest groups of this thread are under way.
template <int PENDING> DEVICE void wait_copies() { asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory"); }

// Four matrices of 8 x 8 bf16; lane l has the address of row l % 8 of matrix l / 8, and gets elements 2 (l % 4) and the
// next one of row l / 4 of each.
DEVICE void load_matrices(unsigned (&to)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

// The same, each matrix transposed.
DEVICE void load_matrices_transposed(unsigned (&to)[4], const void *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

// total [16, 8] += a [16, 16] b [16, 8]. With g = lane / 4 and q = lane % 4 a lane has
//   of a: elements 2q, 2q + 1 of rows g and g + 8, then 2q + 8, 2q + 9 of both; of b: rows 2q, 2q + 1, then 2q + 8,
//   2q + 9 of column g; of the total: elements 2q, 2q + 1 of row g, then of row g + 8.
DEVICE void multiply_add(float (&total)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(total[0]), "+f"(total[1]), "+f"(total[2]), "+f"(total[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Two f32 rounded to bf16, the first in the low half.
DEVICE unsigned pack_bf16(float first, float second) {
  unsigned both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(second), "f"(first));
  return both;
}

// a * b + c of two bf16 each.
DEVICE unsigned fma_bf16(unsigned a, unsigned b, unsigned c) {
  unsigned result;
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));
  return result;
}
