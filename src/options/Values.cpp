// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options/Values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tilewright {
namespace {

std::optional<bool> readFlag(StringRef text) {
  return StringSwitch<std::optional<bool>>(text.lower())
      .Cases({"0", "off", "no", "false"}, false)
      .Cases({"1", "on", "yes", "true"}, true)
      .Default(std::nullopt);
}

std::optional<int64_t> readWhole(const Values &values, StringRef text) {
  int64_t number;
  if (text.trim().getAsInteger(10, number) || static_cast<double>(number) < values.least ||
      static_cast<double>(number) > values.most)
    return std::nullopt;
  return number;
}

std::optional<double> readNumber(const Values &values, StringRef text) {
  double number;
  // A comparison with NaN is false.
  if (!to_float(text.trim(), number) || !(number >= values.least && number <= values.most) ||
      (values.isLeastLeftOut && number == values.least))
    return std::nullopt;
  return number;
}

std::optional<std::string> readVersion(StringRef text) {
  auto [major, minor] = text.split('.');
  unsigned first, second;
  if (major.getAsInteger(10, first) || minor.getAsInteger(10, second))
    return std::nullopt;
  return utostr(first) + "." + utostr(second);
}

// The first word that is not known, and else all.
Expected<std::vector<std::string>> readWords(ArrayRef<StringRef> known, StringRef text) {
  std::vector<std::string> found;
  for (StringRef word : split(text, ',')) {
    word = word.trim();
    if (word.empty())
      continue;
    found.push_back(known.empty() ? word.str() : word.upper());
    if (!known.empty() && !is_contained(known, found.back()))
      return createStringError(word);
  }
  return found;
}

template <typename T> Value valueOf(std::optional<T> read) {
  return read ? Value(std::move(*read)) : Value();
}

// Nothing for text that is no value; `wrong` is then the part of it that is none.
Value read(const Values &values, StringRef text, std::string &wrong) {
  using Kind = Values::Kind;
  switch (values.kind) {
  case Kind::Flag:
    return valueOf(readFlag(text));
  case Kind::Switch:
    return text != "0";
  case Kind::Whole:
    return valueOf(readWhole(values, text));
  case Kind::Number:
    return valueOf(readNumber(values, text));
  case Kind::Text:
    return text.str();
  case Kind::TextOrOff:
    return is_contained({"", "0", "off", "none"}, StringRef(text.trim().lower())) ? std::string() : text.str();
  case Kind::Version:
    return valueOf(readVersion(text));
  case Kind::Choice:
    return is_contained(values.choices(), text) ? Value(text.str()) : Value();
  case Kind::Words: {
    auto found = readWords(values.choices(), text);
    if (found)
      return std::move(*found);
    wrong = toString(found.takeError());
    return {};
  }
  case Kind::Paths: {
    std::vector<std::string> paths;
    for (StringRef path : split(text, ':'))
      if (!path.empty())
        paths.push_back(path.str());
    return paths;
  }
  case Kind::Repeated:
    return std::vector<std::string>{text.str()};
  }
  llvm_unreachable("all kinds are listed");
}

} // namespace

SmallVector<StringRef> Values::choices() const {
  SmallVector<StringRef> list;
  words.split(list, '|', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return list;
}

StringRef nearestOf(StringRef found, ArrayRef<StringRef> known) {
  StringRef nearest;
  unsigned least = found.size() / 3 + 1; // as many edits as this are another word
  for (StringRef candidate : known) {
    unsigned distance = found.edit_distance(candidate, /*AllowReplacements=*/true, least);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

Expected<Value> readValue(const Values &values, StringRef text) {
  std::string wrong = text.str();
  Value value = read(values, text, wrong);
  if (!std::holds_alternative<std::monostate>(value))
    return value;
  StringRef nearest = nearestOf(wrong, values.choices());
  return createStringError("'" + text + "', expected " + values.expected +
                           (nearest.empty() ? Twine() : ", as in '" + nearest + "'"));
}

} // namespace tilewright
