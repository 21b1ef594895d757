// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of the process as a block accesses it. The writes of the block can be undone, so that the same block can
// run again under another schedule, and compared.
#ifndef TILEWRIGHT_GPU_SIMULATOR_MEMORY_GLOBALMEMORY_H
#define TILEWRIGHT_GPU_SIMULATOR_MEMORY_GLOBALMEMORY_H

#include "interpreter/memory/Memory.h"

namespace tilewright::simulator {

using interpreter::Bits;
using interpreter::Element;
using interpreter::Place;

class GlobalMemory {
public:
  Bits read(uint64_t address, Element element);
  void write(uint64_t address, Element element, Bits bits);
  /// The first invalid address that was accessed.
  std::optional<uint64_t> missing() const { return guard.missing; }

  /// Whether writes are recorded, for undo.
  bool remembers = false;
  void undo();
  /// Memory that belongs to the block only.
  void addOwn(uint64_t address, uint64_t bytes) { own.push_back({address, address + bytes}); }
  /// The contents of memory that the block has written, in the order of addresses.
  std::vector<std::pair<uint64_t, Bits>> written() const;

private:
  struct Old {
    uint64_t address;
    uint8_t bytes;
    Bits bits;
  };
  interpreter::GuardedMemory guard;
  std::vector<Old> log;
  llvm::SmallVector<std::pair<uint64_t, uint64_t>, 2> own;
};

} // namespace tilewright::simulator

#endif
