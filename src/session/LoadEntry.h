// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles, caches and loads a module, for the Python binding and the C API. An entry is looked up where that costs
// least:
//
//   "memory"     another load of this process had equal code
//   "disk"       a process before this one left it in the cache
//   "compiled"   neither did; the cache has it now
#ifndef TILEWRIGHT_SESSION_LOADENTRY_H
#define TILEWRIGHT_SESSION_LOADENTRY_H

#include "gpu_simulator/SimulatedProgram.h"
#include "interpreter/Program.h"
#include "pipeline/Pipeline.h"
#include "runtime/DiskCache.h"
#include "runtime/Executable.h"
#include "runtime/cuda/GpuExecutable.h"
#include "session/UsageError.h"
#include <variant>

namespace tilewright::session {

/// Code of this machine.
struct CpuCode {
  std::shared_ptr<Executable> executable;
  const Executable::Entry *entry = nullptr;
};

/// Code of a GPU, which stays loaded as long as the process lives.
struct GpuCode {
  cuda::GpuExecutable *executable;
  const cuda::GpuExecutable::Kernel *kernel;
};

/// Operations of Tile IR, one after another.
using InterpretedCode = std::shared_ptr<interpreter::Program>;

/// A kernel for a GPU, simulated on the host.
using SimulatedCode = std::shared_ptr<simulator::SimulatedProgram>;

struct LoadedEntry {
  std::variant<CpuCode, GpuCode, InterpretedCode, SimulatedCode> code;
  const EntryInfo *info = nullptr;
  const char *origin = ""; // where it was found; "interpreted" or "simulated" where there is no code

  template <typename Code> const Code *get() const { return std::get_if<Code>(&code); }
  bool isOnGpu() const { return get<GpuCode>(); }
  /// Warnings and remarks of the compilation.
  llvm::StringRef remarks() const;
};

/// The entry of that name, or the only one for an empty name; an error names those that there are.
llvm::Expected<LoadedEntry> findEntry(std::shared_ptr<Executable> executable, llvm::StringRef name, const char *origin);
llvm::Expected<LoadedEntry> findEntry(cuda::GpuExecutable &executable, llvm::StringRef name, const char *origin);
llvm::Expected<LoadedEntry> findEntry(InterpretedCode program, llvm::StringRef name);
llvm::Expected<LoadedEntry> findEntry(SimulatedCode program, llvm::StringRef name);

/// A module as it is given.
struct ModuleSource {
  std::string bytes;    // Tile IR bytecode, text or bytecode of MLIR, with locations
  std::string identity; // equal for equal code
};

struct LoadOptions {
  PipelineOptions pipeline;   // resolved
  std::string entry;          // the only one if empty
  int device = 0;             // number of the GPU
  std::string instance;       // modules that must not share their globals have different ones
  DiskCache *cache = nullptr; // none
};

/// An error for a target that code cannot be loaded for, on whatever machine.
llvm::Error checkTarget(llvm::StringRef target);

/// Targets are `cpu`, `cpu:x86-64-v3`, ...; `nvidia` for the code of a GPU of this machine, or `nvidia:sm_90`, which
/// must be its architecture; `interpreter`; `tileas:sm_90` to simulate. An error is a UsageError, a cuda::DriverError,
/// a GuardFailure, or the diagnostics of a module that is refused.
llvm::Expected<LoadedEntry> loadEntry(llvm::StringRef target, const ModuleSource &source, const LoadOptions &options);

/// Every entry of a module, to be simulated for that architecture; `name` is for diagnostics.
llvm::Expected<std::vector<LoadedEntry>> loadAllSimulated(llvm::StringRef module, llvm::StringRef name,
                                                          const nvidia::Architecture &architecture);

} // namespace tilewright::session

#endif
