// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Device.h"

#include "runtime/cuda/GpuImage.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace tilewright::cuda {
namespace {

struct Registry {
  std::mutex mutex;
  std::map<int, Device *> devices; // never destroyed: the driver may be gone before us when the process ends
};

Registry &registry() {
  static Registry &instance = *new Registry();
  return instance;
}

constexpr size_t maxTables = 256;

} // namespace

Expected<Device &> Device::get(int ordinal) {
  std::lock_guard<std::mutex> lock(registry().mutex);
  Device *&known = registry().devices[ordinal];
  if (!known) {
    auto made = create(ordinal);
    if (!made)
      return made.takeError();
    known = *made;
  }
  return *known;
}

std::vector<Device *> Device::known() {
  std::lock_guard<std::mutex> lock(registry().mutex);
  std::vector<Device *> result;
  for (auto [ordinal, device] : registry().devices)
    if (device)
      result.push_back(device);
  return result;
}

Expected<Device *> Device::create(int ordinal) {
  auto driver = Driver::get();
  if (!driver)
    return driver.takeError();
  int count = 0;
  Status status = driver->deviceCount(&count);
  if (status != Status::Success)
    return failed(*driver, status, "counting GPUs");
  if (ordinal < 0 || ordinal >= count)
    return makeError(DriverError::Kind::Missing, "there is no GPU " + Twine(ordinal) + ", the driver shows " +
                                                     Twine(count) + (count == 1 ? " GPU" : " GPUs"));
  std::unique_ptr<Device> device(new Device(*driver, ordinal));
  DeviceHandle handle = 0;
  char name[256] = "";
  int major = 0, minor = 0, multiprocessors = 0, sharedBytes = 0;
  const std::pair<int *, DeviceAttribute> attributes[] = {
      {&major, DeviceAttribute::ComputeCapabilityMajor},
      {&minor, DeviceAttribute::ComputeCapabilityMinor},
      {&multiprocessors, DeviceAttribute::MultiprocessorCount},
      {&sharedBytes, DeviceAttribute::SharedBytesPerBlockOptin},
  };
  status = driver->deviceGet(&handle, ordinal);
  if (status == Status::Success)
    status = driver->deviceName(name, sizeof(name), handle);
  for (auto [value, attribute] : attributes)
    if (status == Status::Success)
      status = driver->deviceAttribute(value, attribute, handle);
  if (status == Status::Success)
    status = driver->primaryContextRetain(&device->context, handle);
  if (status != Status::Success)
    return failed(*driver, status, "GPU " + Twine(ordinal) + " cannot be used");
  device->name = name;
  device->multiprocessors = multiprocessors;
  device->sharedBytesPerBlock = sharedBytes;

  auto architecture = nvidia::parseArchitecture("sm_" + std::to_string(major * 10 + minor));
  if (!architecture) {
    std::string known = toString(architecture.takeError());
    return makeError(DriverError::Kind::Missing,
                     device->text() + " has compute capability " + Twine(major) + "." + Twine(minor) + ": " + known);
  }
  device->architecture = *architecture;
  return device.release();
}

Error Device::checkArchitecture(StringRef name) const {
  if (name == architecture->name)
    return Error::success();
  return makeError(DriverError::Kind::Refused, "the code is for " + name + ", " + text() + " is " + architecture->name +
                                                   " and runs no other; compile for that");
}

std::string Device::text() const {
  return "GPU " + std::to_string(ordinal) + " (" + name + ")";
}

std::vector<std::string> Device::recentKernels() const {
  std::vector<std::string> names;
  size_t next = nextRecent.load();
  for (size_t i = 0; i < std::min(next, recent.size()); ++i)
    if (const GpuEntry *entry = recent[(next - 1 - i) % recent.size()].load())
      if (!is_contained(names, entry->name))
        names.push_back(entry->name);
  return names;
}

void Device::add(HostRecords &more) {
  std::lock_guard<std::mutex> lock(mutex);
  records.push_back(&more);
}

std::vector<HostRecords *> Device::hostRecords() const {
  std::lock_guard<std::mutex> lock(mutex);
  return records;
}

Status Device::copyNow(DeviceAddress to, const void *from, size_t bytes) {
  std::lock_guard<std::mutex> lock(copying);
  Status status = copyStream ? Status::Success : driver.streamCreate(&copyStream, streamNonBlocking);
  if (status == Status::Success)
    status = driver.copyToDeviceAsync(to, from, bytes, copyStream);
  return status == Status::Success ? driver.streamSynchronize(copyStream) : status;
}

bool Device::synchronize(StreamHandle stream) {
  CurrentContext current(*this);
  return current.status == Status::Success && driver.streamSynchronize(stream) == Status::Success;
}

Expected<DeviceAddress> Device::tableFor(ArrayRef<int64_t> words) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Table &table : tables)
    if (ArrayRef(table.words) == words) {
      table.lastUse = ++tableUses;
      return table.address;
    }
  RelaxedCapture relaxed(driver);
  CurrentContext current(*this);
  size_t bytes = words.size() * sizeof(int64_t);
  Table table{{words.begin(), words.end()}, 0, ++tableUses};
  Status status = current.status;
  if (status == Status::Success)
    status = driver.memoryAllocate(&table.address, bytes);
  if (status == Status::Success)
    status = copyNow(table.address, words.data(), bytes);
  if (status != Status::Success)
    return failed(driver, status, "copying the table of a list to " + text());
  if (tables.size() < maxTables) {
    tables.push_back(std::move(table));
    return tables.back().address;
  }
  // Freeing waits for the kernels that run.
  auto oldest = min_element(tables, [](const Table &a, const Table &b) { return a.lastUse < b.lastUse; });
  driver.memoryFree(oldest->address);
  *oldest = std::move(table);
  return oldest->address;
}

} // namespace tilewright::cuda
