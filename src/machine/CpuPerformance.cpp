// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/CpuPerformance.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright {
namespace {

// uops.info and "Instruction tables" (Agner Fog): reciprocal throughputs of vaddps, vpaddd, vpermps, vcvtps2dq,
// vmovups, vdivps and vgatherdps on registers of that width. Bytes of the second-level cache: sustained, as the
// vendors' optimization guides have them.
constexpr CpuPerformance table[] = {
    // name, LLVM's names, isa, bits,
    //  issue, arithmetic, integer, shuffle, convert, loads, stores, divide, gather, latency, pairs, L2, MHz
    {"x86-64-v2", "x86-64-v2 nehalem westmere sandybridge", Isa::X86, 128, 3, 1, 2, 1, 1, 1, 1, 7, 1.5, 4, false, 24,
     3000},
    {"x86-64-v3", "x86-64-v3 haswell broadwell skylake alderlake", Isa::X86, 256, 3, 2, 3, 1, 1, 2, 1, 6, 1.3, 4, false,
     32, 3200},
    {"zen2", "znver2", Isa::X86, 256, 4, 2, 3, 2, 2, 2, 1, 6, 2, 3, false, 32, 3200},
    {"zen3", "znver3", Isa::X86, 256, 4, 2, 4, 2, 2, 2, 1, 6, 1.7, 3, false, 32, 3400},
    {"skylake-avx512", "x86-64-v4 skylake-avx512 cascadelake cooperlake", Isa::X86, 512, 2, 2, 2, 1, 1, 2, 1, 10, 0.8,
     4, false, 48, 2600},
    {"icelake-server", "icelake-server icelake-client rocketlake tigerlake", Isa::X86, 512, 2, 2, 2, 1, 1, 2, 1, 8, 0.7,
     4, true, 48, 2700},
    {"sapphirerapids", "sapphirerapids emeraldrapids graniterapids", Isa::X86, 512, 2, 2, 2, 1, 1, 2, 1, 8, 0.7, 4,
     true, 48, 2800},
    {"zen4", "znver4", Isa::X86, 512, 2, 1, 2, 1, 1, 1, 0.5, 10, 1.5, 4, true, 32, 3500},
    {"zen5", "znver5", Isa::X86, 512, 4, 2, 4, 2, 2, 2, 1, 9, 1.3, 4, true, 64, 3700},
    // Estimates from the pipelines that Arm describes for these cores, measured on no machine. Elements are gathered
    // one
    // by one.
    {"neoverse-n1", "generic neoverse-n1 cortex-a76", Isa::Aarch64, 128, 2, 2, 2, 2, 1, 2, 1, 7, 1, 4, true, 32, 2600},
    {"neoverse-n2", "neoverse-n2 cortex-a710", Isa::Aarch64, 128, 2, 2, 2, 2, 1, 3, 2, 7, 1, 4, true, 32, 3000},
    {"neoverse-v1", "neoverse-v1 cortex-x1", Isa::Aarch64, 128, 4, 4, 4, 2, 2, 3, 2, 5, 0.5, 4, true, 32, 2600},
    {"neoverse-v2", "neoverse-v2 grace", Isa::Aarch64, 128, 4, 4, 4, 4, 2, 3, 2, 5, 0.5, 4, true, 64, 2800},
};

} // namespace

ArrayRef<CpuPerformance> knownCpuPerformance() {
  return table;
}

const CpuPerformance *findCpuPerformance(StringRef name) {
  const CpuPerformance *found = find_if(table, [&](const CpuPerformance &row) { return row.name == name; });
  return found == std::end(table) ? nullptr : found;
}

const CpuPerformance &cpuPerformanceOf(StringRef llvmCpu, Isa isa, unsigned vectorBits) {
  const CpuPerformance *standing = nullptr;
  for (const CpuPerformance &row : table) {
    SmallVector<StringRef> names;
    row.llvmCpus.split(names, ' ');
    if (row.isa != isa)
      continue;
    if (is_contained(names, llvmCpu))
      return row;
    if (!standing && row.vectorBits == vectorBits)
      standing = &row;
  }
  return standing ? *standing : table[0];
}

} // namespace tilewright
