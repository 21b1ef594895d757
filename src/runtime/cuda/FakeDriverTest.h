// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver of tests: build/lib/libfakecuda.so, and its functions for tests.
#ifndef TILEWRIGHT_RUNTIME_CUDA_FAKEDRIVERTEST_H
#define TILEWRIGHT_RUNTIME_CUDA_FAKEDRIVERTEST_H

#include "runtime/cuda/fake/FakeDriver.h"
#include "gtest/gtest.h"
#include <dlfcn.h>
#include <filesystem>
#include <string>

// Beside the programs' folder build/bin.
inline std::string fakeDriverPath() {
  auto program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "lib" / "libfakecuda.so";
}

#endif // TILEWRIGHT_RUNTIME_CUDA_FAKEDRIVERTEST_H
