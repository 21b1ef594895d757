// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/async/TensorMapFields.h"

#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

namespace {

// PTX ISA, tensormap.replace: how the values of the fields are numbered there.
int64_t elementNumber(Type type) {
  if (type.isTF32())
    return 11; // rounds
  if (type.isBF16())
    return 10;
  if (type.isF64())
    return 9;
  if (type.isF32())
    return 7;
  if (type.isF16())
    return 6;
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return 0;
  case 16:
    return 1;
  case 32:
    return 2;
  default:
    return 4;
  }
}
int64_t swizzleNumber(int64_t bytes) {
  return bytes == 16 ? 0 : llvm::Log2_64(bytes) - 4;
}

// Sets fields of a map in shared memory, at an address there, i32.
class FieldWriter {
public:
  FieldWriter(Value place, ThreadBuilder &thread) : place(place), thread(thread) {}

  void set(StringRef field, StringRef type, int64_t value) {
    actByPtx(replace(field, type) + Twine(value) + ";", "r", {place}, thread);
  }
  void set(StringRef field, StringRef type, Value value) {
    actByPtx(replace(field, type) + "$1;", type == "b64" ? "r,l" : "r,r", {place, value}, thread);
  }
  void setOf(unsigned dim, StringRef field, StringRef type, Value value) {
    actByPtx(replace(field, type) + Twine(dim) + ", $1;", type == "b64" ? "r,l" : "r,r", {place, value}, thread);
  }

private:
  static std::string replace(StringRef field, StringRef type) {
    return ("tensormap.replace.tile." + field + ".shared::cta.b1024." + type + " [$0], ").str();
  }

  Value place;
  ThreadBuilder &thread;
};

} // namespace

Value tilewright::addressOfGlobal(StringRef name, ThreadBuilder &thread) {
  auto pointer = LLVM::LLVMPointerType::get(thread.builder.getContext(), 1);
  return LLVM::PtrToIntOp::create(thread.builder, thread.loc, thread.builder.getI64Type(),
                                  LLVM::AddressOfOp::create(thread.builder, thread.loc, pointer, name));
}

TensorMapFields::TensorMapFields(tileas::TensorMapAttr map, tileaa::ViewType type, ValueRange parts,
                                 ThreadBuilder &thread)
    : map(map), type(type), base(parts.front()) {
  ValueRange dynamic = parts.drop_front();
  auto take = [&](int64_t known) -> Value {
    if (!ShapedType::isDynamic(known))
      return thread.i64(known);
    Value value = arith::IndexCastOp::create(thread.builder, thread.loc, thread.builder.getI64Type(), dynamic.front());
    dynamic = dynamic.drop_front();
    return value;
  };
  for (int64_t extent : type.getShape())
    extents.push_back(take(extent));
  for (int64_t stride : type.getStrides())
    strides.push_back(take(stride));
}

// Boxes have at most 256 elements along a dimension, and maps five dimensions.
uint64_t TensorMapFields::known() const {
  uint64_t bits = 1;
  auto append = [&](uint64_t value, unsigned width) { bits = bits << width | value; };
  for (int64_t extent : map.getBox())
    append(extent - 1, 8);
  append(swizzleNumber(map.getSwizzle()), 3);
  append(elementNumber(map.getElement()), 4);
  append(bytesOf(type.getElementType()), 4);
  append(map.getStored(), 1);
  return bits;
}

SmallVector<Value> TensorMapFields::numbers(ThreadBuilder &thread) const {
  SmallVector<Value> all{base, thread.i64(known())};
  llvm::append_range(all, extents);
  llvm::append_range(all, strides);
  return all;
}

void TensorMapFields::encode(Value place, ThreadBuilder &thread) const {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  FieldWriter writer(place, thread);
  // The hardware knows no extent of zero: a tensor without elements has one element, which is zero or unused.
  Value isEmpty, address = base;
  for (auto [known, extent] : llvm::zip_equal(type.getShape(), extents))
    if (ShapedType::isDynamic(known)) {
      Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, extent, thread.i64(1));
      isEmpty = isEmpty ? arith::OrIOp::create(b, loc, isEmpty, none).getResult() : none;
    }
  SmallVector<Value> lengths = extents;
  if (isEmpty) {
    Value other = addressOfGlobal(map.getStored() ? nothingName : zerosName, thread);
    address = arith::SelectOp::create(b, loc, isEmpty, other, base);
    for (Value &length : lengths)
      length = arith::SelectOp::create(b, loc, isEmpty, thread.i64(1), length);
  }

  unsigned rank = type.getRank();
  writer.set("global_address", "b64", address);
  writer.set("rank", "b32", rank - 1);
  // From the innermost dimension on, which has no stride.
  for (unsigned dim = 0; dim != rank; ++dim) {
    unsigned ofView = rank - 1 - dim;
    writer.setOf(dim, "box_dim", "b32", thread.i32(map.getBox()[ofView]));
    Value most = arith::MinSIOp::create(b, loc, lengths[ofView], thread.i64(std::numeric_limits<int32_t>::max()));
    writer.setOf(dim, "global_dim", "b32", arith::TruncIOp::create(b, loc, b.getI32Type(), most));
    writer.setOf(dim, "element_stride", "b32", thread.i32(1));
    if (dim)
      writer.setOf(dim - 1, "global_stride", "b64",
                   arith::MulIOp::create(b, loc, strides[ofView], thread.i64(bytesOf(type.getElementType()))));
  }
  writer.set("elemtype", "b32", elementNumber(map.getElement()));
  writer.set("interleave_layout", "b32", 0);
  writer.set("swizzle_mode", "b32", swizzleNumber(map.getSwizzle()));
  writer.set("fill_mode", "b32", 0);
}
