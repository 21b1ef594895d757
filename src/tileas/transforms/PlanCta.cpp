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

// Elements of the largest tile that so many warps are enough for. Products want many sums in a thread. What only reads,
// computes and writes wants many threads: on an H200 rows of softmax, f32, of 8192, 16384 and 32768 elements have 3.70,
// 2.86 and 3.25 TB/s with 16 warps and 3.41, 2.61 and 2.83 with 8, sums of two arrays 4.0 and 3.9 to 4.05.
struct Enough {
  int64_t elements, warps;
};
constexpr Enough forProducts[] = {{128, 1}, {256, 2}, {4096, 4}, {32768, 8}, {65536, 16}};
constexpr Enough forOthers[] = {{128, 1}, {256, 2}, {4096, 4}, {65536, 16}};

int64_t warpsFor(int64_t elements, ArrayRef<Enough> table) {
  for (Enough row : table)
    if (elements <= row.elements)
      return row.warps;
  return mostWarps;
}

class PlanCta : public tilewright::impl::TileasPlanCtaBase<PlanCta> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    int64_t largest = 1;
    bool multiplies = false;
    function.walk([&](Operation *op) {
      multiplies |= isa<tileaa::MmaOp, tileaa::MmaScaledOp>(op);
      for (Type type : op->getResultTypes())
        if (auto tile = dyn_cast<RankedTensorType>(type))
          largest = std::max(largest, tile.getNumElements());
    });
    int64_t warps = multiplies ? warpsFor(largest, forProducts) : warpsFor(largest, forOthers);
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
