// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bindings.h"

NB_MODULE(_native, m) {
  m.doc() = "Native half of tilewright; private.";
  tilewright::python::bindBuilder(m);
  tilewright::python::bindRuntime(m);
}
