// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LaunchGrid.h"

#include "Text.h"

namespace nb = nanobind;

namespace tilewright::python {

static int64_t readExtent(const std::string &kernel, nb::handle value, int axis) {
  constexpr int64_t limits[] = {INT32_MAX, 65535, 65535};
  nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  if (!index.is_valid()) {
    PyErr_Clear();
    raise(PyExc_TypeError,
          kernel + ": grid extent " + nb::cast<std::string>(nb::repr(value)) + ", expected an integer");
  }
  int overflow = 0;
  int64_t extent = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow || extent < 1 || extent > limits[axis])
    raise(PyExc_ValueError, kernel + ": grid extent " + nb::cast<std::string>(nb::str(index)) + " on axis " +
                                std::to_string(axis) + ", expected 1 to " + std::to_string(limits[axis]));
  return extent;
}

Grid readGrid(const std::string &kernel, nb::handle value) {
  Grid grid;
  int64_t *extents[] = {&grid.x, &grid.y, &grid.z};
  bool isTuple = PyTuple_Check(value.ptr());
  if (!isTuple && !PyList_Check(value.ptr())) {
    grid.x = readExtent(kernel, value, 0);
    return grid;
  }
  Py_ssize_t size = isTuple ? NB_TUPLE_GET_SIZE(value.ptr()) : NB_LIST_GET_SIZE(value.ptr());
  if (size < 1 || size > 3)
    raise(PyExc_ValueError, kernel + ": a grid of " + std::to_string(size) + " extents, expected 1 to 3");
  for (Py_ssize_t axis = 0; axis < size; ++axis)
    *extents[axis] =
        readExtent(kernel, isTuple ? NB_TUPLE_GET_ITEM(value.ptr(), axis) : NB_LIST_GET_ITEM(value.ptr(), axis), axis);
  return grid;
}

} // namespace tilewright::python
