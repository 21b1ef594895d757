// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/MemoryMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <numeric>

using namespace llvm;

namespace tilewright::interpreter {

uint64_t Buffer::end() const {
  uint64_t last = address;
  for (auto [extent, stride] : zip_equal(shape, byteStrides)) {
    if (extent == 0)
      return address;
    last += (extent - 1) * stride;
  }
  return last + elementBytes;
}

std::optional<SmallVector<int64_t, 4>> Buffer::indexOf(uint64_t byte) const {
  if (byte < address || is_contained(shape, 0))
    return std::nullopt;
  // From the widest stride down, as many steps as fit: right for all arrays whose elements do not overlap.
  SmallVector<unsigned, 4> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  llvm::sort(axes, [&](unsigned a, unsigned b) { return byteStrides[a] > byteStrides[b]; });
  SmallVector<int64_t, 4> index(shape.size(), 0);
  uint64_t rest = byte - address;
  for (unsigned axis : axes) {
    if (byteStrides[axis] > 0)
      index[axis] = std::min<uint64_t>(shape[axis] - 1, rest / byteStrides[axis]);
    rest -= index[axis] * byteStrides[axis];
  }
  if (rest >= elementBytes)
    return std::nullopt;
  return index;
}

bool Buffer::isDense() const {
  uint64_t bytes = elementBytes;
  for (int64_t extent : shape)
    bytes *= extent;
  return end() - address == bytes;
}

bool MemoryMap::Entry::contains(uint64_t address, unsigned bytes) const {
  if (address < buffer.address || address >= end || bytes > end - address)
    return false;
  if (isDense)
    return true;
  for (unsigned byte = 0; byte < bytes; ++byte)
    if (!buffer.indexOf(address + byte))
      return false;
  return true;
}

void MemoryMap::add(Buffer buffer) {
  uint64_t end = buffer.end();
  bool isDense = buffer.isDense();
  entries.push_back({std::move(buffer), end, isDense});
}

void MemoryMap::remove(uint64_t address) {
  last = nullptr;
  auto found = find_if(entries, [&](const Entry &entry) { return entry.buffer.address == address; });
  if (found != entries.end())
    entries.erase(found);
}

const Buffer *MemoryMap::find(uint64_t address, unsigned bytes) const {
  if (last && last->contains(address, bytes))
    return &last->buffer;
  // There are few. Later ones first: an alloca is accessed more often than earlier memory.
  for (const Entry &entry : reverse(entries))
    if (entry.contains(address, bytes)) {
      last = &entry;
      return &entry.buffer;
    }
  return nullptr;
}

// Bytes near a buffer, and how large it is.
static std::string describeOutside(const Buffer &buffer, uint64_t address, unsigned bytes) {
  int64_t first = static_cast<int64_t>(address - buffer.address), size = buffer.end() - buffer.address;
  if (buffer.shape.size() == 1 && buffer.byteStrides[0] == buffer.elementBytes && first % buffer.elementBytes == 0) {
    return buffer.name + "[" + std::to_string(first / buffer.elementBytes) + "], but " + buffer.name + " has " +
           std::to_string(buffer.shape[0]) + (buffer.shape[0] == 1 ? " element" : " elements");
  }
  std::string range =
      "bytes " + std::to_string(first) + " to " + std::to_string(first + bytes - 1) + " of " + buffer.name;
  if (first >= 0 && first + bytes <= size)
    return range + ", which are between its elements";
  return range + ", which has " + std::to_string(size) + (size == 1 ? " byte" : " bytes");
}

std::string MemoryMap::describe(uint64_t address, unsigned bytes) const {
  if (const Buffer *buffer = find(address, bytes)) {
    auto index = *buffer->indexOf(address);
    if (index.empty())
      return buffer->name;
    return (buffer->name + "[" + join(map_range(index, [](int64_t i) { return std::to_string(i); }), ", ") + "]");
  }
  // The nearest buffer by bytes, an earlier one if two are as near.
  const Buffer *nearest = nullptr;
  uint64_t distance = ~uint64_t(0);
  for (const auto &[buffer, end, isDense] : entries) {
    uint64_t from = address < buffer.address ? buffer.address - address : address >= end ? address - end : 0;
    if (from < distance) {
      distance = from;
      nearest = &buffer;
    }
  }
  constexpr uint64_t far = uint64_t(1) << 32;
  if (!nearest || distance > far)
    return "address 0x" + utohexstr(address, /*LowerCase=*/true) + ", which is in no array";
  return describeOutside(*nearest, address, bytes);
}

} // namespace tilewright::interpreter
