// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Architecture.h"
#include "tileas/memory/Passes.h"
#include "tileas/memory/SharedPlaces.h"

#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASALLOCATESHARED
#include "tileas/memory/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class AllocateShared : public tilewright::impl::TileasAllocateSharedBase<AllocateShared> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const nvidia::Architecture *architecture = tileas::architectureOf(getOperation());
    tileas::CtaAttr cta = tileas::expectCta(function);
    if (!architecture || !cta)
      return signalPassFailure();
    tileas::SharedPlaces places(function);
    int64_t limit = tileas::sharedLimit(function, *architecture);
    if (places.total() > limit) {
      places.largest().op->emitError() << "kernel '" << function.getName() << "' needs " << places.total()
                                       << " bytes of shared memory in a block, and " << architecture->name << " has "
                                       << limit << "; the most, " << places.largest().bytes
                                       << ", are needed here: use smaller tiles";
      return signalPassFailure();
    }
    Builder builder(&getContext());
    for (const tileas::SharedPlace &place : places.all())
      place.op->setAttr("offset", builder.getI64IntegerAttr(place.offset));
    tileas::setCta(function, cta.withSharedBytes(places.total()));
  }
};

} // namespace
