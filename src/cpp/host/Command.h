// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command line of tilewright-c++.
#ifndef TILEWRIGHT_CPP_HOST_COMMAND_H
#define TILEWRIGHT_CPP_HOST_COMMAND_H

#include "cpp/Compile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace tilewright::cpp {

struct Command {
  /// Sources in CUDA Tile C++.
  std::vector<std::string> sources;
  /// Everything for the linker in its order; a source stands for its object.
  std::vector<std::string> linked;
  /// Of a part of the work only: a level to emit, objects, or nothing.
  std::string emit;
  bool compileOnly = false;
  std::string output;
  /// Of the level to emit.
  std::string target = "cpu";
  /// Of the program.
  std::vector<std::string> targets = {"cpu"};
  /// The decisions of passes about the program's kernels are told.
  bool remarks = false;
  /// -MD and the like, for the host's part alone.
  std::vector<std::string> dependencies;
  CompileOptions options;
  /// Questions about the compiler, and work without kernels, which are Clang's.
  bool isForClang = false;
};

llvm::Expected<Command> parseCommand(llvm::ArrayRef<const char *> arguments);

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_HOST_COMMAND_H
