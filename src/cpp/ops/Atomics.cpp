// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic accesses through pointers.
#include "cpp/ops/Operations.h"

using namespace mlir;

namespace tilewright::cpp {

using cuda_tile::AtomicRMWMode;

namespace {

struct Atomic {
  StringRef name;
  AtomicRMWMode ofSigned, ofUnsigned, ofFloats;
};
const Atomic atomics[] = {
    {"atomic_add", AtomicRMWMode::ADD, AtomicRMWMode::ADD, AtomicRMWMode::ADDF},
    {"atomic_sub", AtomicRMWMode::ADD, AtomicRMWMode::ADD, AtomicRMWMode::ADDF}, // of what is negated
    {"atomic_and", AtomicRMWMode::AND, AtomicRMWMode::AND, AtomicRMWMode::AND},
    {"atomic_or", AtomicRMWMode::OR, AtomicRMWMode::OR, AtomicRMWMode::OR},
    {"atomic_xor", AtomicRMWMode::XOR, AtomicRMWMode::XOR, AtomicRMWMode::XOR},
    {"atomic_max", AtomicRMWMode::MAX, AtomicRMWMode::UMAX, AtomicRMWMode::MAX},
    {"atomic_min", AtomicRMWMode::MIN, AtomicRMWMode::UMIN, AtomicRMWMode::MIN},
    {"atomic_xchg", AtomicRMWMode::XCHG, AtomicRMWMode::XCHG, AtomicRMWMode::XCHG},
};

Type tokenType(OperationCall &call) {
  return cuda_tile::TokenType::get(call.emitter.builder.getContext());
}

Value readModifyWrite(OperationCall &call) {
  const Atomic &row = *llvm::find_if(atomics, [&](const Atomic &candidate) { return candidate.name == call.name; });
  bool isSigned = call.layout.isSigned(call.result);
  Value value = call.operands[1];
  if (call.name == "atomic_sub")
    value = buildElementwise(call.emitter, "neg", value, false);
  AtomicRMWMode mode = isa<FloatType>(tileTypeOf(value).getElementType()) ? row.ofFloats
                       : isSigned                                         ? row.ofSigned
                                                                          : row.ofUnsigned;
  // Floats are exchanged as they are; the mode of sums is another one for them.
  if (call.name == "atomic_xchg")
    mode = AtomicRMWMode::XCHG;
  return call.emitter
      .build<cuda_tile::AtomicRMWTkoOp>(call.resultType(), tokenType(call), call.operands[0], value, call.operand(2),
                                        Value(), *call.modifiers.order, *call.modifiers.scope, mode)
      .getResult();
}

Value compareExchange(OperationCall &call) {
  return call.emitter
      .build<cuda_tile::AtomicCASTkoOp>(call.resultType(), tokenType(call), call.operands[0], call.operands[1],
                                        call.operands[2], call.operand(3), Value(), *call.modifiers.order,
                                        *call.modifiers.scope)
      .getResult();
}

AccessMode modeOf(OperationCall &call) {
  auto scope = cuda_tile::MemoryScopeAttr::get(call.emitter.builder.getContext(), *call.modifiers.scope);
  return {*call.modifiers.order, scope, {}};
}

Value atomicLoad(OperationCall &call) {
  return call.emitter.load(call.operands[0], call.pointee(), call.operand(1), call.operand(2), modeOf(call));
}

Value atomicStore(OperationCall &call) {
  call.emitter.store(call.operands[0], call.operands[1], call.pointee(), call.operand(2), modeOf(call));
  return nullptr;
}

} // namespace

ArrayRef<OperationRow> atomicOperations() {
  static const std::vector<OperationRow> rows = [] {
    std::vector<OperationRow> result = {
        {"atomic_compare_exchange", compareExchange}, {"atomic_load", atomicLoad}, {"atomic_store", atomicStore}};
    for (const Atomic &row : atomics)
      result.push_back({row.name, readModifyWrite});
    return result;
  }();
  return rows;
}

} // namespace tilewright::cpp
