// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's side of a module's host buffer (HostBuffer.h): pinned memory that the module's kernels write records into,
// read into text and failures. The records of one block stay in their order; blocks follow by their number, as on the
// CPU.
#ifndef TILEWRIGHT_RUNTIME_CUDA_HOSTRECORDS_H
#define TILEWRIGHT_RUNTIME_CUDA_HOSTRECORDS_H

#include "abi/HostBuffer.h"
#include "runtime/Scheduler.h"
#include "runtime/cuda/Device.h"

namespace tilewright::cuda {

class HostRecords {
public:
  // `sites` are those of the image, which outlives this.
  static llvm::Expected<std::unique_ptr<HostRecords>> create(Device &device, llvm::ArrayRef<HostSite> sites);
  ~HostRecords();

  DeviceAddress address() const { return deviceAddress; }
  bool hasPrints() const { return printing; }

  // Reads complete records written since the last call: appends to `printed`, and sets `failure` if there is none yet
  // from an earlier block.
  void drain(LaunchResult &result);
  // Something was written that `drain` has not seen.
  bool isPending() const;
  bool isHalfFull() const;
  // Empties the buffer. Only while no kernel of the module runs.
  void recycle();

private:
  HostRecords(const Driver &driver, llvm::ArrayRef<HostSite> sites) : driver(driver), sites(sites) {}

  const Driver &driver;
  llvm::ArrayRef<HostSite> sites;
  char *memory = nullptr; // a HostBufferHeader, then records
  DeviceAddress deviceAddress = 0;
  bool printing = false;
  mutable std::mutex mutex;
  uint64_t read = 0; // bytes of records that were drained
  uint64_t lost = 0; // bytes that had no room, as last said
};

// Reads records from memory, up to the first incomplete one, as `drain` does; for tests. Returns the bytes read.
uint64_t readHostRecords(llvm::ArrayRef<HostSite> sites, llvm::ArrayRef<char> records, LaunchResult &result);

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_HOSTRECORDS_H
