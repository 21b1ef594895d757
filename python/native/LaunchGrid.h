// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PYTHON_NATIVE_LAUNCHGRID_H
#define TILEWRIGHT_PYTHON_NATIVE_LAUNCHGRID_H

#include "runtime/Scheduler.h"

#include <nanobind/nanobind.h>

namespace tilewright::python {

/// The grid of a launch: a number, or a tuple or list of one to three. TypeError or ValueError names the kernel.
Grid readGrid(const std::string &kernel, nanobind::handle value);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_LAUNCHGRID_H
