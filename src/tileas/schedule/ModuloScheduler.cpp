// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/schedule/ModuloScheduler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <algorithm>
#include <climits>

using namespace tilewright::tileas;
using llvm::ArrayRef;
using llvm::SmallVector;

namespace {

constexpr int64_t unplaced = INT64_MIN;

int64_t floorMod(int64_t value, int64_t by) {
  return (value % by + by) % by;
}

// Whether two pieces of a circle of `interval` cycles meet.
bool meet(int64_t start, int64_t cycles, int64_t otherStart, int64_t otherCycles, int64_t interval) {
  if (cycles == 0 || otherCycles == 0)
    return false;
  return floorMod(otherStart - start, interval) < cycles || floorMod(start - otherStart, interval) < otherCycles;
}

} // namespace

unsigned ModuloSchedule::stages() const {
  return starts.empty() ? 1 : *llvm::max_element(starts) / interval + 1;
}

ModuloScheduler::ModuloScheduler(const ModuloProblem &problem) : problem(problem) {}

int64_t ModuloScheduler::boundByUnits() const {
  SmallVector<int64_t> busy(problem.units);
  for (const auto &operation : problem.operations)
    for (auto use : operation.uses)
      busy[use.unit] += use.cycles;
  return busy.empty() ? 1 : std::max<int64_t>(1, *llvm::max_element(busy));
}

// Bellman and Ford: after as many rounds as there are operations nothing gets longer, unless a cycle does.
std::optional<SmallVector<int64_t>> ModuloScheduler::heightsAt(int64_t interval) const {
  SmallVector<int64_t> heights(problem.operations.size());
  for (size_t round = 0; round <= problem.operations.size(); ++round) {
    bool changed = false;
    for (const auto &edge : problem.edges) {
      int64_t height = heights[edge.to] + edge.latency - interval * edge.distance;
      if (height > heights[edge.from])
        heights[edge.from] = height, changed = true;
    }
    if (!changed)
      return heights;
  }
  return std::nullopt;
}

bool ModuloScheduler::hasPositiveCycle(int64_t interval) const {
  return !heightsAt(interval);
}

std::optional<int64_t> ModuloScheduler::boundByRecurrences() const {
  int64_t longest = 1;
  for (const auto &edge : problem.edges)
    longest += std::max<int64_t>(0, edge.latency);
  if (hasPositiveCycle(longest))
    return std::nullopt;
  int64_t low = 1;
  while (low < longest) {
    int64_t middle = low + (longest - low) / 2;
    if (hasPositiveCycle(middle))
      low = middle + 1;
    else
      longest = middle;
  }
  return low;
}

int64_t ModuloScheduler::cyclesInOrder(ArrayRef<unsigned> order, ArrayRef<unsigned> stages, unsigned thread) const {
  // As long as it takes until a step is like the one before it.
  constexpr int64_t steps = 24;
  unsigned deepest = *llvm::max_element(stages);
  SmallVector<SmallVector<int64_t>> starts(steps, SmallVector<int64_t>(stages.size(), unplaced));
  SmallVector<int64_t> free(problem.units);
  int64_t now = 0, middle = 0, last = 0;
  for (int64_t step = 0; step != steps; ++step) {
    for (unsigned op : order) {
      int64_t iteration = step - stages[op];
      if (iteration < 0)
        continue;
      int64_t ready = now;
      for (const auto &edge : problem.edges)
        if (edge.to == op && iteration >= edge.distance && starts[iteration - edge.distance][edge.from] != unplaced)
          ready = std::max(ready, starts[iteration - edge.distance][edge.from] + edge.latency);
      int64_t start = ready;
      for (auto use : problem.operations[op].uses)
        start = std::max(start, free[use.unit]);
      starts[iteration][op] = start;
      now = ready;
      for (auto use : problem.operations[op].uses) {
        free[use.unit] = start + use.cycles;
        if (use.unit == thread)
          now = std::max(now, ready + use.cycles);
      }
      if (step == steps / 2 + deepest)
        middle = std::max(middle, now);
      last = std::max(last, now);
    }
  }
  int64_t between = steps - 1 - (steps / 2 + deepest);
  return llvm::divideCeil(last - middle, between);
}

namespace {

// Places operations at an interval, one after another. The operation on which most waits comes first, at the first
// cycle of an interval where its units are free. Where there is none, it takes its place from others, which are placed
// again; so are those whose edges it breaks.
class Placement {
public:
  Placement(const ModuloProblem &problem, int64_t interval, SmallVector<int64_t> heights)
      : starts(problem.operations.size(), unplaced), problem(problem), interval(interval), heights(std::move(heights)),
        tried(starts), left(starts.size()) {}

  SmallVector<int64_t> starts; // by operation

  // Whether all are placed, before too many have lost their places.
  bool run() {
    for (size_t budget = 12 * starts.size(); left != 0; --budget) {
      if (budget == 0)
        return false;
      place(highest());
    }
    return true;
  }

private:
  unsigned highest() const {
    unsigned op = starts.size();
    for (unsigned each = 0; each != starts.size(); ++each)
      if (starts[each] == unplaced && (op == starts.size() || heights[each] > heights[op]))
        op = each;
    return op;
  }

  void place(unsigned op) {
    int64_t first = earliest(op);
    int64_t start = findFree(op, first).value_or(unplaced);
    if (start == unplaced)
      start = tried[op] == unplaced ? first : std::max(first, tried[op] + 1);
    for (unsigned other = 0; other != starts.size(); ++other)
      if (starts[other] != unplaced && collides(op, start, other))
        displace(other);
    starts[op] = tried[op] = start;
    --left;
    for (const auto &edge : problem.edges)
      if (edge.from == op && edge.to != op && starts[edge.to] != unplaced &&
          starts[edge.to] < start + edge.latency - interval * int64_t(edge.distance))
        displace(edge.to);
  }
  void displace(unsigned op) {
    starts[op] = unplaced;
    ++left;
  }

  int64_t earliest(unsigned op) const {
    int64_t cycle = 0;
    for (const auto &edge : problem.edges)
      if (edge.to == op && edge.from != op && starts[edge.from] != unplaced)
        cycle = std::max(cycle, starts[edge.from] + edge.latency - interval * int64_t(edge.distance));
    return cycle;
  }

  // The next cycle at which nothing collides, of those where something ends.
  std::optional<int64_t> findFree(unsigned op, int64_t first) const {
    int64_t start = first;
    for (size_t round = 0; round <= 2 * starts.size(); ++round) {
      int64_t next = start;
      for (unsigned other = 0; other != starts.size(); ++other)
        if (other != op && starts[other] != unplaced)
          forEachCollision(op, start, other, [&](int64_t cycles) {
            next = std::max(next, start + floorMod(starts[other] + cycles - start, interval));
          });
      if (next == start)
        return start;
      start = next;
      if (start >= first + interval)
        return std::nullopt;
    }
    return std::nullopt;
  }

  bool collides(unsigned op, int64_t start, unsigned other) const {
    bool any = false;
    forEachCollision(op, start, other, [&](int64_t) { any = true; });
    return any;
  }
  // Visits the cycles of each use by another operation of a unit that this one would use then.
  void forEachCollision(unsigned op, int64_t start, unsigned other, llvm::function_ref<void(int64_t)> visit) const {
    for (auto use : problem.operations[op].uses)
      for (auto otherUse : problem.operations[other].uses)
        if (use.unit == otherUse.unit && meet(start, use.cycles, starts[other], otherUse.cycles, interval))
          visit(otherUse.cycles);
  }

  const ModuloProblem &problem;
  int64_t interval;
  SmallVector<int64_t> heights, tried;
  size_t left;
};

} // namespace

std::optional<ModuloSchedule> ModuloScheduler::scheduleAt(int64_t interval) const {
  auto heights = heightsAt(interval);
  if (!heights)
    return std::nullopt;
  for (const auto &operation : problem.operations)
    for (auto use : operation.uses)
      if (use.cycles > interval)
        return std::nullopt;
  Placement placement(problem, interval, std::move(*heights));
  if (!placement.run())
    return std::nullopt;
  ModuloSchedule found{interval, std::move(placement.starts)};
  shorten(found);
  if (!rotate(found))
    return std::nullopt;
  return found;
}

// A step may begin with any operation. Of those that break nothing the one is taken that leaves the fewest stages, and
// of these the one that comes first.
bool ModuloScheduler::rotate(ModuloSchedule &schedule) const {
  int64_t interval = schedule.interval;
  std::optional<ModuloSchedule> best;
  SmallVector<int64_t> begins(schedule.starts);
  llvm::sort(begins);
  for (int64_t begin : begins) {
    ModuloSchedule rotated = schedule;
    int64_t first = INT64_MAX;
    for (int64_t &start : rotated.starts) {
      start -= begin;
      first = std::min(first, start - floorMod(start, interval));
    }
    for (int64_t &start : rotated.starts)
      start -= first;
    bool isWhole = llvm::all_of(problem.unbroken,
                                [&](auto pair) { return rotated.stageOf(pair.first) == rotated.stageOf(pair.second); });
    if (isWhole && (!best || rotated.stages() < best->stages()))
      best = rotated;
  }
  if (best)
    schedule = *best;
  return best.has_value();
}

// Placed as soon as possible, results wait for their readers in registers. From the last to the first, whatever can be
// later within its own unit's free cycles, and makes values live for less, is.
void ModuloScheduler::shorten(ModuloSchedule &schedule) const {
  SmallVector<unsigned> order = llvm::to_vector(llvm::seq<unsigned>(schedule.starts.size()));
  for (unsigned round = 0; round != 4; ++round) {
    bool changed = false;
    llvm::sort(order, [&](unsigned a, unsigned b) {
      return std::pair(schedule.starts[a], a) > std::pair(schedule.starts[b], b);
    });
    for (unsigned op : order)
      changed |= delay(op, schedule);
    if (!changed)
      break;
  }
}

bool ModuloScheduler::delay(unsigned op, ModuloSchedule &schedule) const {
  int64_t interval = schedule.interval, latest = INT64_MAX;
  for (const auto &edge : problem.edges)
    if (edge.from == op && edge.to != op)
      latest = std::min(latest, schedule.starts[edge.to] - edge.latency + interval * int64_t(edge.distance));
  int64_t now = schedule.starts[op];
  if (latest == INT64_MAX || latest <= now)
    return false;
  // Where it may end before something else on its units, or at its latest.
  SmallVector<int64_t> candidates{latest};
  for (size_t other = 0; other != schedule.starts.size(); ++other)
    for (auto use : problem.operations[op].uses)
      for (auto otherUse : problem.operations[other].uses)
        if (other != op && use.unit == otherUse.unit)
          candidates.push_back(latest - floorMod(latest - (schedule.starts[other] - use.cycles), interval));
  int64_t best = now, bestLifetime = lifetime(op, schedule);
  for (int64_t candidate : candidates) {
    if (candidate <= now)
      continue;
    schedule.starts[op] = candidate;
    int64_t with = lifetime(op, schedule);
    if (with < bestLifetime && isLegal(schedule))
      best = candidate, bestLifetime = with;
  }
  schedule.starts[op] = best;
  return best != now;
}

int64_t ModuloScheduler::lifetime(unsigned op, const ModuloSchedule &schedule) const {
  int64_t sum = 0;
  for (const auto &value : problem.values) {
    if (value.from != op && llvm::none_of(value.readers, [&](auto &reader) { return reader.op == op; }))
      continue;
    auto [begin, end] = livesFrom(value, schedule);
    sum += (end - begin) * value.registers;
  }
  return sum;
}

std::pair<int64_t, int64_t> ModuloScheduler::livesFrom(const ModuloProblem::Value &value,
                                                       const ModuloSchedule &schedule) {
  int64_t begin = schedule.starts[value.from] + value.delay, end = begin;
  for (const auto &reader : value.readers)
    end = std::max(end, schedule.starts[reader.op] + schedule.interval * int64_t(reader.distance) + reader.hold);
  return {begin, end};
}

std::optional<ModuloSchedule> ModuloScheduler::schedule(int64_t registers, unsigned stages, int64_t longest) const {
  std::optional<int64_t> recurrences = boundByRecurrences();
  if (!recurrences)
    return std::nullopt;
  int64_t least = std::max(boundByUnits(), *recurrences), step = std::max<int64_t>(1, least / 128);
  for (int64_t interval = least; interval < longest; interval += step)
    if (auto found = scheduleAt(interval))
      if (found->stages() <= stages && registersOf(*found) <= registers)
        return found;
  return std::nullopt;
}

int64_t ModuloScheduler::registersOf(const ModuloSchedule &schedule) const {
  // Changes at cycles of the interval; what lives for whole intervals counts as often.
  SmallVector<std::pair<int64_t, int64_t>> changes;
  int64_t always = 0;
  for (const auto &value : problem.values) {
    auto [begin, end] = livesFrom(value, schedule);
    int64_t length = end - begin;
    always += length / schedule.interval * value.registers;
    length %= schedule.interval;
    if (length == 0)
      continue;
    int64_t first = floorMod(begin, schedule.interval), last = first + length;
    changes.push_back({first, value.registers});
    changes.push_back({last % schedule.interval, -value.registers});
    if (last >= schedule.interval)
      always += value.registers; // it is there when the interval begins
  }
  // Values that die free registers for those defined at the same time.
  llvm::sort(changes);
  int64_t now = always, most = always;
  for (auto [cycle, change] : changes)
    most = std::max(most, now += change);
  return most;
}

bool ModuloScheduler::isLegal(const ModuloSchedule &schedule) const {
  for (const auto &edge : problem.edges)
    if (schedule.starts[edge.to] + schedule.interval * int64_t(edge.distance) <
        schedule.starts[edge.from] + edge.latency)
      return false;
  for (unsigned a = 0; a != problem.operations.size(); ++a)
    for (unsigned b = a; b != problem.operations.size(); ++b)
      for (auto use : problem.operations[a].uses)
        for (auto other : problem.operations[b].uses) {
          if (use.unit != other.unit)
            continue;
          if (a == b ? use.cycles > schedule.interval
                     : meet(schedule.starts[a], use.cycles, schedule.starts[b], other.cycles, schedule.interval))
            return false;
        }
  return true;
}
