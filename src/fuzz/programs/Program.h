// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program to run: a module with one entry, and everything its launch takes. The contents of the arguments follow from
// a few numbers, so that a program is one text file: the launch as comments, then the module.
//
//   // launch: 17 grid 4 2 1
//   // buffer: f32 1024 any 8812 exact
//   // scalar: i32 5
//   cuda_tile.module @program { entry @main(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) { ... } }
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_PROGRAM_H
#define TILEWRIGHT_FUZZ_PROGRAMS_PROGRAM_H

#include "fuzz/programs/Elements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tilewright::programs {

struct Parameter {
  bool isBuffer = true;
  Element element = Element::I32;
  // Of a buffer: so many elements, of these numbers.
  int64_t count = 0;
  Contents contents = Contents::Zero;
  // Of a scalar: its bits. Of a buffer: the seed of its contents.
  uint64_t seed = 0;
  // How many representable numbers apart two results of a buffer may be: functions that round more than once.
  uint64_t tolerance = 0;
};

struct Launch {
  uint64_t seed = 0;
  int64_t grid[3] = {1, 1, 1};
  std::vector<Parameter> parameters;
};

struct Program {
  Launch launch;
  mlir::OwningOpRef<mlir::ModuleOp> module; // holds one cuda_tile.module
};

// The comments that begin a program's file.
std::string printLaunch(const Launch &launch);
llvm::Expected<Launch> parseLaunch(llvm::StringRef text);

// A program to run: the module as text or bytecode, and its launch.
struct Source {
  std::string module;
  Launch launch;
};

// The text of a program's file.
std::string printProgram(const Program &program);
// The file of a program; the module is the whole text, since comments do no harm to it.
llvm::Expected<Source> parseProgram(llvm::StringRef text);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_PROGRAM_H
