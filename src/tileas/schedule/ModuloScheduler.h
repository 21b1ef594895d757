// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modulo scheduling (Rau, "Iterative modulo scheduling", 1994): an iteration of the loop starts every `interval`
// cycles, before the previous one has ended (the initiation interval). Each operation starts at a fixed cycle of its
// iteration; the uses of a unit, modulo the interval, must not overlap. Pure mathematics: operations are numbers here.
//
//   load (unit 0, 1 cycle, its result after 4) -> add (unit 1, 1 cycle)     sequential: 5 cycles an iteration
//                                                                           interval 1: load at 0, add at 4
#ifndef TILEWRIGHT_TILEAS_SCHEDULE_MODULOSCHEDULER_H
#define TILEWRIGHT_TILEAS_SCHEDULE_MODULOSCHEDULER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tilewright::tileas {

struct ModuloProblem {
  /// An exclusive unit, and for how many cycles an operation occupies it.
  struct Use {
    unsigned unit;
    int64_t cycles;
  };
  struct Operation {
    llvm::SmallVector<Use, 2> uses;
  };
  /// `to`, `distance` iterations later, starts no sooner than `latency` cycles after `from`.
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
  /// Pairs of operations in the same interval: the first is not in flight when an interval begins.
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

  /// A lower bound of the interval: the cycles of the busiest unit in an iteration (ResMII).
  int64_t boundByUnits() const;
  /// A lower bound of the interval: the latency of a cycle of edges by its distance (RecMII). Nothing where an
  /// iteration would have to wait for itself.
  std::optional<int64_t> boundByRecurrences() const;
  /// The steady-state cycles per step where a thread starts operations in this order, each when its operands are
  /// available; a unit executes them in order. `stages` by operation; none for the serial loop.
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
  /// Whether an operation starts later now, where its values live for less.
  bool delay(unsigned op, ModuloSchedule &schedule) const;
  /// The sum of what registers are held for by the values that an operation defines or reads, in cycles.
  int64_t lifetime(unsigned op, const ModuloSchedule &schedule) const;
  static std::pair<int64_t, int64_t> livesFrom(const ModuloProblem::Value &value, const ModuloSchedule &schedule);

  const ModuloProblem &problem;
};

} // namespace tilewright::tileas

#endif
