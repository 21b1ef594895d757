// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/BackEndFaults.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace tilewright::nvidia {
namespace {

// Whether the bits may be those of a register that a float was computed into.
bool isFloat(Value *bits, SmallPtrSetImpl<Value *> &seen) {
  if (!seen.insert(bits).second)
    return false;
  if (auto *cast = dyn_cast<BitCastInst>(bits))
    return cast->getSrcTy()->isFPOrFPVectorTy();
  if (auto *choice = dyn_cast<SelectInst>(bits))
    return isFloat(choice->getTrueValue(), seen) || isFloat(choice->getFalseValue(), seen);
  if (auto *phi = dyn_cast<PHINode>(bits))
    return any_of(phi->incoming_values(), [&](Value *value) { return isFloat(value, seen); });
  if (auto *freeze = dyn_cast<FreezeInst>(bits))
    return isFloat(freeze->getOperand(0), seen);
  return false;
}

// The lower bits, by an instruction for integers that LLVM does not see through, as the next smaller type that
// registers have; of 16 bits as those of 8.
Value *lowerBits(IRBuilder<> &builder, Value *bits) {
  struct Way {
    unsigned from, to;
    const char *text, *constraints;
  };
  static constexpr Way ways[] = {{64, 32, "cvt.u32.u64 $0, $1;", "=r,l"},
                                 {32, 16, "cvt.u16.u32 $0, $1;", "=h,r"},
                                 {16, 16, "and.b16 $0, $1, 0xFF;", "=h,h"}};
  for (const Way &way : ways)
    if (bits->getType()->isIntegerTy(way.from)) {
      auto *type = FunctionType::get(builder.getIntNTy(way.to), {bits->getType()}, false);
      return builder.CreateCall(InlineAsm::get(type, way.text, way.constraints, /*hasSideEffects=*/false), {bits});
    }
  return nullptr;
}

// A store of bits to an address that is less aligned than their type, by parts.
void storeParts(IRBuilder<> &builder, Value *bits, Value *address, Align alignment) {
  uint64_t bytes = bits->getType()->getIntegerBitWidth() / 8;
  if (bytes <= alignment.value()) {
    builder.CreateAlignedStore(bits, address, alignment);
    return;
  }
  Type *half = builder.getIntNTy(bytes * 4);
  Value *lower = builder.CreateTrunc(lowerBits(builder, bits), half);
  storeParts(builder, lower, address, alignment);
  Value *upper = builder.CreateTrunc(builder.CreateLShr(bits, bytes * 4), half);
  storeParts(builder, upper, builder.CreateConstGEP1_64(builder.getInt8Ty(), address, bytes / 2), alignment);
}

bool isUnaligned(const StoreInst &store) {
  Type *type = store.getValueOperand()->getType();
  return type->isFPOrFPVectorTy() && store.isSimple() && store.getAlign().value() * 8 < type->getScalarSizeInBits();
}

void storeByParts(StoreInst &store) {
  IRBuilder<> builder(&store);
  Value *value = store.getValueOperand(), *address = store.getPointerOperand();
  Type *type = value->getType(), *bits = builder.getIntNTy(type->getScalarSizeInBits());
  auto *vector = dyn_cast<FixedVectorType>(type);
  for (unsigned number = 0, count = vector ? vector->getNumElements() : 1; number != count; ++number) {
    Value *element = vector ? builder.CreateExtractElement(value, number) : value;
    Value *place = builder.CreateConstGEP1_64(bits, address, number);
    storeParts(builder, builder.CreateBitCast(element, bits), place, store.getAlign());
  }
  store.eraseFromParent();
}

// The flag that is converted as a signed number.
Value *flagOf(SIToFPInst &conversion) {
  Value *number = conversion.getOperand(0);
  if (auto *extension = dyn_cast<SExtInst>(number))
    number = extension->getOperand(0);
  return number->getType()->isIntegerTy(1) ? number : nullptr;
}

// The larger of x and -x.
void takeLarger(IntrinsicInst &abs) {
  IRBuilder<> builder(&abs);
  Value *number = abs.getArgOperand(0);
  abs.replaceAllUsesWith(builder.CreateBinaryIntrinsic(Intrinsic::smax, number, builder.CreateNeg(number)));
  abs.eraseFromParent();
}

// Where the numbers are that an instruction negates, first shifted left; LLVM makes both of a product with -8.
struct Negation {
  Value *number = nullptr;
  unsigned shift = 0;
};

Negation negationOf(Instruction &instruction) {
  Value *number;
  const APInt *factor;
  if (match(&instruction, PatternMatch::m_Neg(PatternMatch::m_Value(number))))
    return {number, 0};
  if (match(&instruction, PatternMatch::m_Mul(PatternMatch::m_Value(number), PatternMatch::m_APInt(factor))) &&
      factor->isNegatedPowerOf2())
    return {number, factor->countr_zero()};
  return {};
}

bool isMisread(Instruction &instruction) {
  if (instruction.getType()->isIntegerTy(16))
    return negationOf(instruction).number;
  return instruction.getType()->isIntegerTy(32) && negationOf(instruction).number &&
         any_of(instruction.users(), [](User *user) { return isa<MinMaxIntrinsic>(user); });
}

// As the complement and one, which LLVM would make a negation of.
void complement(Instruction &negation) {
  IRBuilder<> builder(&negation);
  Type *type = negation.getType();
  Negation parts = negationOf(negation);
  bool isWord = type->isIntegerTy(32);
  auto *made = InlineAsm::get(FunctionType::get(type, {type}, false),
                              isWord ? "{ .reg .b32 %bits; not.b32 %bits, $1; add.s32 $0, %bits, 1; }"
                                     : "{ .reg .b16 %bits; not.b16 %bits, $1; add.s16 $0, %bits, 1; }",
                              isWord ? "=r,r" : "=h,h", /*hasSideEffects=*/false);
  Value *number = parts.shift ? builder.CreateShl(parts.number, parts.shift) : parts.number;
  negation.replaceAllUsesWith(builder.CreateCall(made, {number}));
  negation.eraseFromParent();
}

} // namespace

void avoidBackEndFaults(Module &module) {
  SmallVector<TruncInst *> truncations;
  SmallVector<StoreInst *> stores;
  SmallVector<SIToFPInst *> flags;
  SmallVector<IntrinsicInst *> magnitudes;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      SmallPtrSet<Value *, 8> seen;
      // A comparison of one bit is no store of it.
      auto *truncation = dyn_cast<TruncInst>(&instruction);
      if (truncation && !truncation->getType()->isIntegerTy(1) && isFloat(truncation->getOperand(0), seen))
        truncations.push_back(truncation);
      if (auto *store = dyn_cast<StoreInst>(&instruction); store && isUnaligned(*store))
        stores.push_back(store);
      if (auto *conversion = dyn_cast<SIToFPInst>(&instruction); conversion && flagOf(*conversion))
        flags.push_back(conversion);
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction); call && call->getIntrinsicID() == Intrinsic::abs)
        magnitudes.push_back(call);
    }
  for (IntrinsicInst *magnitude : magnitudes)
    takeLarger(*magnitude);
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (isMisread(instruction))
        complement(instruction);
  for (SIToFPInst *conversion : flags) {
    Type *type = conversion->getType();
    IRBuilder<> builder(conversion);
    conversion->replaceAllUsesWith(
        builder.CreateSelect(flagOf(*conversion), ConstantFP::get(type, -1.0), ConstantFP::get(type, 0.0)));
    conversion->eraseFromParent();
  }
  for (StoreInst *store : stores)
    storeByParts(*store);
  for (TruncInst *truncation : truncations) {
    IRBuilder<> builder(truncation);
    if (Value *lower = lowerBits(builder, truncation->getOperand(0))) {
      truncation->replaceAllUsesWith(builder.CreateZExtOrTrunc(lower, truncation->getType()));
      truncation->eraseFromParent();
    }
  }
}

} // namespace tilewright::nvidia
