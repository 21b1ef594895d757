// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a software-pipelined loop. An iteration of the new loop is a step: it executes the operations of
// `stage` 0 for one iteration of the old loop, those of stage 1 for the iteration before it, and so on, in this order.
//
//   for i in 0..n {               a(0); b(0)
//     a(i); b(i); c(i)     -->    for i in 1..n { a(i); c(i-1); b(i) }
//   }                             c(n-1)
//
// As text it is the numbers of the operations in the old loop's body, neighbours as `first-last`, `@stage` behind those
// of another stage than 0: "0 2@1 1" above.
#ifndef TILEWRIGHT_TILEAS_IR_LOOPSCHEDULE_H
#define TILEWRIGHT_TILEAS_IR_LOOPSCHEDULE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tilewright::tileas {

/// More are of no use: each stage has live values in registers.
constexpr unsigned mostStages = 8;

/// `to` of the iteration `distance` later comes after `from`.
struct Dependence {
  unsigned from, to, distance;
};

struct ScheduleEntry {
  unsigned op, stage;

  bool operator==(const ScheduleEntry &other) const { return op == other.op && stage == other.stage; }
};
llvm::hash_code hash_value(const ScheduleEntry &entry);

/// The text, read without a loop in mind.
llvm::Expected<llvm::SmallVector<ScheduleEntry>> parseSchedule(llvm::StringRef text);
std::string scheduleText(llvm::ArrayRef<ScheduleEntry> entries);

class LoopSchedule {
public:
  using Entry = ScheduleEntry;

  LoopSchedule(llvm::SmallVector<Entry> entries, unsigned ops);
  /// Of a loop with that many operations, each of which has to be named once.
  static llvm::Expected<LoopSchedule> of(llvm::ArrayRef<Entry> entries, unsigned ops);
  static llvm::Expected<LoopSchedule> parse(llvm::StringRef text, unsigned ops);
  std::string text() const { return scheduleText(entries); }

  /// In the order of a step.
  llvm::ArrayRef<Entry> order() const { return entries; }
  unsigned stages() const { return count; }
  unsigned stageOf(unsigned op) const { return entries[places[op]].stage; }
  unsigned placeOf(unsigned op) const { return places[op]; }
  /// The first dependence that it breaks.
  const Dependence *findBroken(llvm::ArrayRef<Dependence> dependences) const;

private:
  llvm::SmallVector<Entry> entries;
  llvm::SmallVector<unsigned> places; // by operation
  unsigned count;
};

} // namespace tilewright::tileas

#endif
