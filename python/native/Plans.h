// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PYTHON_NATIVE_PLANS_H
#define TILEWRIGHT_PYTHON_NATIVE_PLANS_H

#include <nanobind/nanobind.h>

namespace tilewright::python {

/// Searching and comparing plans of kernels.
void bindPlans(nanobind::module_ &m);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_PLANS_H
