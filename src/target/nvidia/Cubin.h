// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From PTX text to a cubin, by an assembler of NVIDIA's: none is part of this library, and none is needed to build it.
// Where code is to be loaded at once, the driver may be that assembler: then it stays PTX up to there.
#ifndef TILEWRIGHT_TARGET_NVIDIA_CUBIN_H
#define TILEWRIGHT_TARGET_NVIDIA_CUBIN_H

#include "target/nvidia/Assembler.h"
#include "target/nvidia/CubinFile.h"
#include "target/nvidia/Ptx.h"
#include <chrono>

namespace tilewright::nvidia {

struct CubinOptions {
  AssemblerSearch search;
  DebugInfo debugInfo = DebugInfo::None; // as the PTX was made with
  bool optimize = true;                  // else as quickly as it goes
  bool largeShared = false;              // the PTX has more than 48 KB of shared memory that is not dynamic
  bool checkAccesses = false;            // code that compute-sanitizer's memcheck sees more of; by ptxas
  // How long a ptxas process may take, 0 for as long as it likes; in a guarded body it ends with the body as well.
  std::chrono::milliseconds time{0};
};

struct Cubin {
  std::string bytes; // PTX if the assembler is the driver
  Assembler assembler;
  std::vector<KernelResources> kernels; // in the order of the file
  std::string advice;                   // the assembler's warnings, a line each
};

// The PTX is wrong, says an assembler.
class RefusedPtx : public llvm::ErrorInfo<RefusedPtx> {
public:
  static char ID;
  explicit RefusedPtx(std::string message) : text(std::move(message)) {}
  std::string message() const override { return text; }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  void log(llvm::raw_ostream &os) const override { os << text; }

private:
  std::string text;
};

// Takes the first assembler that can; one that is too old for the PTX or the architecture leaves it to the next. PTX
// that nvJitLink would make slower code of goes to the others first.
llvm::Expected<Cubin> assembleCubin(llvm::StringRef ptx, const Architecture &architecture,
                                    const CubinOptions &options = {});

// The reason why an assembler refused the PTX, from its log: it is too old, or the first error with its line.
std::string explainRefusal(llvm::StringRef log, llvm::StringRef ptx, const Architecture &architecture,
                           const Assembler &assembler);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_TARGET_NVIDIA_CUBIN_H
