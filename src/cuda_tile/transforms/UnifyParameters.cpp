// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/transforms/Passes.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace tilewright {

#define GEN_PASS_DEF_CUDATILEUNIFYPARAMETERS
#include "cuda_tile/transforms/Passes.h.inc"

namespace {

struct UnifyParameters : impl::CudaTileUnifyParametersBase<UnifyParameters> {
  using CudaTileUnifyParametersBase::CudaTileUnifyParametersBase;

  void runOnOperation() override {
    EntryOp entry = getOperation();
    bool isList = first.size() == entry.getBody().getNumArguments();
    for (auto [i, earlier] : llvm::enumerate(first))
      isList &= earlier >= 0 && earlier <= int64_t(i) && first[earlier] == earlier;
    if (isList)
      return unifyParameters(entry, first);
    entry.emitError("the option 'first' is no list of parameters, expected for each of ")
        << entry.getBody().getNumArguments() << " itself or an earlier one";
    signalPassFailure();
  }
};

} // namespace

void unifyParameters(EntryOp entry, ArrayRef<int64_t> first) {
  auto builder = OpBuilder::atBlockBegin(&entry.getBody().front());
  SmallVector<int64_t> shared;
  for (auto [i, earlier] : llvm::enumerate(first)) {
    if (earlier == int64_t(i))
      continue;
    Value address = entry.getBody().getArgument(earlier), other = entry.getBody().getArgument(i);
    if (address.getType() != other.getType())
      address = PtrToPtrOp::create(builder, entry.getLoc(), other.getType(), address);
    other.replaceAllUsesWith(address);
    if (!llvm::is_contained(shared, earlier))
      shared.push_back(earlier);
  }
  orderMemory(entry, shared);
}

} // namespace tilewright
