// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/memory/SharedMemory.h"

#include "interpreter/memory/Memory.h"

using namespace tilewright::simulator;

// Event 0 is none, set 0 is empty.
SharedMemory::SharedMemory(int64_t size) : bytes(size), writers(size), readers(size), events(1), sets(1) {}

uint32_t SharedMemory::addEvent(const Event &event) {
  events.push_back(event);
  return events.size() - 1;
}

uint32_t SharedMemory::withReader(uint32_t set, uint32_t event) {
  auto [found, isNew] = larger.try_emplace({set, event}, 0);
  if (!isNew)
    return found->second;
  // A later read of the same actor replaces its earlier ones.
  llvm::SmallVector<uint32_t, 4> all;
  for (uint32_t other : sets[set])
    if (events[other].actor != events[event].actor)
      all.push_back(other);
  all.push_back(event);
  found->second = sets.size();
  sets.push_back(std::move(all));
  return found->second;
}

Bits SharedMemory::read(uint32_t event, const Clock &past, int64_t offset, unsigned width) {
  for (int64_t byte = offset; byte != offset + width; ++byte) {
    uint32_t writer = writers[byte];
    if (!writer && !conflict)
      conflict = {SharedFault::NothingWritten, {}, byte};
    else if (!past.includes(events[writer]) && !conflict)
      conflict = {events[writer].owner == events[event].owner ? SharedFault::ReadTooEarly
                                                              : SharedFault::OverwrittenEarly,
                  events[writer], byte};
    else if (events[writer].owner != events[event].owner && !conflict)
      conflict = {SharedFault::Overwritten, events[writer], byte};
    readers[byte] = withReader(readers[byte], event);
  }
  return interpreter::readBytes(&bytes[offset], width);
}

void SharedMemory::write(uint32_t event, const Clock &past, int64_t offset, unsigned width, Bits bits) {
  for (int64_t byte = offset; byte != offset + width; ++byte) {
    for (uint32_t reader : sets[readers[byte]])
      if (!past.includes(events[reader]) && !conflict)
        conflict = {SharedFault::WrittenTooEarly, events[reader], byte};
    uint32_t writer = writers[byte];
    if (writer && !past.includes(events[writer]) && writer != event && !conflict)
      conflict = {SharedFault::TwoWriters, events[writer], byte};
    writers[byte] = event;
    readers[byte] = 0;
  }
  interpreter::writeBytes(&bytes[offset], bits, width);
}
