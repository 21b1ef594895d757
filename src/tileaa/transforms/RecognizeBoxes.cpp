// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlir/IR/Matchers.h"
#include "tileaa/analysis/MaskBounds.h"
#include "tileaa/ir/Numbers.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_RECOGNIZEBOXESPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;

namespace {

// A dimension of the view: where the tile begins, and the extent that its bounds leave. Lengths count elements.
struct BoxDim {
  Polynomial stride, offset;
  SmallVector<Polynomial, 2> ends; // the least of them; of none there is no bound
  bool endsAreUnsigned = false;
  Value holds; // instead of all others but the stride: whether there are elements at all
};

// The box that the addresses and the mask of an access describe: first the dimensions of its view that no dimension of
// the tile runs along, then those of the tile.
class Box {
public:
  Box(RankedTensorType tile, AffineTiles &tiles)
      : tile(tile), tiles(tiles), bytes(std::max<int64_t>(1, tile.getElementTypeBitWidth() / 8)) {}

  bool choose(const AffineTile &addresses, ArrayRef<MaskBound> bounds) {
    base = addresses.start;
    SmallVector<BoxDim> own;
    for (const Polynomial &step : addresses.steps) {
      std::optional<Polynomial> stride = step.dividedBy(bytes);
      if (!stride)
        return false;
      own.push_back({*stride});
    }
    for (unsigned dim = 0; dim < own.size(); ++dim) {
      auto isOfDim = [&](const MaskBound &bound) { return bound.dim == dim; };
      if (!addBounds(own[dim], llvm::to_vector(llvm::make_filter_range(bounds, isOfDim))))
        return false;
    }
    for (const MaskBound &bound : bounds)
      if (!bound.dim)
        addShared(bound);
    for (const BoxDim &dim : own)
      base = base - dim.offset * dim.stride * bytes;
    moveIntoOffset(own);
    numShared = dims.size();
    llvm::append_range(dims, own);
    return true;
  }

  bool isContiguous() const {
    return llvm::any_of(llvm::enumerate(tile.getShape()), [&](auto extent) {
      return extent.value() > 1 && dims[numShared + extent.index()].stride.getConstant() == 1;
    });
  }

  // Whether no two elements have one address, as far as strides are known.
  bool isInjective() const {
    return llvm::none_of(llvm::enumerate(tile.getShape()), [&](auto extent) {
      return extent.value() > 1 && dims[numShared + extent.index()].stride.isZero();
    });
  }

  void make(OpBuilder &builder, Location loc) {
    SmallVector<int64_t> shape, strides;
    SmallVector<Value> extents, steps;
    for (auto [number, dim] : llvm::enumerate(dims)) {
      inbounds.push_back(!dim.holds && dim.ends.empty());
      Value extent = dim.ends.empty() ? Value() : makeEnd(builder, loc, dim);
      APInt known;
      bool isKnown = extent && matchPattern(extent, m_ConstantInt(&known)) && !known.isNegative();
      int64_t unbounded = number < numShared ? 1 : tile.getDimSize(number - numShared);
      shape.push_back(extent && !isKnown ? ShapedType::kDynamic : isKnown ? known.getSExtValue() : unbounded);
      if (extent && !isKnown)
        extents.push_back(toIndex(builder, loc, extent));
      std::optional<int64_t> stride = dim.stride.getConstant();
      strides.push_back(stride.value_or(ShapedType::kDynamic));
      if (!stride)
        steps.push_back(toIndex(builder, loc, tiles.make(builder, loc, dim.stride)));
      offsets.push_back(makeOffset(builder, loc, dim));
      if (number >= numShared)
        dimMap.push_back(number);
    }
    auto type = ViewType::get(builder.getContext(), shape, tile.getElementType(), strides);
    view = MakeViewOp::create(builder, loc, type, tiles.make(builder, loc, base), extents, steps);
  }

  Value view;
  SmallVector<Value> offsets;
  SmallVector<int64_t> dimMap;
  SmallVector<bool> inbounds;

private:
  // Offsets are counted from where an index is zero, so that one test says that it is not negative.
  static bool addBounds(BoxDim &dim, ArrayRef<MaskBound> bounds) {
    if (bounds.empty())
      return true;
    const MaskBound *origin = nullptr;
    for (const MaskBound &bound : bounds) {
      if (!bound.fromZero)
        continue;
      std::optional<int64_t> distance = origin ? (bound.start - origin->start).getConstant() : 0;
      if (!distance)
        return false;
      if (!origin || *distance < 0)
        origin = &bound;
    }
    if (origin)
      dim.offset = origin->start;
    for (const MaskBound &bound : bounds) {
      if (!bound.end)
        continue;
      dim.endsAreUnsigned |= bound.endIsUnsigned;
      dim.ends.push_back(*bound.end - (bound.start - dim.offset));
    }
    return !dim.ends.empty() && (!dim.endsAreUnsigned || dim.ends.size() == 1);
  }

  // An index that all elements share has its own stride in the addresses, if they contain it.
  void addShared(const MaskBound &bound) {
    BoxDim dim{1};
    dim.holds = bound.holds;
    if (!bound.holds) {
      std::optional<Polynomial> stride = base.coefficientOf(*bound.start.getScalar()).dividedBy(bytes);
      dim.stride = stride.value_or(0);
      dim.offset = bound.start;
      dim.ends.push_back(*bound.end);
      base = base - dim.offset * dim.stride * bytes;
    }
    dims.push_back(dim);
  }

  // Without bounds, all that counts elements is part of the offset, so that views of several blocks are one.
  void moveIntoOffset(SmallVectorImpl<BoxDim> &own) {
    auto *dim = llvm::find_if(own, [](const BoxDim &each) { return each.stride.getConstant() == 1; });
    if (dim == own.end() || !dim->ends.empty())
      return;
    Polynomial address;
    for (const auto &[product, factor] : base.getTerms())
      if (factor == 1 && product.size() == 1 && isa_and_nonnull<BlockArgument>(tiles.originOf(product.front())))
        address = address + Polynomial::ofScalar(product.front());
    std::optional<Polynomial> elements = (base - address).dividedBy(bytes);
    if (address.isZero() || !elements)
      return;
    dim->offset = *elements;
    base = address;
  }

  Value toIndex(OpBuilder &builder, Location loc, Value value) {
    return builder.createOrFold<arith::IndexCastOp>(loc, builder.getIndexType(), value);
  }

  Value makeOffset(OpBuilder &builder, Location loc, const BoxDim &dim) {
    if (!dim.holds)
      return toIndex(builder, loc, tiles.make(builder, loc, dim.offset));
    Value holds = AffineTiles::makeScalar(builder, dim.holds);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    return arith::SelectOp::create(builder, loc, holds, zero, one);
  }

  Value makeEnd(OpBuilder &builder, Location loc, const BoxDim &dim) {
    Value least;
    for (const Polynomial &end : dim.ends) {
      Value value = tiles.make(builder, loc, end);
      least = least ? builder.createOrFold<arith::MinSIOp>(loc, least, value) : value;
    }
    if (!dim.endsAreUnsigned)
      return least;
    Value zero = arith::ConstantIntOp::create(builder, loc, 0, 64);
    Value most = arith::ConstantIntOp::create(builder, loc, int64_t(1) << 62, 64);
    Value isLarge = builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, least, zero);
    return builder.createOrFold<arith::SelectOp>(loc, isLarge, most, least);
  }

  RankedTensorType tile;
  AffineTiles &tiles;
  int64_t bytes;
  Polynomial base;
  SmallVector<BoxDim> dims;
  size_t numShared = 0;
};

// A padding of views that is the same number; nothing for others. Without one, elements outside are undefined.
FailureOr<PaddingAttr> paddingOfView(LoadPtrOp load) {
  if (!load.getMask() || !load.getPadding())
    return PaddingAttr();
  SplatElementsAttr splat;
  if (!AffineTiles::isUniform(load.getPadding()))
    return failure();
  Value padding = load.getPadding();
  while (isa_and_present<BroadcastOp, ReshapeOp, PermuteOp>(padding.getDefiningOp()))
    padding = padding.getDefiningOp()->getOperand(0);
  Attribute number;
  if (matchPattern(padding, m_Constant(&splat)))
    number = splat.getSplatValue<Attribute>();
  else if (!matchPattern(padding, m_Constant(&number)))
    return failure();
  for (Padding each : {Padding::Zero, Padding::NegZero, Padding::Nan, Padding::PosInf, Padding::NegInf})
    if (number == Attribute(paddingOf(each, cast<TypedAttr>(number).getType())))
      return PaddingAttr::get(load.getContext(), each);
  return failure();
}

class RecognizeBoxes : public tilewright::impl::RecognizeBoxesPassBase<RecognizeBoxes> {
  void runOnOperation() override {
    AffineTiles tiles;
    MaskBounds masks(getOperation(), tiles);
    SmallVector<Operation *> accesses;
    getOperation().walk([&](Operation *op) {
      if (isa<LoadPtrOp, StorePtrOp>(op))
        accesses.push_back(op);
    });
    llvm::erase_if(accesses, [&](Operation *op) {
      auto load = dyn_cast<LoadPtrOp>(op);
      return load ? !rewrite(load, tiles, masks) : !rewrite(cast<StorePtrOp>(op), tiles, masks);
    });
    // Last: what was found is known by its values.
    for (Operation *op : accesses)
      op->erase();
  }

  template <typename Access>
  static std::optional<Box> boxOf(Access access, Type tile, AffineTiles &tiles, MaskBounds &masks) {
    auto type = dyn_cast<RankedTensorType>(tile);
    if (!type || access.getOrdering())
      return std::nullopt;
    std::optional<AffineTile> addresses = tiles.of(access.getAddresses());
    if (!addresses)
      return std::nullopt;
    std::optional<SmallVector<MaskBound>> bounds = masks.of(access.getMask(), addresses->start);
    Box box(type, tiles);
    if (!bounds || !box.choose(*addresses, *bounds) || !box.isContiguous())
      return std::nullopt;
    return box;
  }

  static bool rewrite(LoadPtrOp load, AffineTiles &tiles, MaskBounds &masks) {
    FailureOr<PaddingAttr> padding = paddingOfView(load);
    std::optional<Box> box =
        succeeded(padding) ? boxOf(load, load.getTile().getType(), tiles, masks) : std::optional<Box>();
    if (!box)
      return false;
    OpBuilder builder(load);
    box->make(builder, load.getLoc());
    auto boxed = LoadViewOp::create(builder, load.getLoc(), load.getTile().getType(), load.getResultToken().getType(),
                                    box->view, box->offsets, load.getToken(), builder.getDenseI64ArrayAttr(box->dimMap),
                                    *padding, builder.getDenseBoolArrayAttr(box->inbounds), TypeAttr(),
                                    load.getHintsAttr(), load.getCache());
    load.replaceAllUsesWith(boxed);
    return true;
  }

  static bool rewrite(StorePtrOp store, AffineTiles &tiles, MaskBounds &masks) {
    std::optional<Box> box = boxOf(store, store.getTile().getType(), tiles, masks);
    if (!box || !box->isInjective())
      return false;
    OpBuilder builder(store);
    box->make(builder, store.getLoc());
    auto boxed =
        StoreViewOp::create(builder, store.getLoc(), store.getResultToken().getType(), store.getTile(), box->view,
                            box->offsets, store.getToken(), builder.getDenseI64ArrayAttr(box->dimMap),
                            builder.getDenseBoolArrayAttr(box->inbounds), store.getHintsAttr(), store.getCache());
    store.getResultToken().replaceAllUsesWith(boxed.getResultToken());
    return true;
  }
};

} // namespace
