// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function per operation of cuda_tile: it reads operands from the frame and sets results. Families of operations
// register theirs; ops/ has a file for each family.
#ifndef TILEWRIGHT_INTERPRETER_HANDLERS_H
#define TILEWRIGHT_INTERPRETER_HANDLERS_H

#include "interpreter/Context.h"

namespace tilewright::interpreter {

using Handler = llvm::Error (*)(mlir::Operation *, Context &);

class HandlerTable {
public:
  // add<handleIota>(), where handleIota is an llvm::Error (cuda_tile::IotaOp, Context &).
  template <auto handle> void add() { addTyped<handle>(handle); }

  // Null if there is none.
  Handler find(mlir::OperationName name) const { return handlers.lookup(name.getTypeID()); }

private:
  template <auto handle, typename Op> void addTyped(llvm::Error (*)(Op, Context &)) {
    handlers[mlir::TypeID::get<Op>()] = [](mlir::Operation *op, Context &context) {
      return handle(llvm::cast<Op>(op), context);
    };
  }

  llvm::DenseMap<mlir::TypeID, Handler> handlers;
};

// All families.
const HandlerTable &handlers();

void registerControlOps(HandlerTable &table);
void registerConstantOps(HandlerTable &table);
void registerShapeOps(HandlerTable &table);
void registerGridOps(HandlerTable &table);
void registerViewOps(HandlerTable &table);
void registerViewAccessOps(HandlerTable &table);
void registerPointerOps(HandlerTable &table);
void registerAtomicOps(HandlerTable &table);
void registerReduceOps(HandlerTable &table);
void registerTokenOps(HandlerTable &table);
void registerDebugOps(HandlerTable &table);
void registerAssumeOps(HandlerTable &table);
void registerIntegerOps(HandlerTable &table);
void registerFloatOps(HandlerTable &table);
void registerMathOps(HandlerTable &table);
void registerConvertOps(HandlerTable &table);
void registerMmaOps(HandlerTable &table);

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_HANDLERS_H
