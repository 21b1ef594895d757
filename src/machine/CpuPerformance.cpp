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
    // name, LLVM's names, bits,
    //  issue, arithmetic, integer, shuffle, convert, loads, stores, divide, gather, latency, pairs, L2, MHz
    {"x86-64-v2", "x86-64-v2 nehalem westmere sandybridge", 128, 3, 1, 2, 1, 1, 1, 1, 7, 1.5, 4, false, 24, 3000},
    {"x86-64-v3", "x86-64-v3 haswell broadwell skylake alderlake", 256, 3, 2, 3, 1, 1, 2, 1, 6, 1.3, 4, false, 32,
     3200},
    {"zen2", "znver2", 256, 4, 2, 3, 2, 2, 2, 1, 6, 2, 3, false, 32, 3200},
    {"zen3", "znver3", 256, 4, 2, 4, 2, 2, 2, 1, 6, 1.7, 3, false, 32, 3400},
    {"skylake-avx512", "x86-64-v4 skylake-avx512 cascadelake cooperlake", 512, 2, 2, 2, 1, 1, 2, 1, 10, 0.8, 4, false,
     48, 2600},
    {"icelake-server", "icelake-server icelake-client rocketlake tigerlake", 512, 2, 2, 2, 1, 1, 2, 1, 8, 0.7, 4, true,
     48, 2700},
    {"sapphirerapids", "sapphirerapids emeraldrapids graniterapids", 512, 2, 2, 2, 1, 1, 2, 1, 8, 0.7, 4, true, 48,
     2800},
    {"zen4", "znver4", 512, 2, 1, 2, 1, 1, 1, 0.5, 10, 1.5, 4, true, 32, 3500},
    {"zen5", "znver5", 512, 4, 2, 4, 2, 2, 2, 1, 9, 1.3, 4, true, 64, 3700},
};

} // namespace

ArrayRef<CpuPerformance> knownCpuPerformance() {
  return table;
}

const CpuPerformance *findCpuPerformance(StringRef name) {
  const CpuPerformance *found = find_if(table, [&](const CpuPerformance &row) { return row.name == name; });
  return found == std::end(table) ? nullptr : found;
}

const CpuPerformance &cpuPerformanceOf(StringRef llvmCpu, unsigned vectorBits) {
  const CpuPerformance *standing = &table[0];
  for (const CpuPerformance &row : table) {
    SmallVector<StringRef> names;
    row.llvmCpus.split(names, ' ');
    if (is_contained(names, llvmCpu))
      return row;
    if (row.vectorBits == vectorBits && standing->vectorBits != vectorBits)
      standing = &row;
  }
  return *standing;
}

} // namespace tilewright
