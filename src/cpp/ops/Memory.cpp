// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of pointers.
#include "cpp/evaluate/Hints.h"
#include "cpp/ops/Operations.h"

using namespace mlir;

namespace tilewright::cpp {

namespace {

// Offsets of tiles have 64 bits, those of scalars what they have.
Value offset(OperationCall &call) {
  Value offset = call.operands[1];
  cuda_tile::TileType type = tileTypeOf(offset);
  bool isWide = type.getElementType().getIntOrFloatBitWidth() == 64;
  if (!isWide && !type.getShape().empty())
    offset = call.emitter.convertElements(offset, call.element(1), call.evaluator.ast.LongTy);
  return call.emitter.create("offset", {call.operands[0], offset}, call.resultType());
}

AccessMode modeOf(OperationCall &call) {
  AccessMode mode;
  mode.hints = hintsOfPointers(call.emitter.hints);
  return mode;
}

Value load(OperationCall &call) {
  return call.emitter.load(call.operands[0], call.pointee(), call.operand(1), call.operand(2), modeOf(call));
}

Value store(OperationCall &call) {
  call.emitter.store(call.operands[0], call.operands[1], call.pointee(), call.operand(2), modeOf(call));
  return nullptr;
}

const OperationRow rows[] = {
    {"offset", offset},
    {"load", load},
    {"store", store},
};

} // namespace

ArrayRef<OperationRow> memoryOperations() {
  return rows;
}

} // namespace tilewright::cpp
