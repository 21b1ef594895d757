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

SmallVector<Value> tilewright::loadGlobal(Value pointer, Type element, int64_t width, int64_t alignment,
                                          Value condition, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  if (condition)
    pointer = arith::SelectOp::create(b, thread.loc, condition, pointer, zerosLike(pointer, thread));
  Type memory = memoryType(element);
  Type type = width == 1 ? memory : VectorType::get(width, memory);
  Value loaded = LLVM::LoadOp::create(b, thread.loc, type, pointer, alignment);
  return unpackVector(loaded, element, width, thread);
}

// A store that happens where the condition holds, as one instruction: behind a branch, LLVM would move the loads there
// that only this store needs, and none would be on its way before the branch is decided.
static void storeWhere(Value condition, Value packed, Value pointer, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  auto vector = dyn_cast<VectorType>(packed.getType());
  int64_t bits =
      vector ? vector.getNumElements() * vector.getElementTypeBitWidth() : packed.getType().getIntOrFloatBitWidth();
  int64_t word = std::min<int64_t>(bits, bits % 64 == 0 && vector && vector.getElementTypeBitWidth() == 64 ? 64 : 32);
  int64_t words = bits / word;
  Type wordType = b.getIntegerType(word);
  SmallVector<Value> operands{condition, pointer};
  Value whole = LLVM::BitcastOp::create(b, loc, words == 1 ? wordType : Type(VectorType::get(words, wordType)), packed);
  for (int64_t index = 0; index != words; ++index) {
    Value part = words == 1 ? whole : LLVM::ExtractElementOp::create(b, loc, whole, thread.i32(index)).getResult();
    // No register is narrower than 16 bits.
    operands.push_back(word == 8 ? arith::ExtUIOp::create(b, loc, b.getI16Type(), part).getResult() : part);
  }
  bool isGlobal = cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == 1;
  std::string text = isGlobal ? "@$0 st.global" : "@$0 st", constraints = "b,l", values;
  if (words > 1)
    text += ".v" + std::to_string(words);
  text += (word == 8 ? ".b8" : ".b" + std::to_string(word)) + " [$1], ";
  for (int64_t index = 0; index != words; ++index) {
    values += (index ? ", $" : "$") + std::to_string(index + 2);
    constraints += word == 64 ? ",l" : word == 32 ? ",r" : ",h";
  }
  text += words > 1 ? "{" + values + "};" : values + ";";
  // LLVM knows that it writes memory: loads that are used later stay before it.
  actByPtx(text, constraints, operands, thread);
}

void tilewright::storeGlobal(ArrayRef<Value> values, Value pointer, int64_t alignment, Value condition,
                             ThreadBuilder &thread) {
  Value packed = packVector(values, thread);
  if (condition)
    storeWhere(condition, packed, pointer, thread);
  else
    LLVM::StoreOp::create(thread.builder, thread.loc, packed, pointer, alignment);
}
