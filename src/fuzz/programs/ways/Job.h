/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A launch as a file, for a kernel that another process runs: this, then its arguments, then the memory of the arrays,
 * which the kernel changes in place. All numbers are little-endian. */
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_WAYS_JOB_H
#define TILEWRIGHT_FUZZ_PROGRAMS_WAYS_JOB_H

#include "abi/Abi.h"

struct tilewright_job {
  int64_t grid[3];
  int64_t threads, scratchBytes;
  int64_t status; /* what tilewright_launch returned; -1 before */
  int64_t numArgs;
  struct tilewright_failure failure;
};

struct tilewright_job_argument {
  uint64_t value;   /* its bits; of an array, where in the file its first element is */
  uint64_t isArray; /* 0 or 1 */
};

#endif
