// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last part of the way to code of an NVIDIA GPU, from a module that is in the llvm dialect already. The part from
// Tile IR to there does not exist yet.
#ifndef TILEWRIGHT_PIPELINE_NVIDIAMODULE_H
#define TILEWRIGHT_PIPELINE_NVIDIAMODULE_H

#include "pipeline/TileIrFile.h"
#include "support/Guard.h"
#include "target/nvidia/Cubin.h"

namespace tilewright {

enum class NvidiaLevel { Llvm, Ptx, Cubin };
std::optional<NvidiaLevel> nvidiaLevelByName(llvm::StringRef name);

struct NvidiaOptions {
  nvidia::PtxOptions ptx;
  nvidia::AssemblerSearch assemblers;
  Limits limits{std::chrono::seconds(60), {}};
};

struct NvidiaReport {
  std::string remarks;
  nvidia::Cubin cubin; // without its bytes
};

// The text or bytes of that level. Runs guarded, on a thread and context of its own.
llvm::Expected<std::string> compileNvidiaModule(NvidiaLevel level, const TileIrFile &file,
                                                const nvidia::Architecture &architecture, const NvidiaOptions &options,
                                                NvidiaReport &report);

// A line for each kernel: what it uses, as the assembler said.
std::string describeResources(const nvidia::Cubin &cubin);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_NVIDIAMODULE_H
