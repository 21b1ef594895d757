// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PYTHON_NATIVE_BOUNDARY_H
#define TILEWRIGHT_PYTHON_NATIVE_BOUNDARY_H

#include <nanobind/nanobind.h>

namespace tilewright::python {

// Of the error that Python has set: leaves the frames of the package out of its traceback.
void leaveOutOurFrames();

void bindBoundary(nanobind::module_ &m);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_BOUNDARY_H
