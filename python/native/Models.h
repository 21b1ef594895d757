// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_PYTHON_NATIVE_MODELS_H
#define TILEWRIGHT_PYTHON_NATIVE_MODELS_H

#include "pipeline/explain/PredictLaunch.h"

#include <map>
#include <nanobind/nanobind.h>

namespace tilewright::python {

/// A kernel for a GPU whose times can be predicted.
struct ModelHandle {
  KernelModel model;
  const nvidia::Architecture *architecture;
};

/// The product of that name, or the one that stands for the architecture, with these constants of the model replaced.
predict::Gpu gpuOf(const nvidia::Architecture &architecture, const std::string &product,
                   const std::map<std::string, double> &constants);

void bindModels(nanobind::module_ &m);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_MODELS_H
