// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory in which a kernel keeps its tiles: one block per thread, reused by every launch on that thread, grown
// before a kernel runs and never inside it.
#ifndef TILEWRIGHT_RUNTIME_SCRATCH_H
#define TILEWRIGHT_RUNTIME_SCRATCH_H

#include <cstddef>

namespace tilewright {

// At least so many bytes, 64-byte aligned, valid until the next call on this thread. Null if the system has no such
// memory.
char *threadScratch(size_t bytes);

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_SCRATCH_H
