// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast a core of a CPU is: instructions on whole vector registers per cycle, and latencies. Clocks, caches beyond
// the second and memory differ between products and machines: predict/Cpu.h has them, measured or typical.
#ifndef TILEWRIGHT_MACHINE_CPUPERFORMANCE_H
#define TILEWRIGHT_MACHINE_CPUPERFORMANCE_H

#include "machine/VectorUnit.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tilewright {

struct CpuPerformance {
  llvm::StringLiteral name;
  llvm::StringLiteral llvmCpus; // LLVM's names of processors of this kind, separated by spaces

  Isa isa;
  unsigned vectorBits; // of the registers that the rates are for
  // Instructions on vectors per cycle: all kinds together, and each by itself.
  double issue, arithmetic, integer, shuffle, convert, loads, stores;
  // Cycles of a division or a square root of f32, and of an element of a gather.
  double divideCycles, gatherCycles;
  double latency; // of an addition or multiplication
  // Products of pairs of 16 bits, summed in 32, are one instruction (VNNI, AVX512-BF16); else integers take two.
  bool hasPairs;
  double l2Bytes; // from the second-level cache per cycle
  // Typical for where nothing was measured.
  double megahertz;
};

/// All rows: those of x86, weakest first, then those of aarch64.
llvm::ArrayRef<CpuPerformance> knownCpuPerformance();
/// The row of a processor by LLVM's name, or else the one that stands for vectors of that width.
const CpuPerformance &cpuPerformanceOf(llvm::StringRef llvmCpu, Isa isa, unsigned vectorBits);
/// By the name of the row; null where there is none.
const CpuPerformance *findCpuPerformance(llvm::StringRef name);

} // namespace tilewright

#endif // TILEWRIGHT_MACHINE_CPUPERFORMANCE_H
