// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's assemblers of PTX: the library nvJitLink, which works in this process, the program ptxas, and the CUDA
// driver, which assembles what it loads. All are the same compiler with the same messages; but the library always makes
// relocatable code, which is not quite as good (so does the driver's own linker, cuLink, which is not used therefore).
#ifndef TILEWRIGHT_TARGET_NVIDIA_ASSEMBLER_H
#define TILEWRIGHT_TARGET_NVIDIA_ASSEMBLER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <chrono>
#include <string>
#include <vector>

namespace tilewright::nvidia {

struct Assembler {
  enum class Kind { NvJitLink, Ptxas, Driver } kind = Kind::Ptxas;
  std::string path; // of nvJitLink perhaps only a name, which the system's loader knows; of the driver "driver"
};

struct AssemblerSearch {
  // This one, which is a libnvJitLink or "driver" if its name says so, and no other; default: the environment's
  // TILEWRIGHT_ASSEMBLER.
  std::string path;
  // Folders that Python packages are in (sys.path): NVIDIA's packages have assemblers.
  std::vector<std::string> packages;
  // CUDA's version, as in 13000, of the driver that is to load the code and may be left to assemble it; 0: there is
  // none.
  int driver = 0;
};

// Those that are there, the library first, since it is several times faster for a small kernel, and the driver last,
// since nothing is known of the code before it is loaded.
std::vector<Assembler> findAssemblers(const AssemblerSearch &search);

// Changes when another assembler would be taken, or one of the same name is another: its path, size and date.
std::string identifyAssemblers(const AssemblerSearch &search);

// The result of one run of an assembler.
struct AssemblerRun {
  enum class End {
    Done,
    Refused,  // the PTX is wrong; `log` says where
    Unusable, // it does not start or is not what its name says; `log` says why
    Stopped,  // it did not come to an end in time
  } end = End::Done;
  std::string cubin, log;
};

// `arguments` are ptxas's. nvJitLink cannot be interrupted: a guarded body leaves its thread behind.
AssemblerRun runPtxas(const std::string &path, llvm::StringRef ptx, llvm::StringRef architecture,
                      llvm::ArrayRef<std::string> arguments, std::chrono::milliseconds time);
AssemblerRun runNvJitLink(const std::string &path, llvm::StringRef ptx, llvm::StringRef architecture,
                          llvm::ArrayRef<std::string> arguments);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_TARGET_NVIDIA_ASSEMBLER_H
