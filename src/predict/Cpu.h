// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CPU as the model of time sees it: the table of src/machine, a machine's caches, clock and bandwidths, and the
// constants of the model itself.
#ifndef TILEWRIGHT_PREDICT_CPU_H
#define TILEWRIGHT_PREDICT_CPU_H

#include "machine/CpuPerformance.h"
#include "predict/NamedNumber.h"
#include "predict/Prediction.h"

namespace tilewright::predict {

/// Fitted to launches on 16 threads of an Emerald Rapids, measured by `python -m bench cpu --predict`.
struct CpuConstants {
  double launchSeconds = 0.46e-6;  // of a launch on the calling thread alone
  double wakeSeconds = 3.5e-6;     // more, of one on several threads
  double threadSeconds = 0.35e-6;  // more, for each thread
  double blockCycles = 40;         // of a block before its first and after its last loop
  double loopCycles = 14.5;        // of a loop nest
  double rowCycles = 4;            // of an innermost loop
  double windowInstructions = 400; // that a core works on at a time: later rows and blocks run beside this one
  double edgeFactor = 3.9;         // of the instructions of a copy at the edge of an array, to those of another
  double vectorEfficiency = 1.04;  // of the rates of vector instructions
  double productEfficiency = 0.85; // of those of products
  double l1Share = 0.8;            // of the first cache that holds what is used again
  double l2Share = 1;              // likewise
  double l3Share = 0.35;           // likewise
  double l2Efficiency = 0.61;      // of the bandwidth of the table
  // Of bandwidths that plain loops were measured to have: those of kernels prefetch for the next block.
  double coreEfficiency = 1.2; // of one core
  double l3Efficiency = 1.8;   // of all
  double dramEfficiency = 2.1; // likewise
  double overlap = 2.3;        // exponent of the norm in which bounds are combined; infinite would be their maximum

  static llvm::ArrayRef<NamedNumber<CpuConstants>> fields();
};

/// Of one machine. Bandwidths are bytes per second, of one core and of all.
struct CpuMachine {
  double cores = 1;
  double hertz = 0; // while vectors are computed; 0: as the table has it
  // Of a core's units that each thread has while so many compute: less than all where threads share cores.
  double portShare = 1, portThreads = 1;
  double l1Bytes = 32 << 10, l2Bytes = 1 << 20, l3Bytes = 32 << 20;
  double l3Core = 22e9, l3All = 170e9;        // of reading by a plain loop
  double dramCore = 13e9, dramAll = 60e9;     // likewise
  double streamCore = 10e9, streamAll = 60e9; // of writing past the caches

  static llvm::ArrayRef<NamedNumber<CpuMachine>> fields();
};

struct Cpu {
  const CpuPerformance *rates = nullptr;
  CpuMachine machine;
  unsigned threads = 1; // that work
  // That there are. The system may run any two of them on one core, also where others have nothing to do.
  unsigned asked = 1;
  CpuConstants constants;

  double hertz() const { return machine.hertz > 0 ? machine.hertz : rates->megahertz * 1e6; }
  /// Cycles per second of units that a thread may share with another.
  double unitHertz() const;
  /// Bytes per second that each thread has while all of them work.
  double l2PerThread() const { return rates->l2Bytes * unitHertz() * constants.l2Efficiency; }
  double l3PerThread() const { return perThread(machine.l3Core, machine.l3All * constants.l3Efficiency); }
  double dramPerThread() const { return perThread(machine.dramCore, machine.dramAll * constants.dramEfficiency); }
  double streamPerThread() const { return perThread(machine.streamCore, machine.streamAll * constants.dramEfficiency); }
  double norm(double first, double second) const { return predict::norm({first, second}, constants.overlap); }

private:
  double perThread(double core, double all) const { return std::min(core * constants.coreEfficiency, all / threads); }
};

/// The time of a launch whose arrays were used by the same launch before: what fits into the caches is there.
Prediction predict(const Work &work, const Launch &launch, const Cpu &cpu);

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_CPU_H
