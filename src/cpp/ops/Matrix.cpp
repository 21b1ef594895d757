// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/ops/Operations.h"

using namespace mlir;

namespace tilewright::cpp {

namespace {

Value mma(OperationCall &call) {
  if (isa<FloatType>(tileTypeOf(call.operands[0]).getElementType()))
    return call.emitter.create("mmaf", call.operands, call.resultType());
  return call.emitter.create("mmai", call.operands, call.resultType(),
                             {call.emitter.signedness(call.layout.isSigned(call.types[0]), "signedness_lhs"),
                              call.emitter.signedness(call.layout.isSigned(call.types[1]), "signedness_rhs")});
}

Value scaledMma(OperationCall &call) {
  return call.emitter.create("mmaf_scaled", call.operands, call.resultType());
}

const OperationRow rows[] = {{"mma", mma}, {"scaled_mma", scaledMma}};

} // namespace

ArrayRef<OperationRow> matrixOperations() {
  return rows;
}

} // namespace tilewright::cpp
