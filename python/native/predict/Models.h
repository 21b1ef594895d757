// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PYTHON_NATIVE_MODELS_H
#define TILEWRIGHT_PYTHON_NATIVE_MODELS_H

#include "pipeline/explain/PredictLaunch.h"

#include <nanobind/nanobind.h>

namespace tilewright::python {

/// A kernel for a GPU whose times can be predicted.
struct ModelHandle {
  KernelModel model;
  const nvidia::Architecture *architecture;
};

void bindModels(nanobind::module_ &m);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_MODELS_H
