// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM has no store past the cache for vectors of f16 and bf16: it makes ordinary ones of them. Where such a vector was
// only moved, not computed, it can be one of integers all the way.
#include "target/cpu/CodeGen.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tilewright {
namespace {

class Moved {
public:
  // The same bits as integers; nothing if they are computed.
  Value *asIntegers(Value *value) {
    if (Value *known = done.lookup(value))
      return known;
    Value *result = make(value);
    if (result)
      done[value] = result;
    return result;
  }

private:
  static FixedVectorType *integersLike(Type *type) {
    auto vector = cast<FixedVectorType>(type);
    return FixedVectorType::get(IntegerType::get(type->getContext(), 16), vector->getNumElements());
  }

  Value *make(Value *value) {
    FixedVectorType *type = integersLike(value->getType());
    if (isa<PoisonValue>(value))
      return PoisonValue::get(type);
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction)
      return nullptr;
    IRBuilder<> builder(instruction);
    if (auto *cast = dyn_cast<BitCastInst>(instruction))
      return cast->getSrcTy() == type ? cast->getOperand(0) : nullptr;
    if (auto *load = dyn_cast<LoadInst>(instruction); load && load->isSimple()) {
      LoadInst *made = builder.CreateAlignedLoad(type, load->getPointerOperand(), load->getAlign());
      made->copyMetadata(*load);
      return made;
    }
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(instruction)) {
      Value *left = asIntegers(shuffle->getOperand(0)), *right = asIntegers(shuffle->getOperand(1));
      return left && right ? builder.CreateShuffleVector(left, right, shuffle->getShuffleMask()) : nullptr;
    }
    return nullptr;
  }

  DenseMap<Value *, Value *> done;
};

bool isHalves(Type *type) {
  auto *vector = dyn_cast<FixedVectorType>(type);
  return vector && (vector->getElementType()->isHalfTy() || vector->getElementType()->isBFloatTy());
}

} // namespace

void moveHalvesAsIntegers(Module &module) {
  for (Function &function : module) {
    SmallVector<StoreInst *> stores;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *store = dyn_cast<StoreInst>(&instruction);
            store && store->hasMetadata(LLVMContext::MD_nontemporal) && isHalves(store->getValueOperand()->getType()))
          stores.push_back(store);
    Moved moved;
    SmallVector<WeakTrackingVH> left;
    for (StoreInst *store : stores)
      if (Value *integers = moved.asIntegers(store->getValueOperand())) {
        left.push_back(store->getValueOperand());
        store->setOperand(0, integers);
      }
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(left);
  }
}

} // namespace tilewright
