// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CUDA driver for tests on machines without a GPU: the functions that runtime/cuda/Driver.h loads, over the host's
// own memory. It writes down the calls that change something, can be told to fail, and runs a function of the test in
// place of a kernel. A cubin is text:
//
//   kernel add 8 8 4          a kernel and the bytes of each of its parameters
//   global name               a global of 8 bytes
//
// or any ELF file or PTX: then every name in its bytes is a symbol, and the parameters of a launch are not recorded.
// PTX with a line that begins with `error` is refused, with that line as the log. TILEWRIGHT_FAKE_CUDA in the
// environment may hold `devices=2 cc=80 fail=cuInit:100`.
#ifndef TILEWRIGHT_RUNTIME_CUDA_FAKE_FAKEDRIVER_H
#define TILEWRIGHT_RUNTIME_CUDA_FAKE_FAKEDRIVER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Resets recorded calls, failures and other settings; memory and modules stay.
void fakecuda_reset(void);
// The calls so far, a line each; valid until the next call of this.
const char *fakecuda_log(void);
// The function's calls return that status from now on; 0 ends it.
void fakecuda_fail(const char *function, int status);
// A kernel made an illegal access: every call returns that status until reset.
void fakecuda_fault(int status);
// Streams are in capture, and calls that are illegal during a capture fail.
void fakecuda_capture(int isCapturing);
// Allocations that were not given back.
int fakecuda_allocations(void);

// Where the global of that name is in the module that was loaded last; 0 if it has none.
uint64_t fakecuda_global(const char *name);

typedef void (*fakecuda_kernel)(const char *name, const uint32_t *grid, void **parameters);
// Is called for every launch, unless null.
void fakecuda_on_launch(fakecuda_kernel kernel);

#ifdef __cplusplus
}
#endif

#endif // TILEWRIGHT_RUNTIME_CUDA_FAKE_FAKEDRIVER_H
