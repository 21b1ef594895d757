// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/ScheduleItem.h"
#include "tileas/ir/Tileas.h"

#include "support/PlanFile.h"
#include "llvm/ADT/STLExtras.h"

using namespace tilewright;
using namespace tilewright::tileas;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

std::string PartName::text() const {
  std::string text = (stringifyPart(part) + "." + Twine(number)).str();
  return copy ? text + ":" + std::to_string(copy) : text;
}

std::string ScheduleItem::text() const {
  std::string text = stringifyScheduleVerb(verb).str();
  if (verb != ScheduleVerb::Work)
    text += " " + name.text();
  return age ? text + "(i-" + std::to_string(age) + ")" : text;
}

llvm::hash_code tileas::hash_value(const ScheduleItem &item) {
  return llvm::hash_combine(item.verb, item.name.part, item.name.number, item.name.copy, item.age);
}

//===-- text --------------------------------------------------------------===//

namespace {

llvm::Error errorIn(StringRef item, const Twine &message) {
  return llvm::createStringError("'" + item + "' of a schedule: " + message);
}

llvm::Expected<PartName> parseName(StringRef item, StringRef text) {
  auto [word, numbers] = text.split('.');
  auto [number, copy] = numbers.split(':');
  std::optional<Part> part = symbolizePart(word);
  PartName name{part.value_or(Part::Kernel)};
  bool isNumber = !number.getAsInteger(10, name.number) && (copy.empty() || !copy.getAsInteger(10, name.copy));
  if (part && *part != Part::Kernel && isNumber)
    return name;
  std::vector<std::string> known = {"product", "reduction", "load"};
  return errorIn(item, "found '" + text + "'" + (part ? "" : nearestWord(word, known)) +
                           ", expected a part as in product.0, reduction.0 or load.0");
}

llvm::Expected<ScheduleItem> parseItem(StringRef item) {
  StringRef rest = item;
  ScheduleItem parsed{ScheduleVerb::Work, {Part::Kernel}};
  if (rest.consume_back(")")) {
    auto [before, age] = rest.rsplit("(i-");
    if (age.getAsInteger(10, parsed.age))
      return errorIn(item, "expected an iteration as in (i-1)");
    rest = before;
  }
  auto [word, name] = rest.split(' ');
  std::optional<ScheduleVerb> verb = symbolizeScheduleVerb(word);
  if (!verb) {
    std::vector<std::string> known = {"start", "wait", "do", "work"};
    return errorIn(item, "found '" + word + "'" + nearestWord(word, known) +
                             ", expected start, wait or do with a part, or work");
  }
  parsed.verb = *verb;
  if (*verb == ScheduleVerb::Work)
    return name.empty() ? llvm::Expected<ScheduleItem>(parsed) : errorIn(item, "expected work without a part");
  auto part = parseName(item, name.trim());
  if (!part)
    return part.takeError();
  parsed.name = *part;
  return parsed;
}

} // namespace

llvm::Expected<SmallVector<ScheduleItem>> tileas::parseSchedule(StringRef text) {
  SmallVector<ScheduleItem> items;
  SmallVector<StringRef> words;
  text.split(words, ',');
  for (StringRef word : words) {
    auto item = parseItem(word.trim());
    if (!item)
      return item.takeError();
    items.push_back(*item);
  }
  return items;
}

std::string tileas::scheduleText(ArrayRef<ScheduleItem> items) {
  return llvm::join(llvm::map_range(items, [](const ScheduleItem &item) { return item.text(); }), ", ");
}

//===-- what any schedule keeps -------------------------------------------===//

unsigned tileas::ageOfWork(ArrayRef<ScheduleItem> items) {
  auto work = llvm::find_if(items, [](const ScheduleItem &item) { return item.verb == ScheduleVerb::Work; });
  return work == items.end() ? 0 : work->age;
}

static std::string refusalOfItem(const ScheduleItem &item, ArrayRef<ScheduleItem> before,
                                 ArrayRef<ScheduleItem> items) {
  std::string name = item.name.text();
  auto isSame = [&](const ScheduleItem &other) { return other.verb == item.verb && other.name == item.name; };
  auto has = [&](ArrayRef<ScheduleItem> among, ScheduleVerb verb) {
    return llvm::any_of(among,
                        [&](const ScheduleItem &other) { return other.verb == verb && other.name == item.name; });
  };
  if (item.age >= mostStages)
    return "iteration i-" + std::to_string(item.age) + ", expected i-" + std::to_string(mostStages - 1) +
           " at the earliest";
  if (item.verb == ScheduleVerb::Work)
    return item.age == ageOfWork(items) ? "" : "work is of one iteration, found another before it";
  if (llvm::any_of(before, isSame))
    return "it is named twice";
  bool runs = item.verb == ScheduleVerb::Start || item.verb == ScheduleVerb::Wait;
  if (runs && item.name.part != Part::Product)
    return "only products start and are waited for";
  if (!runs && item.name.part != Part::Product && item.name.part != Part::Reduction && item.name.part != Part::Load)
    return "a step does products, reductions and loads";
  if (item.verb == ScheduleVerb::Start)
    return has(items, ScheduleVerb::Wait) ? "" : "expected 'wait " + name + "' behind it";
  if (item.age != 0)
    return "its iteration is that of its start or of the work, expected none";
  if (item.verb == ScheduleVerb::Wait)
    return has(before, ScheduleVerb::Start) ? "" : "expected 'start " + name + "' before it";
  return "";
}

std::string tileas::refusalOf(ArrayRef<ScheduleItem> items) {
  bool hasFirst = ageOfWork(items) == 0;
  for (auto [place, item] : llvm::enumerate(items)) {
    if (std::string why = refusalOfItem(item, items.take_front(place), items); !why.empty())
      return "'" + item.text() + "': " + why;
    hasFirst |= item.verb == ScheduleVerb::Start && item.age == 0;
  }
  return hasFirst ? "" : "nothing in it is of iteration i, expected work or a start without (i-1)";
}
