// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/LoopSchedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright::tileas;
using llvm::StringRef;
using llvm::Twine;

LoopSchedule::LoopSchedule(llvm::SmallVector<Entry> all, unsigned ops)
    : entries(std::move(all)), places(ops), count(1) {
  for (auto [place, entry] : llvm::enumerate(entries)) {
    places[entry.op] = place;
    count = std::max(count, entry.stage + 1);
  }
}

llvm::hash_code tilewright::tileas::hash_value(const ScheduleEntry &entry) {
  return llvm::hash_combine(entry.op, entry.stage);
}

static llvm::Error errorIn(const Twine &text, const Twine &message) {
  return llvm::createStringError("schedule '" + text + "': " + message);
}

llvm::Expected<llvm::SmallVector<ScheduleEntry>> tilewright::tileas::parseSchedule(StringRef text) {
  constexpr unsigned mostOps = 1 << 16; // of a loop
  llvm::SmallVector<ScheduleEntry> entries;
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (StringRef word : words) {
    StringRef rest = word;
    unsigned first, last, stage = 0;
    bool isWord = !rest.consumeInteger(10, first);
    last = first;
    if (isWord && rest.consume_front("-"))
      isWord = !rest.consumeInteger(10, last);
    if (isWord && rest.consume_front("@"))
      isWord = !rest.consumeInteger(10, stage);
    if (!isWord || !rest.empty() || last < first)
      return errorIn(text, "found '" + word + "', expected numbers of operations as in 3, 3-5 or 3-5@1");
    if (last >= mostOps)
      return errorIn(text, "operation " + Twine(last) + ", expected less than " + Twine(mostOps));
    if (entries.size() + (last - first) >= mostOps)
      return errorIn(text, "more than " + Twine(mostOps) + " operations, expected each of a loop once");
    for (unsigned op = first; op <= last; ++op)
      entries.push_back({op, stage});
  }
  return entries;
}

llvm::Expected<LoopSchedule> LoopSchedule::of(llvm::ArrayRef<Entry> entries, unsigned ops) {
  auto error = [&](const Twine &message) { return errorIn(scheduleText(entries), message); };
  llvm::SmallVector<bool> named(ops);
  for (const Entry &entry : entries) {
    if (entry.op >= ops)
      return error("there is no operation " + Twine(entry.op) + ", the loop has " + Twine(ops) + ", from 0");
    if (entry.stage >= mostStages)
      return error("stage " + Twine(entry.stage) + ", expected less than " + Twine(mostStages));
    if (named[entry.op])
      return error("operation " + Twine(entry.op) + " is named twice");
    named[entry.op] = true;
  }
  for (auto [op, isNamed] : llvm::enumerate(named))
    if (!isNamed)
      return error("operation " + Twine(op) + " of the loop's " + Twine(ops) + " is not named");
  if (llvm::all_of(entries, [](const Entry &entry) { return entry.stage != 0; }))
    return error("no operation has stage 0");
  return LoopSchedule(llvm::SmallVector<Entry>(entries), ops);
}

llvm::Expected<LoopSchedule> LoopSchedule::parse(StringRef text, unsigned ops) {
  auto entries = parseSchedule(text);
  if (!entries)
    return entries.takeError();
  return of(*entries, ops);
}

std::string tilewright::tileas::scheduleText(llvm::ArrayRef<ScheduleEntry> entries) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (size_t first = 0, next; first != entries.size(); first = next) {
    const ScheduleEntry &start = entries[first];
    for (next = first + 1; next != entries.size(); ++next)
      if (entries[next].stage != start.stage || entries[next].op != entries[next - 1].op + 1)
        break;
    os << (first ? " " : "") << start.op;
    if (next - first > 1)
      os << "-" << entries[next - 1].op;
    if (start.stage)
      os << "@" << start.stage;
  }
  return text;
}

const Dependence *LoopSchedule::findBroken(llvm::ArrayRef<Dependence> dependences) const {
  auto found = llvm::find_if(dependences, [&](const Dependence &one) {
    int64_t steps = int64_t(stageOf(one.to)) + one.distance - stageOf(one.from);
    return steps < 0 || (steps == 0 && placeOf(one.from) >= placeOf(one.to));
  });
  return found == dependences.end() ? nullptr : found;
}
