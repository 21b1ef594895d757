// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Hints.h"
#include "tileaa/transforms/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEAACHOOSEHINTS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class ChooseHints : public tilewright::impl::TileaaChooseHintsBase<ChooseHints> {
public:
  using TileaaChooseHintsBase::TileaaChooseHintsBase;

  void runOnOperation() override { tileaa::chooseHints(getOperation(), target); }
};

} // namespace
