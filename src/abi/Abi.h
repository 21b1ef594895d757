// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface between compiled kernels and the runtime. Ahead-of-time users of an object or shared library include
// this header alone.
#ifndef TILEWRIGHT_ABI_ABI_H
#define TILEWRIGHT_ABI_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// So many bytes at the beginning of scratch are zero when a thread begins to run blocks of a launch, and kept from call
// to call of it: the state that a kernel keeps from block to block.
#define TILEWRIGHT_SCRATCH_STATE_BYTES 256

// Runs the tile blocks [firstBlock, lastBlock) of a grid in order; the linear id counts x fastest. args[i] points at
// the value of entry parameter i. scratch is 64-byte aligned, as large as the kernel needs, and exclusive to it during
// the call. context goes to the callbacks below.
typedef void (*tilewright_kernel)(void **args, int64_t gridX, int64_t gridY, int64_t gridZ, int64_t firstBlock,
                                  int64_t lastBlock, char *scratch, void *context);

// A failed assert of the kernel; `position` is that of the first element that is false. Does not return.
void tilewright_assert_fail(void *context, const char *message, const char *file, int64_t line, int64_t blockX,
                            int64_t blockY, int64_t blockZ, const int64_t *position, int64_t rank);

enum tilewright_type {
  TILEWRIGHT_I1,
  TILEWRIGHT_I8,
  TILEWRIGHT_I16,
  TILEWRIGHT_I32,
  TILEWRIGHT_I64,
  TILEWRIGHT_U8,
  TILEWRIGHT_U16,
  TILEWRIGHT_U32,
  TILEWRIGHT_U64,
  TILEWRIGHT_F16,
  TILEWRIGHT_BF16,
  TILEWRIGHT_F32,
  TILEWRIGHT_F64,
};

// A tile to print: contiguous, row-major; rank 0 is one element.
struct tilewright_print_arg {
  const void *data;
  int32_t type;
  int32_t rank;
  const int64_t *shape;
};

// C format string with one conversion per argument.
void tilewright_print(void *context, const char *format, int64_t numArgs, const struct tilewright_print_arg *args);

// A failed assert, told to who launched the kernel.
struct tilewright_failure {
  char message[256];
  char file[256];
  int64_t line;
  int64_t block[3];
  char position[256]; // as in [2, 3]
};

// Runs a grid on that many threads, 0 for as many as there are processors. 0 when all is done; 1 after an assert
// failed, which is written to *failure unless that is null; 2 without memory for scratch. For programs in C: see
// CLaunch.h.
int tilewright_launch(tilewright_kernel kernel, void **args, int64_t gridX, int64_t gridY, int64_t gridZ,
                      size_t scratchBytes, int threads, struct tilewright_failure *failure);

#ifdef __cplusplus
}
#endif

#endif // TILEWRIGHT_ABI_ABI_H
