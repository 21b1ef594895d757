// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/shape/WarpShuffle.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

static Value shuffle(Value value, Value operand, NVVM::ShflKind kind, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Type type = value.getType(), i32 = b.getI32Type();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto move = [&](Value word) -> Value {
    return NVVM::ShflOp::create(b, loc, i32, thread.i32(-1), word, operand, thread.i32(31), kind, UnitAttr());
  };
  Type integer = b.getIntegerType(bits);
  Value number = type.isIndex()         ? arith::IndexCastOp::create(b, loc, integer, value).getResult()
                 : isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, integer, value).getResult()
                                        : value;
  if (bits < 32) {
    number = arith::TruncIOp::create(b, loc, integer, move(arith::ExtUIOp::create(b, loc, i32, number)));
  } else if (bits == 32) {
    number = move(number);
  } else {
    Value low = move(arith::TruncIOp::create(b, loc, i32, number));
    Value half = arith::ShRUIOp::create(b, loc, number, thread.i64(32));
    Value high = move(arith::TruncIOp::create(b, loc, i32, half));
    high = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, integer, high), thread.i64(32));
    number = arith::OrIOp::create(b, loc, high, arith::ExtUIOp::create(b, loc, integer, low));
  }
  if (type.isIndex())
    return arith::IndexCastOp::create(b, loc, type, number);
  return isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, type, number).getResult() : number;
}

Value tilewright::shuffleIndex(Value value, Value source, ThreadBuilder &thread) {
  return shuffle(value, source, NVVM::ShflKind::idx, thread);
}
Value tilewright::shuffleXor(Value value, unsigned mask, ThreadBuilder &thread) {
  return shuffle(value, thread.i32(mask), NVVM::ShflKind::bfly, thread);
}
