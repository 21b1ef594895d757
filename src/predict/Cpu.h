// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CPU as the model of time sees it: the table of src/machine, a machine's caches, clock and bandwidths, and the
// constants of the model itself.
#ifndef TILEWRIGHT_PREDICT_CPU_H
#define TILEWRIGHT_PREDICT_CPU_H

#include "machine/CpuPerformance.h"
#include "predict/Prediction.h"

namespace tilewright::predict {

/// Fitted to launches, measured by `python -m bench cpu --predict`.
struct CpuConstants {
  double launchSeconds = 0.6e-6;   // of a launch on the calling thread alone
  double wakeSeconds = 4e-6;       // more, of one on several threads
  double threadSeconds = 0.3e-6;   // more, for each thread
  double blockCycles = 60;         // of a block before its first and after its last loop
  double loopCycles = 25;          // of a loop nest
  double rowCycles = 8;            // of an innermost loop
  double edgeFactor = 10;          // of the instructions of a copy at the edge of an array, to those of another
  double vectorEfficiency = 0.8;   // of the rates of vector instructions
  double productEfficiency = 0.85; // of those of products
  double l1Share = 0.8;            // of the first cache that holds what is used again
  double l2Share = 0.7;            // likewise
  double l3Share = 0.6;            // likewise
  double l2Efficiency = 0.7;       // of bandwidths
  double l3Efficiency = 0.8;       // likewise
  double dramEfficiency = 0.9;     // likewise
  double overlap = 2;              // exponent of the norm in which bounds are combined; infinite would be their maximum

  struct Field {
    llvm::StringLiteral name;
    double CpuConstants::*member;
  };
  static llvm::ArrayRef<Field> fields();
};

/// Of one machine. Bandwidths are bytes per second, of one core and of all.
struct CpuMachine {
  double cores = 1;
  double hertz = 0; // while vectors are computed; 0: as the table has it
  double l1Bytes = 32 << 10, l2Bytes = 1 << 20, l3Bytes = 32 << 20;
  double l3Core = 30e9, l3All = 300e9;        // of reading
  double dramCore = 12e9, dramAll = 100e9;    // likewise
  double streamCore = 10e9, streamAll = 60e9; // of writing past the caches

  struct Field {
    llvm::StringLiteral name;
    double CpuMachine::*member;
  };
  static llvm::ArrayRef<Field> fields();
};

struct Cpu {
  const CpuPerformance *rates = nullptr;
  CpuMachine machine;
  unsigned threads = 1;
  CpuConstants constants;

  double hertz() const { return machine.hertz > 0 ? machine.hertz : rates->megahertz * 1e6; }
  /// Bytes per second that each thread has while all of them work.
  double l2PerThread() const { return rates->l2Bytes * hertz() * constants.l2Efficiency; }
  double l3PerThread() const { return shareOf(machine.l3Core, machine.l3All) * constants.l3Efficiency; }
  double dramPerThread() const { return shareOf(machine.dramCore, machine.dramAll) * constants.dramEfficiency; }
  double streamPerThread() const { return shareOf(machine.streamCore, machine.streamAll) * constants.dramEfficiency; }
  double norm(double first, double second) const;

private:
  double shareOf(double core, double all) const { return std::min(core, all / threads); }
};

/// The time of a launch whose arrays were used by the same launch before: what fits into the caches is there.
Prediction predict(const Work &work, const Launch &launch, const Cpu &cpu);

} // namespace tilewright::predict

#endif // TILEWRIGHT_PREDICT_CPU_H
