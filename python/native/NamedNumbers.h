// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PYTHON_NATIVE_NAMEDNUMBERS_H
#define TILEWRIGHT_PYTHON_NATIVE_NAMEDNUMBERS_H

#include "Text.h"

#include "llvm/ADT/STLExtras.h"
#include <map>
#include <string>

namespace tilewright::python {

/// The numbers of a record with fields (predict/NamedNumber.h) by their names.
using NamedNumbers = std::map<std::string, double>;

template <typename Record> NamedNumbers numbersOf(const Record &record) {
  NamedNumbers numbers;
  for (const auto &field : Record::fields())
    numbers[field.name.str()] = record.*field.member;
  return numbers;
}

/// A ValueError for a name that is none: `missing`, and the name.
template <typename Record> void setNumbers(Record &record, const NamedNumbers &numbers, const char *missing) {
  for (const auto &[name, number] : numbers) {
    auto fields = Record::fields();
    auto field = llvm::find_if(fields, [&, &name = name](const auto &each) { return each.name == name; });
    if (field == fields.end())
      raise(PyExc_ValueError, missing + (" '" + name + "'"));
    record.*field->member = number;
  }
}

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_NAMEDNUMBERS_H
