// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of a GPU for the records of a launch (abi/AgentRecords.h), kept for launches that are like it.
#ifndef TILEWRIGHT_RUNTIME_CUDA_LAUNCHRECORDS_H
#define TILEWRIGHT_RUNTIME_CUDA_LAUNCHRECORDS_H

#include "abi/AgentRecords.h"
#include "runtime/cuda/Device.h"
#include "runtime/cuda/GpuImage.h"

namespace tilewright::cuda {

// Of an agent of a CTA.
struct TrackRecords {
  uint64_t cta = 0; // its linear number in the launch
  unsigned track = 0;
  AgentRecordsHeader header;
  std::vector<AgentRecord> records;
};

class LaunchRecords {
public:
  static llvm::Expected<std::shared_ptr<LaunchRecords>> create(Device &device, const GpuEntry &entry, uint64_t ctas);
  ~LaunchRecords();
  LaunchRecords(const LaunchRecords &) = delete;

  bool isFor(const GpuEntry &other, uint64_t otherCtas) const { return &entry == &other && ctas == otherCtas; }
  DeviceAddress address() const { return memory; }
  uint32_t getCapacity() const { return capacity; }
  const GpuEntry &getEntry() const { return entry; }
  // Waits for the launch. CTAs that did nothing have no tracks.
  llvm::Expected<std::vector<TrackRecords>> read() const;

private:
  LaunchRecords(Device &device, const GpuEntry &entry, uint64_t ctas, uint32_t capacity)
      : device(device), entry(entry), ctas(ctas), capacity(capacity) {}
  uint64_t bytes() const { return ctas * entry.recordTracks.size() * bytesOfRecords(capacity); }

  Device &device;
  const GpuEntry &entry; // of a loaded module, which stays loaded
  uint64_t ctas;
  uint32_t capacity;
  DeviceAddress memory = 0;
};

// How many records each of so many tracks has room for: at most 8192, in 256 MB altogether; 0 if not even headers fit.
uint32_t capacityOfTracks(uint64_t tracks);

// The tracks in a copy of the memory.
std::vector<TrackRecords> readTrackRecords(llvm::ArrayRef<char> memory, uint64_t ctas, unsigned tracks,
                                           uint32_t capacity);

} // namespace tilewright::cuda

#endif // TILEWRIGHT_RUNTIME_CUDA_LAUNCHRECORDS_H
