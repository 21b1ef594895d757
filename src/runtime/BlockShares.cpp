// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/BlockShares.h"
#include <algorithm>

namespace tilewright {

BlockShares::BlockShares(int64_t blocks, int64_t count, int64_t shortest) : shares(count), shortest(shortest) {
  int64_t each = blocks / count, longer = blocks % count;
  for (int64_t i = 0, first = 0; i < count; ++i) {
    shares[i].next = first;
    shares[i].last = first += each + (i < longer);
  }
}

BlockRange BlockShares::claimOf(Share &share) const {
  int64_t first = share.next.load(std::memory_order_relaxed), end;
  do {
    if (first >= share.last)
      return {first, first};
    end = std::min(share.last, first + std::max(shortest, (share.last - first) / 2));
  } while (!share.next.compare_exchange_weak(first, end, std::memory_order_relaxed));
  return {first, end};
}

BlockRange BlockShares::claim(int64_t own) {
  if (own >= 0 && own < static_cast<int64_t>(shares.size()))
    if (BlockRange run = claimOf(shares[own]); !run.empty())
      return run;
  for (Share &share : shares)
    if (BlockRange run = claimOf(share); !run.empty())
      return run;
  return {0, 0};
}

} // namespace tilewright
