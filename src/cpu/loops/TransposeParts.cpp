// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/loops/TransposeParts.h"

using namespace mlir;

// Neighbours are joined until one vector is left; their number is a power of two.
static Value join(OpBuilder &builder, Location loc, SmallVector<Value> parts) {
  for (; parts.size() > 1; parts.truncate(parts.size() / 2)) {
    int64_t size = 2 * cast<VectorType>(parts[0].getType()).getNumElements();
    for (size_t i = 0; i < parts.size() / 2; ++i)
      parts[i] = vector::ShuffleOp::create(builder, loc, parts[2 * i], parts[2 * i + 1],
                                           llvm::to_vector(llvm::seq<int64_t>(0, size)));
  }
  return parts[0];
}

SmallVector<Value> tilewright::cpu::transposeParts(OpBuilder &builder, Location loc, ValueRange lines) {
  int64_t n = cast<VectorType>(lines[0].getType()).getNumElements(), lanes = lines.size();
  auto interleave = [&](Value left, Value right, int64_t from) -> Value {
    SmallVector<int64_t> mask;
    for (int64_t base = 0; base < lanes; base += n)
      for (int64_t i = from; i < from + n / 2; ++i)
        mask.append({base + i, lanes + base + i});
    return vector::ShuffleOp::create(builder, loc, left, right, mask);
  };
  SmallVector<Value> registers;
  for (int64_t r = 0; r < n; ++r) {
    SmallVector<Value> parts;
    for (int64_t line = r; line < lanes; line += n)
      parts.push_back(lines[line]);
    registers.push_back(join(builder, loc, parts));
  }
  for (int64_t stage = 1; stage < n; stage *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < n / 2; ++i)
      for (int64_t from : {int64_t(0), n / 2})
        next.push_back(interleave(registers[i], registers[i + n / 2], from));
    registers = next;
  }
  return registers;
}
