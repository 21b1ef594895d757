// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Architecture.h"
#include "tileas/transforms/Passes.h"
#include "tileas/transforms/TmaAccess.h"

#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASSTOREBYTMA
#include "tileas/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class StoreByTma : public tilewright::impl::TileasStoreByTmaBase<StoreByTma> {
public:
  using TileasStoreByTmaBase::TileasStoreByTmaBase;

  void runOnOperation() override {
    auto architecture = nvidia::parseArchitecture(arch);
    if (!architecture) {
      getOperation().emitError() << llvm::toString(architecture.takeError());
      return signalPassFailure();
    }
    if (!(*architecture)->has(nvidia::Feature::Tma))
      return;
    SmallVector<tileaa::StoreViewOp> stores;
    getOperation().walk([&](tileaa::StoreViewOp store) { stores.push_back(store); });
    for (tileaa::StoreViewOp store : stores)
      rewrite(store);
  }

private:
  void rewrite(tileaa::StoreViewOp store) {
    auto convert = store.getTile().getDefiningOp<tileas::ConvertLayoutOp>();
    if (!convert || !convert->hasOneUse())
      return;
    // Who comes after it would have to wait until the copy is done, and for the caches of the threads.
    if (!store.getResultToken().use_empty()) {
      store.emitRemark() << "is not stored by the tensor memory accelerator: other accesses come after it";
      return;
    }
    std::string why;
    auto type = cast<RankedTensorType>(store.getTile().getType());
    auto access = tileas::describeTmaAccess(store.getView(), store.getDimMap(), type.getShape(), why);
    if (!access) {
      store.emitRemark() << "is not stored by the tensor memory accelerator: " << why;
      return;
    }
    OpBuilder builder(store);
    Location loc = store.getLoc();
    auto buffer = tileas::BufferType::get(&getContext(), type.getShape(), type.getElementType(),
                                          tileas::LayoutAttr::get(&getContext(), access->layout));
    // Described where views are: at the top, for whichever agent stores.
    OpBuilder outside(store.getView().getDefiningOp());
    outside.setInsertionPointAfter(store.getView().getDefiningOp());
    Value desc = tileas::MakeTmaDescOp::create(outside, loc, tileas::TmaDescType::get(&getContext()), store.getView(),
                                               access->box, unsigned(access->swizzle));
    Value alloc = tileas::AllocOp::create(builder, loc, buffer, IntegerAttr());
    tileas::WriteOp::create(builder, loc, convert.getSource(), alloc);
    tileas::TmaStoreOp::create(builder, loc, alloc, desc, store.getOffsets(), access->splitDim, access->boxes);
    store.erase();
    convert.erase();
  }
};

} // namespace
