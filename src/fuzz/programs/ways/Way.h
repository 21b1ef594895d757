// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A way to run a program: who runs it, and as which code.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_WAYS_WAY_H
#define TILEWRIGHT_FUZZ_PROGRAMS_WAYS_WAY_H

#include "pipeline/Target.h"

namespace tilewright::programs {

struct Way {
  enum class Kind { Interpreter, Checked, Cpu, Emulated, Gpu, CompileOnly, Simulated };
  std::string name;
  Kind kind = Kind::Cpu;
  Machine machine = {};     // of Cpu and Emulated
  TargetRef target = {};    // of CompileOnly, with
  Level level = Level::Ptx; // how far
  bool portable = false;    // of both: the portable launch ABI
  unsigned optLevel = 1;
  const nvidia::Architecture *architecture = nullptr; // of Simulated, with
  int64_t schedules = 1;                              // for each block
  bool isEdited = false;                              // with other decisions than the compiler's
  // A fault to be found: takes one operation for another.
  std::string mistaken = {}, mistakenFor = {};
};

// `checked` (the interpreter in checked mode), `interpreter`, `cpu/O0`, `cpu:x86-64-v2/O3`, ... and with a fault
// `cpu/O1+xori=ori`. `cpu:aarch64/O1` runs in an emulator where this machine is of another kind. `nvidia/O3` and
// `nvidia/O3/portable` are GPU 0 of this machine; `nvidia:sm_80/O3/ptx` and `nvidia:sm_80/O3/cubin` only compile, which
// needs none. `tileas:sm_90` simulates that GPU, and `tileas:sm_90/100` under a hundred schedules;
// `tileas:sm_90/edited` has decisions changed at random, which may be refused.
llvm::Expected<Way> parseWay(llvm::StringRef name);
// Without names `checked`, which is the reference then, `cpu/O0` and `cpu/O3`.
llvm::Expected<std::vector<Way>> parseWays(llvm::ArrayRef<std::string> names);

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_WAYS_WAY_H
