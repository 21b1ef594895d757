// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation that is erased while others use its results leaves them with pointers to freed memory. MLIR asserts
// against that, and distributions build it without assertions. So the library's own calls of mlir::Operation::erase
// come here first (the linker's --wrap), and such a pass ends with its name and the operation's instead of a corrupted
// heap.
#include "mlir/IR/Operation.h"
#include "llvm/Support/ErrorHandling.h"

void eraseUnchecked(mlir::Operation *op) asm("__real__ZN4mlir9Operation5eraseEv");
void eraseChecked(mlir::Operation *op) asm("__wrap__ZN4mlir9Operation5eraseEv");

void eraseChecked(mlir::Operation *op) {
  if (!op->use_empty())
    llvm::report_fatal_error("internal error: '" + op->getName().getStringRef() + "' is erased and '" +
                             (*op->user_begin())->getName().getStringRef() + "' still uses it");
  eraseUnchecked(op);
}
