// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "tileaa/ir/Tileaa.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUFOLDSHAPES
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using tileaa::LoadViewOp;
using tileaa::StoreViewOp;

namespace {

ArrayRef<int64_t> shapeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

// The dimensions of extent other than 1, in order.
SmallVector<int64_t> properDims(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> dims;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (extent != 1)
      dims.push_back(dim);
  return dims;
}

// For a tile of shape `inner` in memory by `innerMap` that the program sees as `outer`, the map of the latter: proper
// dimensions keep theirs, those of extent 1 take what is left. Nothing if the reshape moves elements, or has more
// dimensions of extent 1 than the view has to give.
std::optional<SmallVector<int64_t>> remap(ArrayRef<int64_t> inner, ArrayRef<int64_t> innerMap, ArrayRef<int64_t> outer,
                                          int64_t viewRank) {
  SmallVector<int64_t> from = properDims(inner), to = properDims(outer);
  if (from.size() != to.size())
    return std::nullopt;
  SmallVector<int64_t> map(outer.size(), -1);
  llvm::SmallBitVector taken(viewRank);
  for (auto [fromDim, toDim] : llvm::zip(from, to)) {
    if (inner[fromDim] != outer[toDim])
      return std::nullopt;
    map[toDim] = innerMap[fromDim];
    taken.set(map[toDim]);
  }
  int64_t next = 0;
  for (int64_t &dim : map) {
    if (dim >= 0)
      continue;
    while (next < viewRank && taken[next])
      ++next;
    if (next == viewRank)
      return std::nullopt;
    dim = next++;
  }
  return map;
}

struct ReshapeOfLoad : OpRewritePattern<tileaa::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tileaa::ReshapeOp reshape, PatternRewriter &rewriter) const override {
    auto load = reshape.getSource().getDefiningOp<LoadViewOp>();
    auto type = dyn_cast<RankedTensorType>(reshape.getResult().getType());
    if (!load || !type || !load.getTile().hasOneUse())
      return rewriter.notifyMatchFailure(reshape, "not the only use of a loaded tile");
    std::optional<SmallVector<int64_t>> map =
        remap(shapeOf(load.getTile()), load.getDimMap(), type.getShape(), load.getView().getType().getRank());
    if (!map)
      return rewriter.notifyMatchFailure(reshape, "moves elements");
    rewriter.modifyOpInPlace(load, [&] {
      load.setDimMap(*map);
      load.getTile().setType(type);
    });
    rewriter.replaceOp(reshape, load.getTile());
    return success();
  }
};

struct PermuteOfLoad : OpRewritePattern<tileaa::PermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(tileaa::PermuteOp permute, PatternRewriter &rewriter) const override {
    auto load = permute.getSource().getDefiningOp<LoadViewOp>();
    if (!load || !load.getTile().hasOneUse())
      return rewriter.notifyMatchFailure(permute, "not the only use of a loaded tile");
    SmallVector<int64_t> map;
    for (int64_t dim : permute.getPermutation())
      map.push_back(load.getDimMap()[dim]);
    rewriter.modifyOpInPlace(load, [&] {
      load.setDimMap(map);
      load.getTile().setType(permute.getResult().getType());
    });
    rewriter.replaceOp(permute, load.getTile());
    return success();
  }
};

struct StoreOfReshape : OpRewritePattern<StoreViewOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreViewOp store, PatternRewriter &rewriter) const override {
    auto reshape = store.getTile().getDefiningOp<tileaa::ReshapeOp>();
    if (!reshape || !isa<RankedTensorType>(reshape.getSource().getType()))
      return rewriter.notifyMatchFailure(store, "stores no reshaped tile");
    std::optional<SmallVector<int64_t>> map = remap(shapeOf(store.getTile()), store.getDimMap(),
                                                    shapeOf(reshape.getSource()), store.getView().getType().getRank());
    if (!map)
      return rewriter.notifyMatchFailure(store, "the reshape moves elements");
    rewriter.modifyOpInPlace(store, [&] {
      store.setDimMap(*map);
      store.getTileMutable().assign(reshape.getSource());
    });
    return success();
  }
};

struct StoreOfPermute : OpRewritePattern<StoreViewOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreViewOp store, PatternRewriter &rewriter) const override {
    auto permute = store.getTile().getDefiningOp<tileaa::PermuteOp>();
    if (!permute)
      return rewriter.notifyMatchFailure(store, "stores no permuted tile");
    SmallVector<int64_t> map(permute.getPermutation().size());
    for (auto [result, source] : llvm::enumerate(permute.getPermutation()))
      map[source] = store.getDimMap()[result];
    rewriter.modifyOpInPlace(store, [&] {
      store.setDimMap(map);
      store.getTileMutable().assign(permute.getSource());
    });
    return success();
  }
};

struct CpuFoldShapes : tilewright::impl::CpuFoldShapesBase<CpuFoldShapes> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ReshapeOfLoad, PermuteOfLoad, StoreOfReshape, StoreOfPermute>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
