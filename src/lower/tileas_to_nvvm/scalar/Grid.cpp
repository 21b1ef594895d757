// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/scalar/ScalarPatterns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilewright;

namespace {

// Three coordinates, each in a special register.
template <typename Op, typename X, typename Y, typename Z> struct GridPattern : TilePattern<Op> {
  using TilePattern<Op>::TilePattern;
  LogicalResult lower(Op op, typename TilePattern<Op>::Adaptor, ThreadBuilder &thread) const override {
    Type i32 = thread.builder.getI32Type();
    Value x = X::create(thread.builder, thread.loc, i32), y = Y::create(thread.builder, thread.loc, i32),
          z = Z::create(thread.builder, thread.loc, i32);
    thread.builder.replaceOp(op, {x, y, z});
    return success();
  }
};

struct MultiprocessorsPattern : TilePattern<tileas::MultiprocessorsOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::MultiprocessorsOp op, Adaptor, ThreadBuilder &thread) const override {
    return thread.replace(op, NVVM::SmDimOp::create(thread.builder, thread.loc, op.getType()).getResult());
  }
};

struct ClusterPattern : TilePattern<tileas::ClusterOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::ClusterOp op, Adaptor, ThreadBuilder &thread) const override {
    Type i32 = thread.builder.getI32Type();
    Value number = NVVM::ClusterIdXOp::create(thread.builder, thread.loc, i32),
          count = NVVM::ClusterDimXOp::create(thread.builder, thread.loc, i32),
          rank = NVVM::ClusterId::create(thread.builder, thread.loc, i32);
    thread.builder.replaceOp(op, {number, count, rank});
    return success();
  }
};

// Tokens order accesses of tiles; those of a thread keep their order.
template <typename Op> struct TokenPattern : TilePattern<Op> {
  using TilePattern<Op>::TilePattern;
  LogicalResult lower(Op op, typename TilePattern<Op>::Adaptor, ThreadBuilder &thread) const override {
    return thread.replace(op);
  }
};

} // namespace

void tilewright::populateGridPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<GridPattern<tileaa::BlockIdOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>,
               GridPattern<tileaa::NumBlocksOp, NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>,
               MultiprocessorsPattern, ClusterPattern, TokenPattern<tileaa::MakeTokenOp>,
               TokenPattern<tileaa::JoinTokensOp>>(kernel);
}
