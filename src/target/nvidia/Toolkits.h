// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where what NVIDIA ships may be on this machine.
#ifndef TILEWRIGHT_TARGET_NVIDIA_TOOLKITS_H
#define TILEWRIGHT_TARGET_NVIDIA_TOOLKITS_H

#include <string>
#include <vector>

namespace tilewright::nvidia {

// Folders of CUDA toolkits: those that CUDA_HOME and CUDA_PATH name, then /usr/local/cuda.
std::vector<std::string> toolkits();

// Where this library lies in a Python package, the folder that has NVIDIA's packages beside it.
std::vector<std::string> neighbours();

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_TARGET_NVIDIA_TOOLKITS_H
