// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory of a block: its bytes, and for each byte the last writer and the readers since. An access that is not
// ordered after those it depends on, by barriers and pipelines, is a fault in whichever order the two happened to
// run.
//
//   warp 0: write %b        writer: warp 0, step 1
//   warp 1: read %b         its clock knows of no step of warp 0: read before data
//
// Buffers that overlap in memory while both are live cause such faults too.
#ifndef TILEWRIGHT_GPU_SIMULATOR_MEMORY_SHAREDMEMORY_H
#define TILEWRIGHT_GPU_SIMULATOR_MEMORY_SHAREDMEMORY_H

#include "gpu_simulator/SimulatedValue.h"
#include "gpu_simulator/memory/Clock.h"
#include <optional>

namespace tilewright::simulator {

enum class SharedFault {
  NothingWritten,   // read, and never written
  ReadTooEarly,     // read, and the write is not ordered before
  WrittenTooEarly,  // written, and a read of the old value is not ordered before
  TwoWriters,       // written, and so is another write
  Overwritten,      // read, and the last write belongs to another buffer
  OverwrittenEarly, // the same, and not even ordered before the read
};

class SharedMemory {
public:
  struct Conflict {
    SharedFault fault;
    Event earlier; // none if nothing was written
    int64_t offset;
  };

  explicit SharedMemory(int64_t bytes);

  /// An event of an actor with that past, for `read` and `write`; the past does not include it.
  uint32_t addEvent(const Event &event);

  /// Accesses of elements of `width` bytes. The first conflict is kept.
  Bits read(uint32_t event, const Clock &past, int64_t offset, unsigned width);
  void write(uint32_t event, const Clock &past, int64_t offset, unsigned width, Bits bits);
  std::optional<Conflict> takeConflict() { return std::exchange(conflict, std::nullopt); }

  int64_t size() const { return bytes.size(); }

private:
  // A set of reads is a number, as most bytes of a buffer have equal sets.
  uint32_t withReader(uint32_t set, uint32_t event);

  std::vector<char> bytes;
  std::vector<uint32_t> writers, readers; // of each byte an event, and a set of them
  std::vector<Event> events;
  std::vector<llvm::SmallVector<uint32_t, 4>> sets;
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> larger;
  std::optional<Conflict> conflict;
};

} // namespace tilewright::simulator

#endif
