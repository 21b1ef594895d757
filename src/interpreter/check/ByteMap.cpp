// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/ByteMap.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;

namespace tilewright::interpreter {

SmallVector<ByteRange> coalesce(SmallVectorImpl<uint64_t> &addresses, unsigned elementBytes, uint64_t *overlapping) {
  if (!is_sorted(addresses))
    llvm::sort(addresses);
  SmallVector<ByteRange> ranges;
  bool found = false;
  for (uint64_t address : addresses) {
    if (!ranges.empty() && address < ranges.back().end && !found && overlapping) {
      *overlapping = address;
      found = true;
    }
    if (!ranges.empty() && address <= ranges.back().end)
      ranges.back().end = std::max(ranges.back().end, address + elementBytes);
    else
      ranges.push_back({address, address + elementBytes});
  }
  return ranges;
}

void ByteMap::update(ArrayRef<ByteRange> ranges, function_ref<Value(Value, uint64_t)> next) {
  SmallVector<ByteRange, 8> within;
  for (size_t i = 0; i < ranges.size();) {
    // The part of the ranges in one page; a range may continue in the next.
    uint64_t page = ranges[i].begin / pageBytes;
    for (;;) {
      uint64_t begin = page * pageBytes, end = begin + pageBytes;
      within.clear();
      while (i < ranges.size() && ranges[i].begin < end) {
        within.push_back({std::max(ranges[i].begin, begin) - begin, std::min(ranges[i].end, end) - begin});
        if (ranges[i].end > end)
          break;
        ++i;
      }
      if (!within.empty())
        updatePage(pages[page], begin, within, next);
      if (i == ranges.size() || ranges[i].begin >= end)
        break;
      ++page;
    }
  }
}

void ByteMap::updatePage(Page &page, uint64_t base, ArrayRef<ByteRange> ranges,
                         function_ref<Value(Value, uint64_t)> next) {
  if (page.empty())
    page.push_back({0, nullptr});
  Page result;
  auto add = [&](uint64_t begin, Value value) {
    if (result.empty() || result.back().value != value)
      result.push_back({static_cast<uint16_t>(begin), value});
  };
  size_t range = 0;
  for (size_t run = 0; run < page.size(); ++run) {
    uint64_t at = page[run].begin, end = run + 1 < page.size() ? page[run + 1].begin : pageBytes;
    Value old = page[run].value;
    while (at < end) {
      while (range < ranges.size() && ranges[range].end <= at)
        ++range;
      bool inside = range < ranges.size() && ranges[range].begin <= at;
      add(at, inside ? next(old, base + at) : old);
      uint64_t stop = range == ranges.size() ? pageBytes : inside ? ranges[range].end : ranges[range].begin;
      at = std::min(end, stop);
    }
  }
  page = std::move(result);
}

ByteMap::Value ByteMap::at(uint64_t address) const {
  auto page = pages.find(address / pageBytes);
  if (page == pages.end())
    return nullptr;
  const auto *run = llvm::upper_bound(page->second, address % pageBytes,
                                      [](uint64_t offset, const Run &run) { return offset < run.begin; });
  return std::prev(run)->value;
}

size_t ByteMap::numRuns() const {
  size_t count = 0;
  for (const auto &[number, page] : pages)
    count += page.size();
  return count;
}

} // namespace tilewright::interpreter
