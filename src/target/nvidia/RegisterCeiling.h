// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `.minnctapersm N` of a kernel in PTX: an assembler finds it registers for N blocks of an SM, and spills what is left
// over. A wish for more blocks must not cost more than a few registers, which only an assembler knows: it is asked
// again without the directive where it spills more, and the better code is kept.
#ifndef TILEWRIGHT_TARGET_NVIDIA_REGISTERCEILING_H
#define TILEWRIGHT_TARGET_NVIDIA_REGISTERCEILING_H

#include "target/nvidia/Cubin.h"
#include "llvm/ADT/StringMap.h"

namespace tilewright::nvidia {

// By the names of kernels, those of more than one block.
llvm::StringMap<unsigned> registerCeilings(llvm::StringRef ptx);

// The same PTX without the directives of these kernels, and without their `setmaxnreg`, whose numbers are those under
// the ceiling.
std::string withoutCeilings(llvm::StringRef ptx, const llvm::StringMap<unsigned> &kernels);

struct CeiledCubin {
  Cubin cubin;
  // Kernels that are compiled without their ceiling, and what was spilled under it; nothing where the assembler could
  // not compile the kernel with so few registers at all, or does not say.
  llvm::StringMap<std::optional<uint64_t>> lifted;
};

// As assembleCubin, which runs once where next to nothing is spilled under a ceiling. Takes the ceilings out of the
// PTX, too. PTX for the driver has none, as its spills are not reported, but of kernels whose agents hand over
// registers: their plan leaves the agents enough.
llvm::Expected<CeiledCubin> assembleUnderCeilings(std::string &ptx, const Architecture &architecture,
                                                  const CubinOptions &options);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_TARGET_NVIDIA_REGISTERCEILING_H
