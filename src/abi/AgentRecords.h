// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory in which a kernel on a GPU, compiled with the option `records`, notes what its agents do when. Each CTA
// has a place for each of its tracks (warpgroups of consumers, the producer), by its linear number in the launch: a
// header and as many records as the launch has room for. The thread that writes them is one of the track's.
#ifndef TILEWRIGHT_ABI_AGENTRECORDS_H
#define TILEWRIGHT_ABI_AGENTRECORDS_H

#include <cstdint>

namespace tilewright::cuda {

// The agent does something else from this clock on.
struct AgentRecord {
  uint32_t clock; // the lower half of the multiprocessor's
  uint32_t word;  // the number of a site, or a block that begins
};
static_assert(sizeof(AgentRecord) == 8);

// The word of a block that begins: this and its linear number.
constexpr uint32_t recordOfBlock = uint32_t(1) << 30;

struct AgentRecordsHeader {
  // Before the first record: nanoseconds of the GPU, and the multiprocessor's clock at the same time.
  uint64_t beginTime;
  uint32_t beginClock, multiprocessor;
  // Behind the last one, and how many there were; those behind the capacity are not there.
  uint64_t endTime;
  uint32_t endClock, count;
};
static_assert(sizeof(AgentRecordsHeader) == 32);

// Of a track.
constexpr uint64_t bytesOfRecords(uint64_t capacity) {
  return sizeof(AgentRecordsHeader) + capacity * sizeof(AgentRecord);
}

} // namespace tilewright::cuda

#endif // TILEWRIGHT_ABI_AGENTRECORDS_H
