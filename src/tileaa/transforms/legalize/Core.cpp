// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Numbers.h"
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"

namespace tilewright {
#define GEN_PASS_DEF_LEGALIZECOREPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

RankedTensorType typeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType());
}

/// Tile work at a place.
struct Tiles {
  OpBuilder builder;
  Location loc;

  explicit Tiles(Operation *op) : builder(op), loc(op->getLoc()) {}

  Value convert(Value tile, Type from, Type to) {
    RankedTensorType type = typeOf(tile).clone(tileaa::storageOf(to));
    return tileaa::ConvertOp::create(builder, loc, type, tile, from, to, tileaa::Rounding::NearestEven,
                                     /*isUnsigned=*/false, /*saturate=*/false);
  }
  Value reshape(Value tile, ArrayRef<int64_t> shape) {
    return builder.createOrFold<tileaa::ReshapeOp>(loc, typeOf(tile).clone(shape), tile);
  }
  /// Exchanges two neighbouring dimensions.
  Value exchange(Value tile, int64_t dim) {
    SmallVector<int64_t> shape(typeOf(tile).getShape());
    auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
    std::swap(shape[dim], shape[dim + 1]);
    std::swap(permutation[dim], permutation[dim + 1]);
    return tileaa::PermuteOp::create(builder, loc, typeOf(tile).clone(shape), tile, permutation);
  }
  Value broadcast(Value tile, ArrayRef<int64_t> shape) {
    return builder.createOrFold<tileaa::BroadcastOp>(loc, typeOf(tile).clone(shape), tile);
  }
  Value sum(Value tile, int64_t dim) {
    Type element = typeOf(tile).getElementType();
    SmallVector<int64_t> shape(typeOf(tile).getShape());
    shape.erase(shape.begin() + dim);
    Value zero = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
    auto reduce = tileaa::ReduceOp::create(builder, loc, TypeRange(typeOf(tile).clone(shape)), ValueRange(tile),
                                           ValueRange(zero), dim);
    OpBuilder::InsertionGuard guard(builder);
    Block *body = builder.createBlock(&reduce.getBody(), {}, {element, element}, {loc, loc});
    Value both = arith::AddFOp::create(builder, loc, body->getArgument(0), body->getArgument(1));
    tileaa::YieldOp::create(builder, loc, both);
    return reduce.getResult(0);
  }
};

/// The narrowest type of arith that holds all numbers of a format.
Type holderOf(Type format) {
  if (isa<FloatTF32Type>(format))
    return Float32Type::get(format.getContext());
  return BFloat16Type::get(format.getContext());
}

void legalize(tileaa::MmaOp mma) {
  Tiles tiles(mma);
  Type format = *mma.getFormat(), to = holderOf(format);
  mma.getLhsMutable().assign(tiles.convert(mma.getLhs(), format, to));
  mma.getRhsMutable().assign(tiles.convert(mma.getRhs(), format, to));
  mma.removeFormatAttr();
}

/// With S blocks along K, the batch of products [S,M,V] @ [S,V,N] is scaled and its S results are added. In f64 a
/// product times two scales is exact, and neither overflows where the result does not.
void legalize(tileaa::MmaScaledOp mma) {
  Tiles tiles(mma);
  Type format = mma.getFormat(), to = holderOf(format), scaleFormat = mma.getScaleFormat();
  auto f64 = tiles.builder.getF64Type();
  ArrayRef<int64_t> lhsShape = typeOf(mma.getLhs()).getShape(), accShape = typeOf(mma.getAcc()).getShape();
  int64_t lead = lhsShape.size() - 2;
  int64_t rows = accShape[lead], columns = accShape[lead + 1], depth = lhsShape[lead + 1];
  int64_t blocks = typeOf(mma.getRhsScale()).getShape()[lead], size = depth / blocks;
  int64_t batch = lead ? lhsShape[0] : 1;
  auto shaped = [&](std::initializer_list<int64_t> rest) {
    SmallVector<int64_t> shape(lhsShape.take_front(lead));
    shape.append(rest);
    return shape;
  };

  Value lhs = tiles.exchange(tiles.reshape(mma.getLhs(), shaped({rows, blocks, size})), lead);
  lhs = tiles.convert(tiles.reshape(lhs, {batch * blocks, rows, size}), format, to);
  Value rhs = tiles.convert(tiles.reshape(mma.getRhs(), {batch * blocks, size, columns}), format, to);
  auto productType = RankedTensorType::get({batch * blocks, rows, columns}, tiles.builder.getF32Type());
  Value zero = arith::ConstantOp::create(tiles.builder, tiles.loc, tiles.builder.getZeroAttr(productType));
  Value product =
      tileaa::MmaOp::create(tiles.builder, tiles.loc, productType, lhs, rhs, zero, false, false, TypeAttr());
  SmallVector<int64_t> each = shaped({blocks, rows, columns});
  product =
      arith::ExtFOp::create(tiles.builder, tiles.loc, RankedTensorType::get(each, f64), tiles.reshape(product, each));

  Value lhsScale = tiles.convert(tiles.exchange(mma.getLhsScale(), lead), scaleFormat, f64);
  lhsScale = tiles.broadcast(tiles.reshape(lhsScale, shaped({blocks, rows, 1})), each);
  Value rhsScale = tiles.convert(mma.getRhsScale(), scaleFormat, f64);
  rhsScale = tiles.broadcast(tiles.reshape(rhsScale, shaped({blocks, 1, columns})), each);
  Value scaled = arith::MulFOp::create(tiles.builder, tiles.loc, product, lhsScale);
  scaled = arith::MulFOp::create(tiles.builder, tiles.loc, scaled, rhsScale);
  Value sum = tiles.sum(scaled, lead);
  Value acc = arith::ExtFOp::create(tiles.builder, tiles.loc, sum.getType(), mma.getAcc());
  sum = arith::AddFOp::create(tiles.builder, tiles.loc, sum, acc);
  mma.replaceAllUsesWith(arith::TruncFOp::create(tiles.builder, tiles.loc, mma.getType(), sum).getResult());
  mma.erase();
}

class LegalizeCore : public tilewright::impl::LegalizeCorePassBase<LegalizeCore> {
public:
  using LegalizeCorePassBase::LegalizeCorePassBase;

private:
  bool isNative(Type format) const {
    std::string name;
    llvm::raw_string_ostream(name) << format;
    return llvm::is_contained(native, name);
  }

  bool isNative(tileaa::MmaScaledOp mma) const {
    int64_t depth = typeOf(mma.getLhs()).getShape().back(), blocks = typeOf(mma.getLhsScale()).getShape().back();
    std::string name;
    llvm::raw_string_ostream(name) << mma.getFormat() << ":" << mma.getScaleFormat() << ":" << depth / blocks;
    // A step of the instruction is 32 bytes of K.
    return llvm::is_contained(nativeScaled, name) && depth * mma.getFormat().getIntOrFloatBitWidth() >= 256;
  }

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto mma = dyn_cast<tileaa::MmaOp>(op); mma && mma.getFormat() && !isNative(*mma.getFormat()))
        legalize(mma);
      else if (auto scaled = dyn_cast<tileaa::MmaScaledOp>(op); scaled && !isNative(scaled))
        legalize(scaled);
    });
  }
};

} // namespace
