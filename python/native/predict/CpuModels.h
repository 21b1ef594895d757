// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PYTHON_NATIVE_CPUMODELS_H
#define TILEWRIGHT_PYTHON_NATIVE_CPUMODELS_H

#include "pipeline/explain/Explanation.h"

#include <nanobind/nanobind.h>

namespace tilewright::python {

/// Models of kernels that are compiled for a CPU, which explanations have.
void bindCpuModels(nanobind::module_ &m, nanobind::class_<Explanation> &explanation);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_CPUMODELS_H
