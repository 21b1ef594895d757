// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which blocks of a launch a thread runs next. Each thread has a share of neighbours: they have in common what they
// read and what a kernel keeps from block to block, and are in the thread's cache after a launch before. A thread whose
// share is done helps with the lowest one that is left.
//
// A block may wait for lower ones, if the first thread that comes has the first share. Consider the lowest block that
// no thread runs. All below it are done, or run and wait for nothing that is not. The thread of the one before it
// claims this one next: either it is in its own share, or that share is handed out.
#ifndef TILEWRIGHT_RUNTIME_BLOCKSHARES_H
#define TILEWRIGHT_RUNTIME_BLOCKSHARES_H

#include <atomic>
#include <cstdint>
#include <vector>

namespace tilewright {

// Neighbouring blocks by linear number; the last is not among them.
struct BlockRange {
  int64_t first, last;
  bool empty() const { return first >= last; }
};

class BlockShares {
public:
  BlockShares(int64_t blocks, int64_t count, int64_t shortest);

  // The next blocks for a thread whose share is `own`; one without a share passes any other number. Long runs at first,
  // and short ones at last, so that uneven blocks (causal attention) even out. Empty at the end.
  BlockRange claim(int64_t own);

private:
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t last = 0;
  };
  BlockRange claimOf(Share &share) const;

  std::vector<Share> shares;
  int64_t shortest;
};

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_BLOCKSHARES_H
