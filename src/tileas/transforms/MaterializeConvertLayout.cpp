// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/Conversion.h"
#include "layout/SharedLayouts.h"
#include "tileas/ir/Tileas.h"
#include "tileas/transforms/Passes.h"

#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASMATERIALIZECONVERTLAYOUT
#include "tileas/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class MaterializeConvertLayout : public tilewright::impl::TileasMaterializeConvertLayoutBase<MaterializeConvertLayout> {
public:
  using TileasMaterializeConvertLayoutBase::TileasMaterializeConvertLayoutBase;

private:
  void runOnOperation() override {
    SmallVector<tileas::ConvertLayoutOp> conversions;
    getOperation().walk([&](tileas::ConvertLayoutOp convert) { conversions.push_back(convert); });
    for (tileas::ConvertLayoutOp convert : conversions)
      if (failed(materialize(convert)))
        return signalPassFailure();
  }

  LogicalResult materialize(tileas::ConvertLayoutOp convert) {
    auto type = cast<RankedTensorType>(convert.getType());
    layout::ConversionOptions options;
    options.elementBits = std::max(8u, type.getElementType().getIntOrFloatBitWidth());
    auto plan = layout::planConversion(tileas::layoutOf(convert.getSource()), tileas::layoutOf(type), options);
    if (!plan || !plan->shared.parts.empty())
      return convert.emitError() << "a tile of " << type.getNumElements() << " elements of " << options.elementBits
                                 << " bits does not fit into the shared memory through which it is to be brought into "
                                    "another layout; expected a smaller tile";
    if (plan->kind != layout::ConversionKind::Shared)
      return success();
    layout::LinearLayout shared = plan->shared.shared;
    if (alwaysSwizzle && llvm::all_of(shared.basisOf(layout::Dim::Offset), llvm::isPowerOf2_64))
      shared =
          layout::addressSwizzle(layout::SwizzleMode::B128, shared.inputSize(layout::Dim::Offset), options.elementBits)
              .then(shared);
    OpBuilder builder(convert);
    Location loc = convert.getLoc();
    auto buffer = tileas::BufferType::get(&getContext(), type.getShape(), type.getElementType(),
                                          tileas::LayoutAttr::get(&getContext(), shared));
    Value alloc = tileas::AllocOp::create(builder, loc, buffer, IntegerAttr());
    tileas::WriteOp::create(builder, loc, convert.getSource(), alloc);
    convert.replaceAllUsesWith(tileas::ReadOp::create(builder, loc, type, alloc, ValueRange()).getResult());
    convert.erase();
    return success();
  }
};

} // namespace
