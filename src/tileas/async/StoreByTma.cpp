// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/conversion/Conversion.h"
#include "layout/memory/SharedAccess.h"
#include "machine/Architecture.h"
#include "tileaa/ir/Hints.h"
#include "tileas/async/Passes.h"
#include "tileas/async/TmaAccess.h"
#include "tileas/ir/Decisions.h"
#include "tileas/ir/LayoutParts.h"
#include "tileas/memory/SharedPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/FormatVariadic.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASSTOREBYTMA
#include "tileas/async/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class StoreByTma : public tilewright::impl::TileasStoreByTmaBase<StoreByTma> {
public:
  using TileasStoreByTmaBase::TileasStoreByTmaBase;

  void runOnOperation() override {
    tileas::TargetAttr target = tileas::targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    const nvidia::Architecture &architecture = target.getArchitecture();
    int64_t sharedBytes = architecture.sharedBytesPerBlock();
    mostStored = std::min(sharedBytes * 3 / 5, sharedBytes - tileas::SharedPlaces(getOperation()).total());
    stored = 0;
    const char *never = nullptr, *rarely = nullptr;
    if (!architecture.has(nvidia::Feature::Tma))
      never = "the architecture has no tensor memory accelerator";
    else if (target.isPortable() && !tileas::multipliesInLoop(getOperation()))
      rarely = "without a product in a loop it takes longer to describe the array than to store the tile";
    SmallVector<Operation *> stores;
    getOperation().walk([&](Operation *op) {
      if (isa<tileaa::StoreViewOp, tileaa::StorePtrOp>(op))
        stores.push_back(op);
    });
    decisions.emplace(getOperation());
    for (Operation *store : stores) {
      tileaa::declineHint(store, tileaa::hint::latency, "no operation waits for a store");
      auto ofView = dyn_cast<tileaa::StoreViewOp>(store);
      const char *obstacle = never ? never : isAskedFor(store) ? nullptr : rarely;
      std::string why = obstacle ? obstacle : ofView ? rewrite(ofView) : "its elements have addresses of their own";
      if (why.empty())
        continue;
      decisions->decide(store, tileas::DecisionKind::Way, tileas::way::threads, why);
      tileaa::answerWithoutTma(store, why);
    }
    decisions->write();
    if (!buffers.empty()) {
      OpBuilder builder(getOperation().getBody().front().getTerminator());
      tileas::TmaStoreWaitOp::create(builder, getOperation().getLoc(), buffers, 0);
      buffers.clear();
    }
  }

private:
  // Whether a part of the tile, of so many elements along `dim`, is in registers of its own.
  static bool isInRegisters(const layout::LinearLayout &layout, unsigned dim, int64_t extent) {
    for (layout::Dim in : {layout::Dim::Lane, layout::Dim::Warp})
      for (layout::F2Vector basis : layout.basisOf(in))
        if (int64_t(layout.coordinate(basis, layout::tileDim(dim))) >= extent)
          return false;
    return true;
  }

  static bool isAskedFor(Operation *store) {
    return tileas::askedFor(store, tileas::DecisionKind::Way) == tileas::way::tma;
  }

  static std::string refuse(tileaa::StoreViewOp store, const std::string &why) {
    store.emitRemark() << "is not stored by the tensor memory accelerator: " << why;
    return why;
  }

  // Whether writes of single elements, whose banks conflict, take more of shared memory than the conversion's writes
  // and reads: transpositions of 8192x8192 bf16 by tiles of 64x64 and 128x128 take 91 and 157 us by the tensor memory
  // accelerator on an H200, and 73 and 70 by threads.
  bool isSlowerToWrite(tileas::ConvertLayoutOp convert, tileas::BufferType buffer) {
    if (tileas::multipliesInLoop(getOperation()))
      return false;
    const nvidia::Architecture &architecture = tileas::targetOf(getOperation()).getArchitecture();
    layout::ConversionOptions options;
    options.elementBits = std::max(8u, buffer.getElementType().getIntOrFloatBitWidth());
    options.stmatrix = architecture.has(nvidia::Feature::Stmatrix);
    options.mostSharedBytes = architecture.sharedBytesPerBlock();
    const layout::LinearLayout &source = tileas::layoutOf(convert.getSource());
    auto conversion = layout::chooseConversion(source, tileas::layoutOf(convert.getResult()), options);
    int64_t parts =
        cast<RankedTensorType>(convert.getType()).getNumElements() / ShapedType::getNumElements(buffer.getShape());
    layout::SharedAccess write = layout::chooseSharedAccess(
        tileas::repeatedOver(source, buffer.getShape()).withoutFreeRegisters(), buffer.getLayout().getLayout(),
        layout::SharedDirection::Store, options.elementBits, options.stmatrix);
    return conversion && parts * write.wavefronts > conversion->cost.wavefronts;
  }

  // The reason where it stays as it is, as the end of a sentence.
  std::string rewrite(tileaa::StoreViewOp store) {
    if (!isa<RankedTensorType>(store.getTile().getType()))
      return "it is a single element";
    auto convert = store.getTile().getDefiningOp<tileas::ConvertLayoutOp>();
    if (!convert && !preferTma && !isAskedFor(store))
      return "the tile needs no layout conversion to be stored";
    if (convert && !convert->hasOneUse())
      return "the converted tile has other uses";
    // A dependent access would have to wait until the copy completes, and for the caches of the threads.
    if (!store.getResultToken().use_empty())
      return refuse(store, "later accesses depend on it");
    std::string why;
    auto type = cast<RankedTensorType>(store.getTile().getType());
    auto access = tileas::describeTmaAccess(store, store.getView(), store.getDimMap(), type.getShape(), why);
    if (!access)
      return refuse(store, why);
    // The dimension of the tile that is cut into boxes.
    unsigned dim = llvm::find(store.getDimMap(), int64_t(access->splitDim)) - store.getDimMap().begin();
    SmallVector<int64_t> shape(type.getShape());
    int64_t boxExtent = shape[dim] / access->boxes;
    Value source = convert ? convert.getSource() : store.getTile();
    bool byBox = access->boxes > 1 && isInRegisters(tileas::layoutOf(source), dim, boxExtent);
    if (byBox) {
      shape[dim] = boxExtent;
      access = tileas::describeTmaAccess(store, store.getView(), store.getDimMap(), shape, why);
    }
    auto buffer = tileas::BufferType::get(&getContext(), shape, type.getElementType(),
                                          tileas::LayoutAttr::get(&getContext(), access->layout));
    if (convert && !isAskedFor(store) && isSlowerToWrite(convert, buffer))
      return refuse(store,
                    "the tile takes longer to be written to shared memory as arrays lie there than to change its "
                    "layout, and no product runs meanwhile");
    int64_t parts = type.getShape()[dim] / shape[dim], count = std::min<int64_t>(parts, 2);
    if (delayWait && parts * buffer.getBytes() <= mostBytes)
      count = parts;
    // The threads' own store needs no memory that lasts, and what it needs for another layout it takes part by part.
    int64_t withThis = stored + count * buffer.getBytes();
    if (withThis > mostStored)
      return refuse(store,
                    llvm::formatv("{0} bytes of tiles would wait in shared memory, and {1} may", withThis, mostStored));
    stored = withThis;
    decisions->decide(store, tileas::DecisionKind::Way, tileas::way::tma,
                      "the tile would change its layout to be stored");
    storeParts(store, source, *access, buffer, {dim, byBox ? boxExtent : 0, parts, count});
    tileaa::followHint(store, tileaa::hint::allowTma, "the tensor memory accelerator stores the tile");
    store.erase();
    if (convert)
      convert.erase();
    return "";
  }

  // The parts of a tile that go through buffers one after another: all of it, or single boxes.
  struct Parts {
    unsigned dim;      // along which they lie
    int64_t boxExtent; // of a part that is extracted; 0 where the tile is one part
    int64_t count, buffers;
  };

  void storeParts(tileaa::StoreViewOp store, Value source, const tileas::TmaAccess &access, tileas::BufferType buffer,
                  Parts parts) {
    OpBuilder builder(store);
    Location loc = store.getLoc();
    // Described where views are: at the top, for whichever agent stores. Buffers may be read until the kernel ends.
    OpBuilder outside(store.getView().getDefiningOp());
    outside.setInsertionPointAfter(store.getView().getDefiningOp());
    Value desc = tileas::MakeTmaDescOp::create(outside, loc, tileas::TmaDescType::get(&getContext()), store.getView(),
                                               access.box, unsigned(access.swizzle), TypeAttr(), /*stored=*/true);
    auto top = OpBuilder::atBlockBegin(&getOperation().getBody().front());
    SmallVector<Value> own;
    for (int64_t number = 0; number != parts.buffers; ++number)
      own.push_back(tileas::AllocOp::create(top, loc, buffer, IntegerAttr()));
    llvm::append_range(buffers, own);
    for (int64_t part = 0; part != parts.count; ++part) {
      tileas::TmaStoreWaitOp::create(builder, loc, own, own.size() - 1);
      Value tile = source;
      SmallVector<Value> offsets(store.getOffsets());
      if (parts.boxExtent) {
        auto zero = arith::ConstantIndexOp::create(builder, loc, 0);
        Value begin = arith::ConstantIndexOp::create(builder, loc, part * parts.boxExtent);
        tile = extractBox(source, buffer.getShape(), zero, parts.dim, begin, builder);
        Value &offset = offsets[access.splitDim];
        offset = arith::AddIOp::create(builder, loc, offset, begin);
      }
      Value into = own[part % own.size()];
      tileas::WriteOp::create(builder, loc, tile, into);
      tileas::TmaStoreOp::create(builder, loc, into, desc, offsets, access.splitDim, access.boxes);
    }
  }

  static Value extractBox(Value source, ArrayRef<int64_t> shape, Value zero, unsigned dim, Value begin,
                          OpBuilder &builder) {
    SmallVector<Value> inTile(shape.size(), zero);
    inTile[dim] = begin;
    auto layout = tileas::repeatedOver(tileas::layoutOf(source), shape).withoutFreeRegisters();
    Type type = tileas::typeWith(getElementTypeOrSelf(source.getType()), layout);
    return tileaa::ExtractOp::create(builder, zero.getLoc(), type, source, inTile);
  }

  static constexpr int64_t mostBytes = 96 << 10; // the rest is for stages of pipelines
  // Of all buffers: 128x256 of f32 leave two stages of 128x64 and 64x256 halves on Blackwell. Operands of products have
  // room beside them, at least for one stage.
  int64_t mostStored = 0, stored = 0;
  SmallVector<Value> buffers;
  std::optional<tileas::DecisionTable> decisions; // while stores are walked
};

} // namespace
