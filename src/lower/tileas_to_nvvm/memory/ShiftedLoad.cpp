// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/ShiftedLoad.h"

#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

static constexpr int64_t vectorBytes = 16, wordBytes = 4, wordBits = 32, wordsOfVector = vectorBytes / wordBytes;

ShiftedLoad::ShiftedLoad(Value address, Type element, Value inside, Value count, tileaa::CachePolicy cache,
                         ThreadBuilder &thread)
    : element(element), count(count) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Value place = arith::TruncIOp::create(b, loc, b.getI32Type(), address);
  distance = arith::AndIOp::create(b, loc, place, thread.i32(vectorBytes - 1));
  Value aligned = arith::AndIOp::create(b, loc, address, thread.i64(-vectorBytes));
  // The end of what is inside, from the first vector on.
  int64_t bytes = bytesOf(element);
  Value size = thread.i32(vectorBytes);
  if (count) {
    size = arith::MulIOp::create(b, loc, count, thread.i32(bytes));
    size = arith::MinSIOp::create(b, loc, size, thread.i32(vectorBytes));
  }
  Value end = arith::AddIOp::create(b, loc, distance, size);
  Value goesOn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, end, thread.i32(vectorBytes));
  for (bool isSecond : {false, true}) {
    Value from = arith::AddIOp::create(b, loc, aligned, thread.i64(isSecond ? vectorBytes : 0));
    Value wanted = isSecond ? thread.both(inside, goesOn) : inside;
    llvm::append_range(words, loadGlobal(thread.globalPointer(from), b.getI32Type(), wordsOfVector, vectorBytes, wanted,
                                         thread, cache));
  }
}

SmallVector<Value> ShiftedLoad::getAll(ThreadBuilder &thread) const {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  // Words that begin 8 bytes on, or 4, where the distance has that bit.
  SmallVector<Value> picked(words);
  for (int64_t step : {2, 1}) {
    Value bit = arith::AndIOp::create(b, loc, distance, thread.i32(step * wordBytes));
    Value isFar = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, thread.i32(0));
    int64_t left = picked.size() - step;
    for (int64_t index = 0; index != left; ++index)
      picked[index] = arith::SelectOp::create(b, loc, isFar, picked[index + step], picked[index]);
    picked.truncate(left);
  }
  Value bits = arith::ShLIOp::create(b, loc, distance, thread.i32(3));
  bits = arith::AndIOp::create(b, loc, bits, thread.i32(wordBits - 8));
  int64_t elementBits = bytesOf(element) * 8, width = vectorBytes * 8 / elementBits;
  Value packed = LLVM::PoisonOp::create(b, loc, VectorType::get(wordsOfVector, b.getI32Type()));
  for (int64_t index = 0; index != wordsOfVector; ++index) {
    Value word = LLVM::FshrOp::create(b, loc, picked[index + 1], picked[index], bits);
    if (count) {
      // The bits from those inside on; a shift by more than a word has leaves none.
      Value inside = arith::MulIOp::create(b, loc, count, thread.i32(elementBits));
      inside = arith::SubIOp::create(b, loc, inside, thread.i32(index * wordBits));
      inside = arith::MaxSIOp::create(b, loc, inside, thread.i32(0));
      Value outside = computeByPtx("shl.b32 $0, -1, $1;", "=r,r", inside, thread.builder.getI32Type(), thread).front();
      Value kept = arith::XOrIOp::create(b, loc, outside, thread.i32(-1));
      word = arith::AndIOp::create(b, loc, word, kept);
    }
    packed = LLVM::InsertElementOp::create(b, loc, packed, word, thread.i32(index));
  }
  packed = LLVM::BitcastOp::create(b, loc, VectorType::get(width, memoryType(element)), packed);
  return unpackVector(packed, element, width, thread);
}
