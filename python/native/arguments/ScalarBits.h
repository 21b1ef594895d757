// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of Python as the bits of a value of a dtype.
#ifndef TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_SCALARBITS_H
#define TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_SCALARBITS_H

#include "ArrayValue.h"

#include <nanobind/nanobind.h>

namespace tilewright::python {

// float16, bfloat16, float32 or float64.
bool isFloat(const DTypeInfo &info);

// Signed or unsigned, not bool_.
bool isInteger(const DTypeInfo &info);

// Rounded to nearest even. Raises the exception of the number's __float__.
uint64_t floatBits(const DTypeInfo &info, PyObject *number);

// Of an int or bool, for a dtype of integers or bool_; none if it does not fit.
std::optional<uint64_t> integerBits(const DTypeInfo &info, PyObject *number);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_SCALARBITS_H
