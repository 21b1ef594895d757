// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/check/Words.h"

#include "cuda_tile/ir/CudaTile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::interpreter {

std::string nameOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<cuda_tile::LoadPtrTkoOp, cuda_tile::LoadViewTkoOp, cuda_tile::MultimemLoadReduceViewTkoOp>(
          [](auto) { return "load"; })
      .Case<cuda_tile::StorePtrTkoOp, cuda_tile::StoreViewTkoOp, cuda_tile::MultimemStoreViewTkoOp>(
          [](auto) { return "store"; })
      .Case<cuda_tile::AtomicRMWTkoOp, cuda_tile::AtomicRedViewTkoOp, cuda_tile::MultimemReduceViewTkoOp>(
          [](auto) { return "atomic update"; })
      .Case([](cuda_tile::AtomicCASTkoOp) { return "compare-and-swap"; })
      .Case([](cuda_tile::AllocaOp) { return "the alloca"; })
      .Case([](cuda_tile::GlobalOp global) { return ("global @" + global.getSymName()).str(); })
      .Default([](Operation *other) { return other->getName().stripDialect().str(); });
}

std::string withArticle(llvm::StringRef noun) {
  return ((llvm::StringRef("aeiou").contains(noun.front()) ? "an " : "a ") + noun).str();
}

std::string indexText(int64_t element, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<std::string> parts;
  for (int64_t extent : llvm::reverse(shape)) {
    parts.push_back(std::to_string(element % extent));
    element /= extent;
  }
  return "[" + llvm::join(llvm::reverse(parts), ", ") + "]";
}

std::string whyUndefined(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](cuda_tile::LoadViewTkoOp) { return "a load beyond the tensor from a view without a padding value"; })
      .Case([](cuda_tile::LoadPtrTkoOp load) {
        return load.getMask() && !load.getPaddingValue() ? "a masked load without a padding value"
                                                         : "a load of uninitialized memory";
      })
      .Case<cuda_tile::AtomicRMWTkoOp, cuda_tile::AtomicCASTkoOp>(
          [](auto) { return "the result of an atomic where its mask is false"; })
      .Default([](Operation *other) { return "the result of " + nameOf(other); });
}

std::string whyRace(const Race &race) {
  switch (race.kind) {
  case RaceKind::SameStore:
    return "make the places distinct, or the store atomic (relaxed tl_blk)";
  case RaceKind::Unordered:
    return "no token orders one after the other";
  case RaceKind::Blocks:
    return "no release and acquire order one after the other";
  case RaceKind::Scope:
    return "the scope tl_blk does not reach another block, expected device or sys";
  case RaceKind::MixedSizes:
    return "elements of " + std::to_string(race.first.elementBytes) + " and " +
           std::to_string(race.second.elementBytes) + " bytes are not atomic to each other";
  }
  llvm_unreachable("all kinds are listed");
}

} // namespace tilewright::interpreter
