// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule of a software-pipelined loop in the words of a plan: the actions of a step, one after the other, with
// their iterations. The parts have the names of the plan. A step begins iteration i; products of the
// iterations before it still run, or start.
//
//   start product.0, start product.1(i-1), wait product.0, work, wait product.1
//
//   start product.N     starts it, once all is computed that it needs and that is not yet; `(i-1)`: that of the
//                       iteration before
//   wait product.N      waits for the one that the step has started
//   do reduction.N      computes a part, and what it needs; also load.N, and products that do not run by themselves
//   work                computes all tiles that it can without further waits; `(i-1)`: of the iteration before
//
// Behind the last item all that is left is computed, and numbers wherever they can be. So a schedule is that of another
// version of the loop as well, as long as this has the same products.
#ifndef TILEWRIGHT_TILEAS_IR_SCHEDULEITEM_H
#define TILEWRIGHT_TILEAS_IR_SCHEDULEITEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace tilewright::tileas {

enum class Part : uint32_t;
enum class ScheduleVerb : uint32_t;

/// More are of no use: each stage has live values in registers.
constexpr unsigned mostStages = 8;

/// A part of a loop as a plan names it: `product.0`. Of several with the number, which unrolling made, the second one
/// is `product.0:1`.
struct PartName {
  Part part;
  unsigned number = 0, copy = 0;

  bool operator==(const PartName &other) const {
    return part == other.part && number == other.number && copy == other.copy;
  }
  std::string text() const;
};

struct ScheduleItem {
  ScheduleVerb verb;
  PartName name;    // but of work
  unsigned age = 0; // in iterations, of work and of what starts

  bool operator==(const ScheduleItem &other) const {
    return verb == other.verb && name == other.name && age == other.age;
  }
  std::string text() const;
};
llvm::hash_code hash_value(const ScheduleItem &item);

/// The text, read without a loop in mind.
llvm::Expected<llvm::SmallVector<ScheduleItem>> parseSchedule(llvm::StringRef text);
std::string scheduleText(llvm::ArrayRef<ScheduleItem> items);

/// Why they are no schedule of any loop; empty if they are.
std::string refusalOf(llvm::ArrayRef<ScheduleItem> items);
/// The iteration of all work.
unsigned ageOfWork(llvm::ArrayRef<ScheduleItem> items);

} // namespace tilewright::tileas

#endif
