// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_HOST_STUBS_H
#define TILEWRIGHT_CPP_HOST_STUBS_H

#include "llvm/IR/Module.h"

#include <map>
#include <string>
#include <vector>

namespace tilewright::cpp {

/// Symbols of a module that Clang made for the host.
struct KernelSymbols {
  /// Of kernels, by that which Clang gives to the function that launches them.
  std::map<std::string, std::string> kernels;
  /// Of operations on tiles.
  std::vector<std::string> operations;
};

/// Gives each kernel that is defined a body which launches it by way of <tilewright/launch.h>, with its code from the
/// bundle. An operation on tiles ends the program: functions of tile code are there for the host, too.
void defineStubs(llvm::Module &module, const KernelSymbols &symbols, llvm::StringRef bundle);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_HOST_STUBS_H
