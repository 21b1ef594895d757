// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata of a cubin. It is an ELF file: a kernel `k` is a function symbol in section .text.k, its constants are
// in .nv.constant0.k and the like, and a note names the program that wrote it.
#ifndef TILEWRIGHT_TARGET_NVIDIA_CUBINFILE_H
#define TILEWRIGHT_TARGET_NVIDIA_CUBINFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright::nvidia {

struct KernelResources {
  std::string name;
  uint64_t codeBytes = 0, constantBytes = 0; // read from the file
  // As the assembler's log says.
  unsigned registers = 0, barriers = 0;
  uint64_t sharedBytes = 0, stackBytes = 0, spillStoreBytes = 0, spillLoadBytes = 0;
};

struct CubinFile {
  std::vector<KernelResources> kernels; // by their place in the file
  std::string writer;                   // as in "Cuda compilation tools, release 13.0, V13.0.88"; empty if not said
};

llvm::Expected<CubinFile> readCubin(llvm::StringRef bytes);

// Completes the kernels with what `ptxas -v` or nvJitLink's log says of them.
void readResources(llvm::StringRef log, std::vector<KernelResources> &kernels);

// A line for each kernel: its resources, as the assembler reports them.
std::string describeResources(llvm::ArrayRef<KernelResources> kernels);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_TARGET_NVIDIA_CUBINFILE_H
