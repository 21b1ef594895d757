// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Effects that depend on an attribute or on where the operation stands.
#include "cuda_tile/ir/CudaTile.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

using Effects = SmallVectorImpl<MemoryEffects::EffectInstance>;

/// A weak load only reads. A load with an ordering also orders others, so it must neither
/// go away nor merge with its twin; a write says that.
template <typename LoadOp> static void addLoadEffects(LoadOp op, Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  if (op.getMemoryOrderingSemantics() != MemoryOrderingSemantics::WEAK) {
    effects.emplace_back(MemoryEffects::Write::get());
  }
}

void LoadPtrTkoOp::getEffects(Effects &effects) {
  addLoadEffects(*this, effects);
}
void LoadViewTkoOp::getEffects(Effects &effects) {
  addLoadEffects(*this, effects);
}
void StorePtrTkoOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}
void StoreViewTkoOp::getEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

/// A jump that leaves an `if` keeps that `if` alive; one at the end of its target's own
/// body has no effect beyond what the target says.
template <typename... Targets> static void addJumpEffects(Operation *jump, Effects &effects) {
  if (!isa_and_nonnull<Targets...>(jump->getParentOp())) {
    effects.emplace_back(MemoryEffects::Write::get());
  }
}

void ContinueOp::getEffects(Effects &effects) {
  addJumpEffects<ForOp, LoopOp>(*this, effects);
}
void BreakOp::getEffects(Effects &effects) {
  addJumpEffects<LoopOp>(*this, effects);
}
void ReturnOp::getEffects(Effects &effects) {
  addJumpEffects<EntryOp>(*this, effects);
}
