// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/Tileas.h"
#include "tileas/transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASPLANCTA
#include "tileas/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

constexpr int64_t mostWarps = 32;

int64_t warpsFor(int64_t elements) {
  // Elements of the largest tile that so many warps are enough for.
  static constexpr std::pair<int64_t, int64_t> table[] = {{128, 1}, {256, 2}, {4096, 4}, {32768, 8}, {65536, 16}};
  for (auto [most, warps] : table)
    if (elements <= most)
      return warps;
  return mostWarps;
}

class PlanCta : public tilewright::impl::TileasPlanCtaBase<PlanCta> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    int64_t largest = 1;
    function.walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type))
          largest = std::max(largest, tile.getNumElements());
    });
    int64_t warps = warpsFor(largest);
    if (auto hints = function->getAttrOfType<DictionaryAttr>("tileaa.hints"))
      for (NamedAttribute target : hints)
        if (auto dictionary = dyn_cast<DictionaryAttr>(target.getValue()))
          if (auto asked = dictionary.getAs<IntegerAttr>("num_worker_warps_per_cta")) {
            if (llvm::isPowerOf2_64(asked.getInt()) && asked.getInt() <= mostWarps)
              warps = asked.getInt();
            else
              function.emitRemark() << "num_worker_warps_per_cta = " << asked.getInt()
                                    << " is not followed, expected a power of two of at most " << mostWarps;
          }
    function->setAttr(tileas::warpsAttr, Builder(&getContext()).getI32IntegerAttr(warps));
  }
};

} // namespace
