// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options/Option.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tilewright {

Value Option::initialValue() const {
  if (!initial.empty())
    return cantFail(readValue(values, initial));
  return values.isList() ? Value(std::vector<std::string>()) : Value();
}

const Option *findOption(StringRef name, unsigned visibility) {
  auto found = find_if(allOptions(), [&](const Option &option) {
    return !option.name.empty() && option.name == name && option.isVisibleTo(visibility);
  });
  return found == allOptions().end() ? nullptr : found;
}

Expected<const Option *> findOptionOrError(StringRef name, unsigned visibility) {
  if (const Option *found = findOption(name, visibility))
    return found;
  SmallVector<StringRef> known;
  for (const Option &option : allOptions())
    if (option.isVisibleTo(visibility) && !option.isHidden)
      known.push_back(option.name);
  StringRef nearest = nearestOf(name, known);
  return createStringError("there is no option '" + name + "', expected one of " + join(known, ", ") +
                           (nearest.empty() ? Twine() : ", as in '" + nearest + "'"));
}

const Option &rowOfVariable(StringRef variable) {
  auto found = find_if(allOptions(), [&](const Option &option) { return option.variable == variable; });
  assert(found != allOptions().end() && "the variable is in the table of options");
  return *found;
}

} // namespace tilewright
