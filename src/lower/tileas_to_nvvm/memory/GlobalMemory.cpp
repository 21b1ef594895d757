// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"

#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;

Value tilewright::packVector(ArrayRef<Value> values, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  auto inMemory = [&](Value value) -> Value {
    Type type = memoryType(value.getType());
    return type == value.getType() ? value : arith::ExtUIOp::create(b, loc, type, value).getResult();
  };
  if (values.size() == 1)
    return inMemory(values[0]);
  auto type = VectorType::get(values.size(), memoryType(values[0].getType()));
  Value packed = LLVM::PoisonOp::create(b, loc, type);
  for (auto [index, value] : llvm::enumerate(values))
    packed = LLVM::InsertElementOp::create(b, loc, packed, inMemory(value), thread.i32(index));
  return packed;
}

SmallVector<Value> tilewright::unpackVector(Value packed, Type element, int64_t width, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  SmallVector<Value> values;
  for (int64_t index = 0; index != width; ++index) {
    Value value = width == 1 ? packed : LLVM::ExtractElementOp::create(b, thread.loc, packed, thread.i32(index));
    if (value.getType() != element)
      value = arith::TruncIOp::create(b, thread.loc, element, value);
    values.push_back(value);
  }
  return values;
}

// Zeros as a pointer like the others. LLVM takes a choice between a global pointer and the number of an address for
// global, also where the number is that of shared memory: of a pointer to anywhere it does not get to see the origin.
static Value zerosLike(Value pointer, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value zeros = LLVM::AddressOfOp::create(b, thread.loc, LLVM::LLVMPointerType::get(b.getContext(), 1), zerosName);
  if (zeros.getType() == pointer.getType())
    return zeros;
  zeros = LLVM::AddrSpaceCastOp::create(b, thread.loc, pointer.getType(), zeros);
  return LLVM::InlineAsmOp::create(b, thread.loc, pointer.getType(), zeros, "mov.b64 $0, $1;", "=l,l",
                                   /*has_side_effects=*/false, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                   LLVM::AsmDialectAttr(), ArrayAttr())
      .getRes();
}

namespace {

// The registers of an instruction that loads or stores a value: so many of so many bits.
struct Words {
  int64_t bits, count;

  static Words of(Type packed) {
    auto vector = dyn_cast<VectorType>(packed);
    int64_t all = vector ? vector.getNumElements() * vector.getElementTypeBitWidth() : packed.getIntOrFloatBitWidth();
    int64_t bits = std::min<int64_t>(all, all % 64 == 0 && vector && vector.getElementTypeBitWidth() == 64 ? 64 : 32);
    return {bits, all / bits};
  }

  Type typeOf(OpBuilder &builder) const { return builder.getIntegerType(bits); }
  // No register is narrower than 16 bits.
  Type registerType(OpBuilder &builder) const { return builder.getIntegerType(std::max<int64_t>(bits, 16)); }
  Type wholeType(OpBuilder &builder) const {
    return count == 1 ? typeOf(builder) : Type(VectorType::get(count, typeOf(builder)));
  }
  std::string suffix() const {
    return (count > 1 ? ".v" + std::to_string(count) : "") + (bits == 8 ? ".b8" : ".b" + std::to_string(bits));
  }
  std::string constraint() const { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }
  // The registers with numbers from `first`.
  std::string names(size_t first) const {
    std::string names;
    for (int64_t index = 0; index != count; ++index)
      names += (index ? ", $" : "$") + std::to_string(first + index);
    return count > 1 ? "{" + names + "}" : names;
  }
};

} // namespace

// LLVM has no plain loads of this kind. It knows that memory is read: stores before stay before it.
static Value loadStreaming(Value pointer, Type type, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Words words = Words::of(type);
  std::string text =
      "ld.global.cs" + words.suffix() + " " + words.names(0) + ", [$" + std::to_string(words.count) + "];";
  std::string constraints;
  for (int64_t index = 0; index != words.count; ++index)
    constraints += "=" + words.constraint() + ",";
  SmallVector<Type> types(words.count, words.registerType(b));
  SmallVector<Value> loaded = readByPtx(text, constraints + "l", pointer, types, thread);
  for (Value &word : loaded)
    if (word.getType() != words.typeOf(b))
      word = arith::TruncIOp::create(b, loc, words.typeOf(b), word);
  Value whole = loaded[0];
  if (words.count > 1) {
    whole = LLVM::PoisonOp::create(b, loc, words.wholeType(b));
    for (auto [index, word] : llvm::enumerate(loaded))
      whole = LLVM::InsertElementOp::create(b, loc, whole, word, thread.i32(index));
  }
  return whole.getType() == type ? whole : LLVM::BitcastOp::create(b, loc, type, whole).getResult();
}

SmallVector<Value> tilewright::loadGlobal(Value pointer, Type element, int64_t width, int64_t alignment,
                                          Value condition, ThreadBuilder &thread, tileaa::CachePolicy cache) {
  OpBuilder &b = thread.builder;
  if (condition)
    pointer = arith::SelectOp::create(b, thread.loc, condition, pointer, zerosLike(pointer, thread));
  Type memory = memoryType(element);
  Type type = width == 1 ? memory : VectorType::get(width, memory);
  Value loaded = cache == tileaa::CachePolicy::Streaming
                     ? loadStreaming(pointer, type, thread)
                     : LLVM::LoadOp::create(b, thread.loc, type, pointer, alignment).getResult();
  return unpackVector(loaded, element, width, thread);
}

// A store as one instruction, which happens where the condition holds if there is one: behind a branch, LLVM would move
// the loads there that only this store needs, and none would be on its way before the branch is decided.
static void storeByPtx(Value condition, Value packed, Value pointer, ThreadBuilder &thread, tileaa::CachePolicy cache) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Words words = Words::of(packed.getType());
  SmallVector<Value> operands;
  std::string text, constraints;
  if (condition) {
    operands.push_back(condition);
    text = "@$0 ";
    constraints = "b,";
  }
  std::string address = "$" + std::to_string(operands.size());
  operands.push_back(pointer);
  Value whole = LLVM::BitcastOp::create(b, loc, words.wholeType(b), packed);
  size_t first = operands.size();
  constraints += "l";
  for (int64_t index = 0; index != words.count; ++index) {
    Value part = words.count == 1 ? whole : LLVM::ExtractElementOp::create(b, loc, whole, thread.i32(index));
    operands.push_back(words.bits == 8 ? arith::ExtUIOp::create(b, loc, words.registerType(b), part) : part);
    constraints += "," + words.constraint();
  }
  bool isGlobal = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 1;
  text += isGlobal ? "st.global" : "st";
  text += cache == tileaa::CachePolicy::Streaming ? ".cs" : "";
  text += words.suffix() + " [" + address + "], " + words.names(first) + ";";
  // LLVM knows that it writes memory: loads that are used later stay before it.
  actByPtx(text, constraints, operands, thread);
}

void tilewright::storeGlobal(ArrayRef<Value> values, Value pointer, int64_t alignment, Value condition,
                             ThreadBuilder &thread, tileaa::CachePolicy cache) {
  Value packed = packVector(values, thread);
  if (condition || cache == tileaa::CachePolicy::Streaming)
    storeByPtx(condition, packed, pointer, thread, cache);
  else
    LLVM::StoreOp::create(thread.builder, thread.loc, packed, pointer, alignment);
}
