// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bindings.h"

namespace tilewright::python {

void bindRuntime(nanobind::module_ &) {}

} // namespace tilewright::python
