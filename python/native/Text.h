// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text between Python and C++: UTF-8 in which an invalid byte represents itself, as in Python's names of files (the
// error handler `surrogateescape`). It replaces nanobind/stl/string.h, which refuses such names.
#ifndef TILEWRIGHT_PYTHON_NATIVE_TEXT_H
#define TILEWRIGHT_PYTHON_NATIVE_TEXT_H

#include <nanobind/nanobind.h>
#include <string>

NAMESPACE_BEGIN(NB_NAMESPACE)
NAMESPACE_BEGIN(detail)

template <> struct type_caster<std::string> {
  NB_TYPE_CASTER(std::string, const_name("str"))

  bool from_python(handle text, uint32_t, cleanup_list *) noexcept {
    if (!PyUnicode_Check(text.ptr()))
      return false;
    Py_ssize_t size;
    if (const char *utf8 = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) { // nearly always
      value.assign(utf8, static_cast<size_t>(size));
      return true;
    }
    PyErr_Clear();
    PyObject *escaped = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape");
    if (!escaped)
      return PyErr_Clear(), false;
    value.assign(PyBytes_AsString(escaped), static_cast<size_t>(PyBytes_Size(escaped)));
    Py_DECREF(escaped);
    return true;
  }

  static handle from_cpp(const std::string &value, rv_policy, cleanup_list *) noexcept {
    return PyUnicode_DecodeUTF8(value.data(), static_cast<Py_ssize_t>(value.size()), "surrogateescape");
  }
};

NAMESPACE_END(detail)
NAMESPACE_END(NB_NAMESPACE)

namespace tilewright::python {

/// Raises a Python exception; a message may name a file.
[[noreturn]] inline void raise(PyObject *type, const std::string &message) {
  PyErr_SetObject(type, nanobind::cast(message).ptr());
  throw nanobind::python_error();
}

} // namespace tilewright::python

#endif
