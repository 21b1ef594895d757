// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/ops/Operations.h"

using namespace mlir;

namespace tilewright::cpp {

namespace {

Value assume(OperationCall &call, Attribute predicate) {
  return call.emitter.create("assume", call.operands, call.resultType(), call.emitter.named("predicate", predicate));
}

Value divisible(OperationCall &call) {
  std::optional<int64_t> every, along;
  if (call.numbers.size() == 3) {
    every = call.numbers[1];
    along = call.numbers[2];
  }
  return assume(call, cuda_tile::DivByAttr::get(call.emitter.builder.getContext(), call.numbers[0], every, along));
}

Value bounded(OperationCall &call) {
  auto bound = [&](unsigned i) { return call.numbers[i] ? std::optional<int64_t>(call.numbers[i + 1]) : std::nullopt; };
  return assume(call, cuda_tile::BoundedAttr::get(call.emitter.builder.getContext(), bound(0), bound(2)));
}

Value blocked(OperationCall &call) {
  return assume(call, cuda_tile::SameElementsAttr::get(call.emitter.builder.getContext(),
                                                       call.emitter.builder.getDenseI64ArrayAttr(call.numbers)));
}

const OperationRow rows[] = {
    {"assume_divisible", divisible},
    {"assume_bounded", bounded},
    {"assume_blocked", blocked},
};

} // namespace

ArrayRef<OperationRow> assumeOperations() {
  return rows;
}

} // namespace tilewright::cpp
