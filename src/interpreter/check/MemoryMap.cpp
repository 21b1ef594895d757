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

std::optional<SmallVector<int64_t, 4>> Buffer::indexOf(uint64_t first, unsigned bytes) const {
  if (first < address || bytes > elementBytes || is_contained(shape, 0))
    return std::nullopt;
  // From the widest stride down, as many steps as fit: right for all arrays whose elements do not overlap.
  SmallVector<unsigned, 4> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  llvm::sort(axes, [&](unsigned a, unsigned b) { return byteStrides[a] > byteStrides[b]; });
  SmallVector<int64_t, 4> index(shape.size(), 0);
  uint64_t rest = first - address;
  for (unsigned axis : axes) {
    if (byteStrides[axis] > 0)
      index[axis] = std::min<uint64_t>(shape[axis] - 1, rest / byteStrides[axis]);
    rest -= index[axis] * byteStrides[axis];
  }
  if (rest + bytes > elementBytes)
    return std::nullopt;
  return index;
}

void MemoryMap::remove(uint64_t address) {
  last = nullptr;
  auto found = find_if(buffers, [&](const Buffer &buffer) { return buffer.address == address; });
  if (found != buffers.end())
    buffers.erase(found);
}

const Buffer *MemoryMap::find(uint64_t address, unsigned bytes) const {
  if (last && last->indexOf(address, bytes))
    return last;
  // There are few. Later ones first: an alloca is used more than what was there before.
  for (const Buffer &buffer : reverse(buffers))
    if (buffer.indexOf(address, bytes))
      return last = &buffer;
  return nullptr;
}

static std::string countOf(uint64_t bytes) {
  return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
}

std::string MemoryMap::describe(uint64_t address, unsigned bytes) const {
  if (const Buffer *buffer = find(address, bytes)) {
    auto index = *buffer->indexOf(address, bytes);
    if (index.empty())
      return buffer->name;
    return (buffer->name + "[" + join(map_range(index, [](int64_t i) { return std::to_string(i); }), ", ") + "]");
  }
  // The nearest buffer by bytes, an earlier one if two are as near.
  const Buffer *nearest = nullptr;
  uint64_t distance = ~uint64_t(0);
  for (const Buffer &buffer : buffers) {
    uint64_t end = buffer.end();
    uint64_t from = address < buffer.address ? buffer.address - address : address >= end ? address - end : 0;
    if (from < distance) {
      distance = from;
      nearest = &buffer;
    }
  }
  constexpr uint64_t far = uint64_t(1) << 32;
  if (!nearest || distance > far)
    return "address 0x" + utohexstr(address, /*LowerCase=*/true) + ", which is in no array";
  if (address < nearest->address)
    return countOf(distance) + " before the beginning of " + nearest->name;
  if (address >= nearest->end())
    return (distance == 0 ? "what follows the end of " : countOf(distance) + " behind the end of ") + nearest->name;
  if (address + bytes > nearest->end())
    return "the last " + countOf(nearest->end() - address) + " of " + nearest->name + " and what follows";
  return "memory between the elements of " + nearest->name;
}

} // namespace tilewright::interpreter
