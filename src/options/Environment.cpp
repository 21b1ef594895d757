// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "options/Environment.h"

#include <cstdlib>

using namespace llvm;

namespace tilewright {
namespace {

std::optional<StringRef> textOf(const Option &row) {
  const char *text = std::getenv(row.variable.data());
  if (!text || (!*text && !row.values.takesEmpty))
    return std::nullopt;
  return StringRef(text);
}

// The row that has the value: of that variable, or of the one of cuda.tile; null if neither is set.
const Option *rowThatIsSet(StringRef variable) {
  const Option &row = rowOfVariable(variable);
  if (textOf(row))
    return &row;
  if (row.reference.empty())
    return nullptr;
  const Option &reference = rowOfVariable(row.reference);
  return textOf(reference) ? &reference : nullptr;
}

Expected<Value> readRow(const Option &row, StringRef text) {
  auto value = readValue(row.values, text);
  if (!value)
    return createStringError("environment variable " + row.variable + " is " + toString(value.takeError()));
  return value;
}

template <typename T> T valueOf(StringRef variable) {
  auto value = readEnvironment(variable);
  if (!value) {
    consumeError(value.takeError());
    value = rowOfVariable(variable).initialValue();
  }
  const T *held = std::get_if<T>(&*value);
  return held ? *held : T();
}

} // namespace

Error checkEnvironment() {
  for (const Option &row : allOptions())
    if (!row.variable.empty())
      if (auto text = textOf(row))
        if (auto value = readRow(row, *text); !value)
          return value.takeError();
  return Error::success();
}

bool isSetInEnvironment(StringRef variable) {
  return rowThatIsSet(variable);
}

Expected<Value> readEnvironment(StringRef variable) {
  if (const Option *row = rowThatIsSet(variable))
    return readRow(*row, *textOf(*row));
  return rowOfVariable(variable).initialValue();
}

bool environmentFlag(StringRef variable) {
  return valueOf<bool>(variable);
}

int64_t environmentNumber(StringRef variable) {
  return valueOf<int64_t>(variable);
}

std::string environmentText(StringRef variable) {
  return valueOf<std::string>(variable);
}

} // namespace tilewright
