// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/RegisterPool.h"

#include "machine/Architecture.h"
#include <algorithm>

using namespace tilewright;
using nvidia::Architecture;

namespace {

// Registers are given and taken in these.
constexpr int32_t step = 8;
// Registers of a thread besides its accumulators: descriptors, addresses, loop counters.
constexpr int32_t ofOthers = 32;
// Of blocks that share an SM: attention of 128x64 queries and keys with 64 values, two blocks with 104 registers a
// thread, has 80 of its products and spills none.
constexpr int32_t ofOthersBeside = 24;
constexpr int32_t mostOfThread = Architecture::registersPerThread / step * step;

} // namespace

int32_t tileas::registersAtLaunch(int32_t warps, int32_t blocks) {
  int32_t left = Architecture::registersPerSm / (blocks * warps * Architecture::warpThreads);
  return std::min(left / step * step, mostOfThread);
}

std::array<int32_t, 2> tileas::handOver(int32_t consumerWarps, int32_t producerWarps, int32_t kept, int32_t blocks) {
  int32_t warps = consumerWarps + producerWarps, atLaunch = registersAtLaunch(warps, blocks);
  if (atLaunch == mostOfThread || atLaunch <= kept)
    return {0, 0};
  int32_t rest = (warps * atLaunch - producerWarps * kept) / consumerWarps;
  return {std::min(rest / step * step, mostOfThread), kept};
}

int32_t tileas::registersForSums(int32_t warps) {
  return registersAtLaunch(warps + warpsOfProducer) - ofOthers;
}

int32_t tileas::registersForSums(int32_t warps, int32_t kept, int32_t blocks) {
  int32_t handed = handOver(warps, warpsOfProducer, kept, blocks)[0];
  int32_t all = handed ? handed : registersAtLaunch(warps + warpsOfProducer, blocks);
  return all - (blocks > 1 ? ofOthersBeside : ofOthers);
}
