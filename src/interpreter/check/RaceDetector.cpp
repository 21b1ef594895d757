// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/RaceDetector.h"

#include <algorithm>

using namespace llvm;

namespace tilewright::interpreter {
namespace {

bool acquires(Order order) {
  return order == Order::Acquire || order == Order::AcquireRelease;
}

bool releases(Order order) {
  return order == Order::Release || order == Order::AcquireRelease;
}

bool isStrong(const MemoryEvent &event) {
  return event.order != Order::Weak;
}

bool reach(Scope a, uint32_t blockA, Scope b, uint32_t blockB) {
  return blockA == blockB || (a >= Scope::Device && b >= Scope::Device);
}

} // namespace

RaceDetector::RaceDetector() : tokens(1) {}

RaceDetector::Token RaceDetector::join(ArrayRef<Token> list) {
  Past past;
  for (Token token : list) {
    past.clock = past.clock.joined(tokens[token].clock);
    // Only what still ends its chain can be followed in it.
    std::optional<Epoch> tail = tokens[token].tail;
    if (tail && chainLengths[tail->chain] == tail->position)
      past.tail = tail;
  }
  tokens.push_back(std::move(past));
  return tokens.size() - 1;
}

RaceDetector::Token RaceDetector::perform(const MemoryEvent &event, Token before, Touched touched) {
  Past past = acquire(event, tokens[before], touched);
  Clock earlier = past.clock;
  Epoch epoch = advance(past);
  // A failed compare-and-swap reads some elements and modifies others: one event in time, two for what they conflict
  // with.
  for (auto [use, addresses] : {std::pair(Use::Read, &touched.read), std::pair(Use::Write, &touched.written),
                                std::pair(Use::Modify, &touched.modified)}) {
    if (addresses->empty())
      continue;
    events.push_back({event, epoch, use});
    touch(events.size() - 1, earlier, *addresses);
  }
  if (!touched.written.empty() || !touched.modified.empty())
    release(events.back(), past.clock, touched);
  tokens.push_back(std::move(past));
  return tokens.size() - 1;
}

void RaceDetector::forget(ByteRange bytes) {
  memory.update(bytes, [](const void *, uint64_t) { return nullptr; });
  if (!released.empty())
    for (uint64_t address = bytes.begin; address < bytes.end; ++address)
      released.erase(address);
}

RaceDetector::Past RaceDetector::acquire(const MemoryEvent &event, const Past &before, const Touched &touched) const {
  Past past = before;
  if (!acquires(event.order) || released.empty())
    return past;
  for (const auto *addresses : {&touched.read, &touched.modified})
    for (uint64_t address : *addresses) {
      auto releases = released.find(address);
      if (releases == released.end())
        continue;
      for (const Release &release : releases->second)
        if (reach(release.scope, release.block, event.scope, event.block))
          past.clock = past.clock.joined(release.clock);
    }
  return past;
}

// A write replaces the values that an acquire could read before. A read-modify-write passes on the one that it read: an
// acquire of its value synchronizes with the releases before it too.
void RaceDetector::release(const Event &event, const Clock &clock, const Touched &touched) {
  bool isRelease = releases(event.order);
  if (!isRelease && released.empty())
    return;
  for (uint64_t address : touched.written) {
    released.erase(address);
    if (isRelease)
      released[address].push_back({clock, event.scope, event.block});
  }
  if (!isRelease)
    return;
  for (uint64_t address : touched.modified) {
    auto &releases = released[address];
    // The clock includes releases acquired at the same time: chains of such operations stay short.
    if (acquires(event.order))
      erase_if(releases, [&](const Release &r) { return reach(r.scope, r.block, event.scope, event.block); });
    releases.push_back({clock, event.scope, event.block});
  }
}

Epoch RaceDetector::advance(Past &past) {
  if (!past.tail || chainLengths[past.tail->chain] != past.tail->position) {
    past.tail = Epoch{static_cast<uint32_t>(chainLengths.size()), 0};
    chainLengths.push_back(0);
  }
  past.tail->position = ++chainLengths[past.tail->chain];
  past.clock = past.clock.with(*past.tail);
  return *past.tail;
}

void RaceDetector::touch(uint32_t event, const Clock &clock, SmallVectorImpl<uint64_t> &addresses) {
  const Event &current = events[event];
  uint64_t overlapping = 0;
  SmallVector<ByteRange> ranges = coalesce(addresses, current.elementBytes, &overlapping);
  if (overlapping && current.use != Use::Read && !isStrong(current))
    report(RaceKind::SameStore, current, current, overlapping);
  SmallDenseMap<const void *, const void *> known;
  memory.update(ranges, [&](const void *history, uint64_t address) {
    auto [place, isNew] = known.try_emplace(history, nullptr);
    if (isNew)
      place->second = after(static_cast<const History *>(history), event, clock, address);
    return place->second;
  });
}

// Checks an access against a history and returns the new history.
const RaceDetector::History *RaceDetector::after(const History *history, uint32_t event, const Clock &clock,
                                                 uint64_t address) {
  const Event &current = events[event];
  History next = history ? *history : History();
  bool strong = isStrong(current), writes = current.use != Use::Read;
  bool raced = checkAll(next.weakWrites, event, clock, address);
  checkAll(next.strongWrites, event, clock, address);
  if (writes) {
    raced |= checkAll(next.weakReads, event, clock, address);
    checkAll(next.strongReads, event, clock, address);
  }
  if (writes && !strong) {
    // An access that races with an earlier access races with this one, or is ordered after both.
    next = History();
    next.weakWrites = push(nullptr, event, clock);
  } else {
    if (raced) // one report is enough
      next.weakWrites = next.weakReads = nullptr;
    const Link *&list = writes ? next.strongWrites : strong ? next.strongReads : next.weakReads;
    list = push(list, event, clock);
  }
  return new (allocator) History(next);
}

std::optional<RaceKind> RaceDetector::conflict(const Event &earlier, const Event &later, const Clock &clock) const {
  if (clock.includes(earlier.epoch))
    return std::nullopt;
  bool oneEvent = earlier.epoch.chain == later.epoch.chain && earlier.epoch.position == later.epoch.position;
  if (oneEvent)
    return std::nullopt;
  bool sameBlock = earlier.block == later.block;
  if (!isStrong(earlier) || !isStrong(later))
    return sameBlock ? RaceKind::Unordered : RaceKind::Blocks;
  if (!reach(earlier.scope, earlier.block, later.scope, later.block))
    return RaceKind::Scope;
  if (earlier.elementBytes != later.elementBytes)
    return RaceKind::MixedSizes;
  return std::nullopt;
}

// Whether anything of the list races.
bool RaceDetector::checkAll(const Link *list, uint32_t event, const Clock &clock, uint64_t address) {
  const Event &current = events[event];
  bool raced = false;
  for (; list; list = list->next) {
    const Event &earlier = events[list->event];
    // Atomic accesses of many blocks to one element: all that is left to see is compatible.
    if (isStrong(earlier) && isStrong(current) && list->elementBytes == current.elementBytes &&
        list->scope >= Scope::Device && current.scope >= Scope::Device)
      return raced;
    if (std::optional<RaceKind> kind = conflict(earlier, current, clock)) {
      report(*kind, earlier, current, address);
      raced = true;
    }
  }
  return raced;
}

// Adds to a list whose members are all weak or all strong. Earlier accesses of the block with the same scope, ordered
// by a token, need not be recorded: an access that races with one of them races with the new one.
const RaceDetector::Link *RaceDetector::push(const Link *list, uint32_t event, const Clock &clock) {
  const Event &current = events[event];
  while (list) {
    const Event &last = events[list->event];
    if (last.block != current.block || last.scope != current.scope || last.elementBytes != current.elementBytes ||
        !clock.includes(last.epoch))
      break;
    list = list->next;
  }
  auto *link = new (allocator) Link{event, list, current.scope, current.elementBytes};
  if (list) {
    link->scope = std::min(link->scope, list->scope);
    if (list->elementBytes != link->elementBytes)
      link->elementBytes = 0;
  }
  return link;
}

void RaceDetector::report(RaceKind kind, const Event &first, const Event &second, uint64_t address) {
  auto &known = foundAt[uint64_t(first.place) << 32 | second.place];
  for (uint32_t index : known)
    if (found[index].kind == kind) {
      ++found[index].count;
      return;
    }
  known.push_back(found.size());
  found.push_back({kind, first, second, first.use != Use::Read, second.use != Use::Read, address, 1});
}

} // namespace tilewright::interpreter
