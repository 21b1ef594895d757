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
    registerViewOps(table);
    registerViewAccessOps(table);
    registerPointerOps(table);
    registerAtomicOps(table);
    registerReduceOps(table);
    registerTokenOps(table);
    registerDebugOps(table);
    registerAssumeOps(table);
    registerIntegerOps(table);
    registerFloatOps(table);
    registerMathOps(table);
    registerConvertOps(table);
    registerMmaOps(table);
    return table;
  }();
  return table;
}

} // namespace tilewright::interpreter
