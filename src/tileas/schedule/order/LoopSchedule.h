// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a software-pipelined loop, by the numbers of the operations in its body. An iteration of the new loop
// is a step: it executes the operations of `stage` 0 for one iteration of the old loop, those of stage 1 for the
// iteration before it, and so on, in this order.
//
//   for i in 0..n {               a(0); b(0)
//     a(i); b(i); c(i)     -->    for i in 1..n { a(i); c(i-1); b(i) }
//   }                             c(n-1)
//
// It is made from the words of a plan (ScheduledLoop.h), and never written down.
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_ORDER_LOOPSCHEDULE_H
#define TILEWRIGHT_TILEAS_SCHEDULE_ORDER_LOOPSCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tilewright::tileas {

/// `to` of the iteration `distance` later comes after `from`.
struct Dependence {
  unsigned from, to, distance;
};

class LoopSchedule {
public:
  struct Entry {
    unsigned op, stage;
  };

  /// Each operation of a loop once, in the order of a step.
  explicit LoopSchedule(llvm::SmallVector<Entry> entries);

  llvm::ArrayRef<Entry> order() const { return entries; }
  unsigned stages() const { return count; }
  unsigned stageOf(unsigned op) const { return entries[places[op]].stage; }
  unsigned placeOf(unsigned op) const { return places[op]; }
  /// The first dependence that it breaks.
  const Dependence *findBroken(llvm::ArrayRef<Dependence> dependences) const;

private:
  llvm::SmallVector<Entry> entries;
  llvm::SmallVector<unsigned> places; // by operation
  unsigned count = 1;
};

} // namespace tilewright::tileas

#endif
