// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modulo scheduling (Rau, "Iterative modulo scheduling", 1994): a loop's turn starts every `interval` cycles, before
// the one ahead of it has ended. Each operation starts at some cycle of its own turn; what a unit does for all turns
// together must fit into one interval. Pure mathematics: operations are numbers here.
//
//   load (unit 0, 1 cycle, its result after 4) -> add (unit 1, 1 cycle)     one after another 5 cycles a turn;
//                                                                           interval 1: load at 0, add at 4
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_MODULOSCHEDULER_H
#define TILEWRIGHT_TILEAS_SCHEDULE_MODULOSCHEDULER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tilewright::tileas {

struct ModuloProblem {
  /// A unit that does one thing at a time, and for how many cycles an operation has it.
  struct Use {
    unsigned unit;
    int64_t cycles;
  };
  struct Operation {
    llvm::SmallVector<Use, 2> uses;
  };
  /// `to`, `distance` turns later, starts no sooner than `latency` cycles after `from`.
  struct Edge {
    unsigned from, to;
    int64_t latency;
    unsigned distance;
  };
  /// Registers, from `delay` cycles after `from` starts until `hold` cycles after its last reader does.
  struct Value {
    struct Reader {
      unsigned op, distance;
      int64_t hold;
    };
    unsigned from;
    int64_t delay, registers;
    llvm::SmallVector<Reader, 2> readers;
  };

  unsigned units = 0;
  llvm::SmallVector<Operation> operations;
  llvm::SmallVector<Edge> edges;
  llvm::SmallVector<Value> values;
  /// The second of each is in the turn of the loop in which the first is: nothing of it is under way between turns.
  llvm::SmallVector<std::pair<unsigned, unsigned>> unbroken;
};

struct ModuloSchedule {
  int64_t interval;
  llvm::SmallVector<int64_t> starts; // by operation; the first is in the first interval

  unsigned stageOf(unsigned op) const { return starts[op] / interval; }
  unsigned stages() const;
};

class ModuloScheduler {
public:
  explicit ModuloScheduler(const ModuloProblem &problem);

  /// No interval is shorter: what the busiest unit does in a turn.
  int64_t boundByUnits() const;
  /// No interval is shorter: what goes around a cycle of edges, by the turns that it takes. Nothing where a turn would
  /// have to wait for itself.
  std::optional<int64_t> boundByRecurrences() const;
  /// How often turns start, in the long run, where a thread starts operations in this order, each when what it waits
  /// for is there; on a unit they come one after another. `stages` are turns of delay, by operation; none are serial.
  int64_t cyclesInOrder(llvm::ArrayRef<unsigned> order, llvm::ArrayRef<unsigned> stages, unsigned thread) const;

  /// The shortest interval found that needs no more registers and stages; nothing if none is shorter than `longest`.
  std::optional<ModuloSchedule> schedule(int64_t registers, unsigned stages, int64_t longest) const;
  std::optional<ModuloSchedule> scheduleAt(int64_t interval) const;

  /// Registers at the fullest cycle of an interval.
  int64_t registersOf(const ModuloSchedule &schedule) const;
  /// Whether edges and units are kept.
  bool isLegal(const ModuloSchedule &schedule) const;

private:
  bool hasPositiveCycle(int64_t interval) const;
  bool rotate(ModuloSchedule &schedule) const;
  std::optional<llvm::SmallVector<int64_t>> heightsAt(int64_t interval) const;
  void shorten(ModuloSchedule &schedule) const;

  const ModuloProblem &problem;
};

} // namespace tilewright::tileas

#endif
