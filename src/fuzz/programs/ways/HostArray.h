// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_WAYS_HOSTARRAY_H
#define TILEWRIGHT_FUZZ_PROGRAMS_WAYS_HOSTARRAY_H

#include <cstdint>

namespace tilewright::programs {

/// Memory of the host, and the argument that points into it: for launches elsewhere, which copy it there and back.
struct HostArray {
  uint64_t *pointer;
  uint64_t address, bytes;
};

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_WAYS_HOSTARRAY_H
