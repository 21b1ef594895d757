// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/analysis/BlocksAsked.h"
#include "tileas/ir/Decisions.h"

#include "tileaa/ir/Hints.h"

using namespace mlir;
using tilewright::nvidia::Architecture;

namespace {

constexpr int64_t registersAtOnce = 8; // a thread gets a multiple of it

} // namespace

std::optional<int64_t> tilewright::tileas::occupancyAsked(Operation *kernel) {
  std::optional<int64_t> asked = askedFor(kernel, DecisionKind::Occupancy);
  return asked ? asked : tileaa::numberHinted(kernel, tileaa::hint::occupancy);
}

int64_t tilewright::tileas::blocksAsked(Operation *kernel, int64_t threads, const Architecture &architecture) {
  std::optional<int64_t> asked = tileaa::numberHinted(kernel, tileaa::hint::occupancy);
  return asked ? std::min<int64_t>({*asked, architecture.threadsPerSm / threads, architecture.blocksPerSm}) : 0;
}

int64_t tilewright::tileas::registersOfThread(int64_t blocks, int64_t threads) {
  if (blocks == 0)
    return Architecture::registersPerThread;
  int64_t share = Architecture::registersPerSm / (blocks * threads) / registersAtOnce * registersAtOnce;
  return std::min<int64_t>(share, Architecture::registersPerThread);
}
