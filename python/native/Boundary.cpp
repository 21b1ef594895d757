// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of the package as programs call them. An error leaves them without frames of the package, also without that
// of the function itself: Python adds a frame when an error leaves it, and calls from here have none.
#include "Boundary.h"

namespace nb = nanobind;

namespace tilewright::python {

void leaveOutOurFrames() {
  nb::python_error error;
  nb::object value = nb::borrow(error.value());
  try {
    nb::module_::import_("tilewright._runtime.tracebacks").attr("trim")(value);
  } catch (nb::python_error &) {
    // As where Ctrl-C comes in between: then it is shown as it is.
  }
  PyErr_SetObject(value.type().ptr(), value.ptr());
}

namespace {

struct Boundary {
  nb::object function;
};

// The slot takes the arguments as Python has them, which costs a fiftieth of a microsecond.
PyObject *call(PyObject *self, PyObject *arguments, PyObject *keywords) {
  PyObject *result = PyObject_Call(nb::inst_ptr<Boundary>(self)->function.ptr(), arguments, keywords);
  if (!result)
    leaveOutOurFrames();
  return result;
}

PyObject *methodType; // PyMethod_New is not of the stable ABI

PyObject *bindToInstance(PyObject *self, PyObject *instance, PyObject *) {
  return instance ? PyObject_CallFunctionObjArgs(methodType, self, instance, nullptr) : Py_NewRef(self);
}

PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void *>(&call)},
                       {Py_tp_descr_get, reinterpret_cast<void *>(&bindToInstance)},
                       {0, nullptr}};

} // namespace

void bindBoundary(nb::module_ &m) {
  methodType = nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr();
  nb::class_<Boundary>(m, "Boundary", nb::type_slots(slots), nb::dynamic_attr())
      .def(
          "__init__", [](Boundary *self, nb::object function) { new (self) Boundary{std::move(function)}; },
          nb::arg("function"))
      .def("__reduce__", [](nb::handle self) { return self.attr("__qualname__"); }); // pickled by name
}

} // namespace tilewright::python
