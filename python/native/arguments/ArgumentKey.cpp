// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArgumentKey.h"

#include "llvm/ADT/bit.h"

namespace nb = nanobind;

namespace tilewright::python {

// An object that can be a dict key under which 1, 1.0 and True differ, also inside tuples.
static nb::object typedKey(nb::handle value) {
  if (!PyTuple_Check(value.ptr()))
    return nb::make_tuple(value.type(), value);
  nb::list parts;
  for (nb::handle item : value)
    parts.append(typedKey(item));
  return nb::make_tuple(value.type(), nb::tuple(parts));
}

uint64_t numberOf(nb::handle value) {
  static nb::dict &numbers = *new nb::dict();
  nb::object key = typedKey(value);
  if (!numbers.contains(key)) // raises if unhashable
    numbers[key] = nb::int_(nb::len(numbers));
  return nb::cast<uint64_t>(numbers[key]);
}

void appendConstant(llvm::SmallVectorImpl<uint64_t> &key, PyObject *value) {
  int overflow = 1;
  long long number = PyLong_CheckExact(value) ? PyLong_AsLongLongAndOverflow(value, &overflow) : 0;
  if (PyBool_Check(value))
    key.push_back(TagBool | uint64_t(value == Py_True) << 4);
  else if (value == Py_None)
    key.push_back(TagNone);
  else if (PyFloat_CheckExact(value))
    key.append({TagFloat, llvm::bit_cast<uint64_t>(PyFloat_AsDouble(value))});
  else if (!overflow)
    key.append({TagInteger, static_cast<uint64_t>(number)});
  else
    key.append({TagObject, numberOf(value)});
}

} // namespace tilewright::python
