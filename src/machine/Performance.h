// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How fast a generation of NVIDIA's GPUs is: throughput of the units of a multiprocessor per cycle, and latencies.
// Product.h has the differences between products of one generation: multiprocessors, clocks, memory.
#ifndef TILEWRIGHT_MACHINE_PERFORMANCE_H
#define TILEWRIGHT_MACHINE_PERFORMANCE_H

#include "machine/Architecture.h"

namespace tilewright::nvidia {

struct Performance {
  unsigned architecture; // its number, as in 90

  // Results of a multiprocessor per cycle.
  unsigned f32, compare, integer, shuffle, special, convert, f64;
  // Bytes of shared memory per cycle, and of the way from the L2 cache.
  unsigned sharedBytes, l2Bytes;
  // Operations of the tensor cores of a multiprocessor per cycle, two for a multiply-add: on numbers of 16 bits, of 8
  // bits, of tf32, and of f64.
  unsigned tensor, tensor8, tensorTf32, tensorF64;
  // Cycles from the last instruction until its result is there.
  unsigned aluLatency, specialLatency, shuffleLatency, sharedLatency, tensorLatency, globalLatency, l2Latency;
  // Whether loops are scheduled by these numbers (tileas-generate-schedule).
  bool hasSchedules;
};

/// All rows, oldest first.
llvm::ArrayRef<Performance> knownPerformance();
/// The row of an architecture; null where nothing is known.
const Performance *performanceOf(const Architecture &architecture);

} // namespace tilewright::nvidia

#endif // TILEWRIGHT_MACHINE_PERFORMANCE_H
