// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The larger of a number and a constant, `x > c ? x : c`, is the constant where x is a NaN. LLVM takes such a choice
// for its maximum, and that for the instruction that a target has: fmaxnm of aarch64 makes a NaN of a signaling one.
// The comparison gets a frozen copy, which is the same number, and LLVM no longer sees a maximum.
#include "target/cpu/CodeGen.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isTakenForExtreme(SelectInst *choice) {
  Value *left, *right;
  SelectPatternResult found = matchSelectPattern(choice, left, right);
  bool isExtreme = found.Flavor == SPF_FMAXNUM || found.Flavor == SPF_FMINNUM;
  return isExtreme && found.NaNBehavior == SPNB_RETURNS_OTHER;
}

void tilewright::keepChoices(Module &module) {
  for (Function &function : module)
    for (BasicBlock &block : function)
      for (Instruction &instruction : block) {
        auto *choice = dyn_cast<SelectInst>(&instruction);
        auto *compare = choice ? dyn_cast<FCmpInst>(choice->getCondition()) : nullptr;
        if (!compare || !isTakenForExtreme(choice))
          continue;
        Use &number = compare->getOperandUse(isa<Constant>(compare->getOperand(0)) ? 1 : 0);
        number.set(IRBuilder<>(compare).CreateFreeze(number));
      }
}
