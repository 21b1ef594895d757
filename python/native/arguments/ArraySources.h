// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sources of arrays: for each Python type, the way to read its instances without a copy, which is determined once
// per type.
#ifndef TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARRAYSOURCES_H
#define TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARRAYSOURCES_H

#include "Arguments.h"

namespace tilewright::python {

// The reason why an array cannot be read: a Python exception type and the end of the sentence "argument 'x' ...".
// Without a kind there is no problem.
struct ArrayProblem {
  PyObject *kind = nullptr;
  std::string text;
};

struct ArraySource {
  // May replace itself by a function for this type.
  using Read = ArrayProblem (*)(ArraySource &, PyObject *, ArrayValue &,
                                llvm::SmallVectorImpl<nanobind::object> &keepAlive);
  Read read = nullptr;      // null if instances are no arrays
  void *exchange = nullptr; // DLPack's functions for extensions
  // PyTorch's tensors may be views that negate or conjugate the elements in memory.
  bool mayNegate = false;
  // The current stream of the framework; null for the default one.
  void *currentStream(int device) const;
  PyTypeObject *type = nullptr;
};

// A problem if the array's elements differ from those in its memory.
ArrayProblem checkLazyBits(PyObject *value, const ArrayValue &array);

// The GPU that memory is on. Where there is no driver nothing is on a GPU, which the launch will say.
int deviceOf(const void *address);

// Of a type; valid until the next call.
ArraySource &findArraySource(PyTypeObject *type);
// Of an object with attributes that its type does not have; or null.
ArraySource *findInstanceSource(PyObject *value);
// Of a type with DLPack's methods.
ArraySource dlpackSource(nanobind::handle type);
// The answers of a framework's functions, if it has them.
bool currentStreamOfExchange(const void *exchange, int device, void **stream);
// Through __cuda_array_interface__.
ArrayProblem readCudaInterface(ArraySource &source, PyObject *value, ArrayValue &array,
                               llvm::SmallVectorImpl<nanobind::object> &keepAlive);

ArrayProblem unsupportedDType(const std::string &found);
ArrayProblem tooManyAxes(int64_t rank);

bool isNumpyScalar(PyObject *value);
nanobind::object numpyArrayOf(PyObject *value);
bool isEnum(PyObject *value);
// Strings, enums, None, dtypes: compile-time values without being annotated so.
bool isImplicitConstant(PyObject *value);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARRAYSOURCES_H
