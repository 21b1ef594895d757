// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/DialectAttributes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright;

bool tileaa::isFunction(Operation *op) {
  return isa<FunctionOpInterface>(op);
}

LogicalResult tileaa::verifyDialectAttribute(Operation *op, NamedAttribute attribute,
                                             ArrayRef<DialectAttribute> known) {
  StringRef name = attribute.getName().getValue();
  auto found = llvm::find_if(known, [&](const DialectAttribute &each) { return each.name == name; });
  if (found == known.end()) {
    InFlightDiagnostic error = op->emitError();
    error << "'" << name << "' is no attribute of " << name.split('.').first << ", expected one of ";
    llvm::interleaveComma(known, error, [&](const DialectAttribute &each) { error << each.name; });
    return error;
  }
  if (!found->mayHave(op))
    return op->emitError() << "'" << name << "' is at '" << op->getName() << "', expected " << found->owner;
  if (!found->isLegal(attribute.getValue()))
    return op->emitError() << "'" << name << "' is " << attribute.getValue() << ", expected " << found->kind;
  return success();
}

LogicalResult tileaa::refuseOfParameter(Operation *function, unsigned parameter, NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  return function->emitError() << "parameter " << parameter << " has '" << name << "', expected no attribute of "
                               << name.split('.').first << " there";
}
