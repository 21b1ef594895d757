// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/LaunchCores.h"
#include <cstring>

namespace tilewright {
namespace {

static_assert(sizeof(CoreSet) == sizeof(cpu_set_t));

// A thread of the program, whose cores are not ours to choose. It may help with the launch of another one.
thread_local bool launches = false;

// Of this thread: cores of other threads at the end of a launch, and those of them that it might run on but for that.
thread_local CoreSet others = {}, left = {};

bool isCore(int core) {
  return core >= 0 && core < CPU_SETSIZE;
}

uint64_t bitOf(int core) {
  return uint64_t(1) << core % 64;
}

// Where the thread might run. Changes of its cores from elsewhere remain.
bool findAllowed(CoreSet &set) {
  if (sched_getaffinity(0, sizeof(set), reinterpret_cast<cpu_set_t *>(set.data())))
    return false;
  for (size_t i = 0; i < set.size(); ++i)
    set[i] |= left[i];
  return true;
}

void runOn(const CoreSet &set) {
  sched_setaffinity(0, sizeof(set), reinterpret_cast<const cpu_set_t *>(set.data()));
}

} // namespace

LaunchCores::LaunchCores() {
  launches = true;
  take(sched_getcpu());
}

bool LaunchCores::take(int core) {
  if (!isCore(core))
    return true; // unknown: as good as any
  return !(taken[core / 64].fetch_or(bitOf(core), std::memory_order_relaxed) & bitOf(core));
}

void LaunchCores::join() {
  CoreSet set;
  if (take(sched_getcpu()) || launches || !findAllowed(set))
    return;
  left = others = {};
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (set[core / 64] & bitOf(core) && take(core)) {
      CoreSet only = {};
      only[core / 64] = bitOf(core);
      runOn(only); // returns on that core
      break;
    }
  runOn(set);
}

void LaunchCores::leave() const {
  int own = sched_getcpu();
  if (launches || !isCore(own))
    return;
  CoreSet now;
  bool known = true;
  for (size_t i = 0; i < now.size(); ++i) {
    now[i] = taken[i].load(std::memory_order_relaxed);
    if (i == size_t(own) / 64)
      now[i] &= ~bitOf(own);
    known &= !(now[i] & ~others[i]);
  }
  CoreSet set;
  if (known || !findAllowed(set))
    return;
  others = now;
  for (size_t i = 0; i < set.size(); ++i) {
    left[i] = set[i] & now[i];
    set[i] &= ~now[i];
  }
  runOn(set);
}

} // namespace tilewright
