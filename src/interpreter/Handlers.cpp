// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Handlers.h"

namespace tilewright::interpreter {

const HandlerTable &handlers() {
  static const HandlerTable table = [] {
    HandlerTable table;
    registerControlOps(table);
    registerConstantOps(table);
    registerShapeOps(table);
    registerGridOps(table);
    registerIntegerOps(table);
    return table;
  }();
  return table;
}

} // namespace tilewright::interpreter
