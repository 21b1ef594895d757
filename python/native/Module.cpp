// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Bindings.h"
#include "Boundary.h"
#include "xla/Program.h"

NB_MODULE(_native, m) {
  m.doc() = "Native half of tilewright; private.";
  // Kernels are globals of their modules, so launchers live until the process ends.
  nanobind::set_leak_warnings(false);
  auto module = tilewright::python::bindBuilder(m);
  tilewright::python::bindTileIr(m, module);
  tilewright::python::bindBoundary(m);
  tilewright::python::bindRuntime(m);
  tilewright::python::bindMachines(m);
  tilewright::python::bindGpuLaunch(m);
  tilewright::python::xla::bindXla(m);
}
