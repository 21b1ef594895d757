// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/HostRecords.h"

#include "abi/Print.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

using namespace llvm;

namespace tilewright::cuda {
namespace {

constexpr uint64_t capacity = 8 << 20;

// The device writes it while it is read.
uint64_t load(const uint64_t &word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

struct Record {
  const HostSite *site;
  HostRecordHeader header;
  const char *bytes;

  // The order of blocks on the CPU, x fastest, and in a block that of the records.
  auto order() const { return std::make_tuple(header.block[2], header.block[1], header.block[0], bytes); }
};

void print(const Record &record, std::string &out) {
  SmallVector<tilewright_print_arg> arguments;
  for (auto [i, tile] : enumerate(record.site->tiles))
    arguments.push_back({record.bytes + tileOffset(*record.site, i), tile.type, static_cast<int32_t>(tile.shape.size()),
                         tile.shape.data()});
  formatPrint(out, record.site->text, arguments);
}

AssertFailure failureOf(const Record &record) {
  AssertFailure failure{record.site->text, record.site->file, record.site->line, {}, {}};
  copy(record.header.block, failure.block);
  if (record.site->tiles.empty())
    return failure;
  const HostTile &condition = record.site->tiles.front();
  const char *elements = record.bytes + tileOffset(*record.site, 0);
  int64_t number = 0, count = condition.numElements();
  while (number + 1 < count && elements[number])
    ++number;
  for (size_t axis = condition.shape.size(); axis-- > 0; number /= condition.shape[axis])
    failure.position.insert(failure.position.begin(), number % condition.shape[axis]);
  return failure;
}

bool isBefore(const int64_t (&a)[3], const int64_t (&b)[3]) {
  return std::make_tuple(a[2], a[1], a[0]) < std::make_tuple(b[2], b[1], b[0]);
}

} // namespace

uint64_t readHostRecords(ArrayRef<HostSite> sites, ArrayRef<char> records, LaunchResult &result) {
  SmallVector<Record> found;
  uint64_t offset = 0;
  while (offset + sizeof(HostRecordHeader) <= records.size()) {
    const char *bytes = records.data() + offset;
    Record record{nullptr, {}, bytes};
    if (!__atomic_load_n(reinterpret_cast<const uint32_t *>(bytes), __ATOMIC_ACQUIRE))
      break;
    std::memcpy(&record.header, bytes, sizeof(record.header));
    if (record.header.site >= sites.size())
      break; // no record of ours: a kernel wrote where it should not
    record.site = &sites[record.header.site];
    uint64_t size = recordBytes(*record.site);
    if (size > records.size() - offset)
      break;
    found.push_back(record);
    offset += size;
  }
  sort(found, [](const Record &a, const Record &b) { return a.order() < b.order(); });
  for (const Record &record : found) {
    if (record.site->kind == HostSite::Kind::Print) {
      print(record, result.printed);
      continue;
    }
    AssertFailure failure = failureOf(record);
    if (!result.failure || isBefore(failure.block, result.failure->block))
      result.failure = std::move(failure);
  }
  return offset;
}

Expected<std::unique_ptr<HostRecords>> HostRecords::create(Device &device, ArrayRef<HostSite> sites) {
  std::unique_ptr<HostRecords> records(new HostRecords(device.driver, sites));
  uint64_t least = capacity; // room for a few of the largest record
  for (const HostSite &site : sites)
    least = std::max(least, 4 * recordBytes(site));
  void *memory = nullptr;
  Status status =
      device.driver.hostAllocate(&memory, sizeof(HostBufferHeader) + least, hostMemoryPortable | hostMemoryDeviceMap);
  records->memory = static_cast<char *>(memory);
  if (status == Status::Success)
    status = device.driver.hostDeviceAddress(&records->deviceAddress, memory, 0);
  if (status != Status::Success)
    return failed(device.driver, status, "making a buffer for print and assert on " + device.text());
  std::memset(memory, 0, sizeof(HostBufferHeader) + least);
  reinterpret_cast<HostBufferHeader *>(memory)->capacity = least;
  records->printing = any_of(sites, [](const HostSite &site) { return site.kind == HostSite::Kind::Print; });
  return records;
}

HostRecords::~HostRecords() {
  if (memory)
    driver.hostFree(memory);
}

bool HostRecords::isPending() const {
  return load(reinterpret_cast<const HostBufferHeader *>(memory)->reserved) > read;
}

void HostRecords::drain(LaunchResult &result) {
  std::lock_guard<std::mutex> lock(mutex);
  const auto &header = *reinterpret_cast<const HostBufferHeader *>(memory);
  uint64_t reserved = load(header.reserved), written = std::min(reserved, header.capacity);
  if (read < written)
    read += readHostRecords(sites, {memory + sizeof(header) + read, static_cast<size_t>(written - read)}, result);
  uint64_t lostNow = reserved - written;
  if (lostNow > lost)
    result.printed += "tilewright: " + std::to_string(lostNow - lost) +
                      " bytes of the kernels' output did not fit in the buffer and are lost\n";
  lost = lostNow;
}

bool HostRecords::isHalfFull() const {
  const auto &header = *reinterpret_cast<const HostBufferHeader *>(memory);
  return load(header.reserved) > header.capacity / 2;
}

void HostRecords::recycle() {
  std::lock_guard<std::mutex> lock(mutex);
  auto &header = *reinterpret_cast<HostBufferHeader *>(memory);
  std::memset(memory + sizeof(header), 0, header.capacity);
  __atomic_store_n(&header.reserved, 0, __ATOMIC_RELEASE);
  read = lost = 0;
}

} // namespace tilewright::cuda
