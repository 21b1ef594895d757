// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/LaunchRecords.h"

#include <cstring>

using namespace llvm;

namespace tilewright::cuda {

uint32_t capacityOfTracks(uint64_t tracks) {
  constexpr uint64_t mostBytes = 256 << 20, mostRecords = 8192;
  uint64_t each = mostBytes / std::max<uint64_t>(1, tracks);
  if (each <= bytesOfRecords(0))
    return 0;
  return std::min(mostRecords, (each - bytesOfRecords(0)) / sizeof(AgentRecord));
}

Expected<std::shared_ptr<LaunchRecords>> LaunchRecords::create(Device &device, const GpuEntry &entry, uint64_t ctas) {
  uint32_t capacity = capacityOfTracks(ctas * entry.recordTracks.size());
  if (!capacity)
    return makeError(DriverError::Kind::Refused, "kernel '" + entry.name + "' is launched with " + Twine(ctas) +
                                                     " blocks, and there is no room for records of so many");
  std::shared_ptr<LaunchRecords> records(new LaunchRecords(device, entry, ctas, capacity));
  CurrentContext current(device);
  Status status = current.status;
  if (status == Status::Success)
    status = device.driver.memoryAllocate(&records->memory, records->bytes());
  // Headers of zeros are those of CTAs that did nothing.
  if (status == Status::Success)
    status = device.driver.fillAsync(records->memory, 0, records->bytes() / 4, nullptr);
  if (status == Status::Success)
    status = device.driver.contextSynchronize();
  if (status != Status::Success)
    return failed(device.driver, status, "making room for records on " + device.text());
  return records;
}

LaunchRecords::~LaunchRecords() {
  CurrentContext current(device);
  if (memory)
    device.driver.memoryFree(memory);
}

Expected<std::vector<TrackRecords>> LaunchRecords::read() const {
  std::vector<char> copy(bytes());
  CurrentContext current(device);
  Status status = current.status;
  if (status == Status::Success)
    status = device.driver.contextSynchronize();
  if (status == Status::Success)
    status = device.driver.copyToHost(copy.data(), memory, copy.size());
  if (status != Status::Success)
    return failed(device.driver, status, "reading records on " + device.text());
  return readTrackRecords(copy, ctas, entry.recordTracks.size(), capacity);
}

std::vector<TrackRecords> readTrackRecords(ArrayRef<char> memory, uint64_t ctas, unsigned tracks, uint32_t capacity) {
  std::vector<TrackRecords> found;
  for (uint64_t place = 0; place != ctas * tracks; ++place) {
    ArrayRef<char> own = memory.slice(place * bytesOfRecords(capacity), bytesOfRecords(capacity));
    TrackRecords track{place / tracks, static_cast<unsigned>(place % tracks), {}, {}};
    std::memcpy(&track.header, own.data(), sizeof(track.header));
    if (!track.header.beginTime)
      continue;
    track.records.resize(std::min(track.header.count, capacity));
    std::memcpy(track.records.data(), own.data() + sizeof(track.header), track.records.size() * sizeof(AgentRecord));
    found.push_back(std::move(track));
  }
  return found;
}

} // namespace tilewright::cuda
