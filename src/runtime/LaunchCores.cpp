// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/LaunchCores.h"

namespace tilewright {
namespace {

// The core of the last launch that this thread joined, and whether the thread may not run there because of that.
struct Avoided {
  int core = -1;
  bool removed = false;
};
thread_local Avoided avoided;

bool isCore(int core) {
  return core >= 0 && core < CPU_SETSIZE;
}

} // namespace

LaunchCores::LaunchCores() : ofLauncher(sched_getcpu()) {
  take(ofLauncher);
}

bool LaunchCores::take(int core) {
  if (!isCore(core))
    return true; // unknown: as good as any
  uint64_t bit = uint64_t(1) << core % 64;
  return !(taken[core / 64].fetch_or(bit, std::memory_order_relaxed) & bit);
}

void LaunchCores::join() {
  if (std::this_thread::get_id() == launcher)
    return;
  bool alone = take(sched_getcpu());
  if (alone && avoided.core == ofLauncher)
    return;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed))
    return;
  if (avoided.removed)
    CPU_SET(avoided.core, &allowed);
  avoided = {ofLauncher, isCore(ofLauncher) && CPU_ISSET(ofLauncher, &allowed) && CPU_COUNT(&allowed) > 1};
  if (avoided.removed)
    CPU_CLR(ofLauncher, &allowed);
  for (int core = 0; !alone && core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &allowed) && take(core)) {
      cpu_set_t only;
      CPU_ZERO(&only);
      CPU_SET(core, &only);
      sched_setaffinity(0, sizeof(only), &only); // returns on that core
      alone = true;
    }
  sched_setaffinity(0, sizeof(allowed), &allowed);
}

} // namespace tilewright
