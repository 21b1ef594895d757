// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "tileaa/ir/Hints.h"
#include "tileaa/ir/Numbers.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tilewright;

//===-- types -------------------------------------------------------------===//

TileaaTypes::TileaaTypes() {
  addConversion([](Type type) -> std::optional<Type> {
    if (isa<ct::CudaTileDialect>(type.getDialect()))
      return std::nullopt;
    return type;
  });
  // Numbers that nothing computes in lie in other types; the operations that read them name the format.
  addConversion([](FloatType type) -> Type { return aa::storageOf(type); });
  addConversion([](IntegerType type) -> Type { return aa::storageOf(type); });
  addConversion([](ct::PtrType type) -> Type { return IntegerType::get(type.getContext(), 64); });
  addConversion([](ct::TokenType type) -> Type { return aa::TokenType::get(type.getContext()); });
  addConversion([this](ct::TileType type) -> Type {
    Type element = convertType(type.getElementType());
    if (!element || type.getShape().empty())
      return element;
    return RankedTensorType::get(type.getShape(), element);
  });
  addConversion([this](ct::TensorViewType type) -> Type {
    return aa::ViewType::get(type.getContext(), type.getShape(), convertType(type.getElementType()), type.getStrides());
  });
  // A view of tiles is the tensor it looks at; how tiles lie in it is known where it is used.
  auto convertTileView = [this](ct::TileView type) -> Type { return convertType(type.getTensorView()); };
  addConversion([=](ct::PartitionViewType type) -> Type { return convertTileView(type); });
  addConversion([=](ct::StridedViewType type) -> Type { return convertTileView(type); });
  addConversion([=](ct::GatherScatterViewType type) -> Type { return convertTileView(type); });

  auto materialize = [](OpBuilder &builder, Type type, ValueRange inputs, Location loc) -> Value {
    return UnrealizedConversionCastOp::create(builder, loc, type, inputs).getResult(0);
  };
  addSourceMaterialization(materialize);
  addTargetMaterialization(materialize);
}

Type tilewright::withElementType(Type type, Type element) {
  if (auto shaped = dyn_cast<RankedTensorType>(type))
    return RankedTensorType::get(shaped.getShape(), element);
  return element;
}

//===-- constants ---------------------------------------------------------===//

Value Emitter::constant(Type type, TypedAttr scalar) {
  if (auto shaped = dyn_cast<RankedTensorType>(type))
    return create<arith::ConstantOp>(DenseElementsAttr::get(shaped, Attribute(scalar)));
  return create<arith::ConstantOp>(scalar);
}

Value Emitter::constant(Type type, const APInt &value) {
  return constant(type, cast<TypedAttr>(Attribute(IntegerAttr::get(getElementTypeOrSelf(type), value))));
}

Value Emitter::constant(Type type, const APFloat &value) {
  return constant(type, cast<TypedAttr>(Attribute(FloatAttr::get(getElementTypeOrSelf(type), value))));
}

Value Emitter::constant(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  if (isa<FloatType>(element))
    return constant(type, cast<TypedAttr>(Attribute(FloatAttr::get(element, static_cast<double>(value)))));
  return constant(type, APInt(element.getIntOrFloatBitWidth(), value, /*isSigned=*/true, /*implicitTrunc=*/true));
}

Value Emitter::index(int64_t value) {
  return create<arith::ConstantIndexOp>(value);
}

Value Emitter::toIndex(Value value) {
  return make<arith::IndexCastOp>(rewriter.getIndexType(), value);
}

Value Emitter::splat(Value scalar, RankedTensorType type) {
  return make<aa::BroadcastOp>(type, scalar);
}

std::optional<APInt> tilewright::getConstantInt(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<aa::BroadcastOp, aa::ReshapeOp, aa::AssumeDivByOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    auto constant = dyn_cast<arith::ConstantOp>(op);
    if (!constant)
      return std::nullopt;
    if (auto scalar = dyn_cast<IntegerAttr>(constant.getValue()))
      return scalar.getValue();
    if (auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue()); dense && dense.isSplat())
      return dense.getSplatValue<APInt>();
    return std::nullopt;
  }
  return std::nullopt;
}

aa::HintsAttr tilewright::hintsFor(std::optional<ct::OptimizationHintsAttr> hints) {
  if (!hints)
    return {};
  // An architecture without hints says nothing.
  auto saysSomething = [](NamedAttribute entry) {
    auto inner = dyn_cast<DictionaryAttr>(entry.getValue());
    return !inner || !inner.empty();
  };
  if (!llvm::any_of(hints->getValue(), saysSomething))
    return {};
  return aa::HintsAttr::get(hints->getContext(), hints->getValue());
}

//===-- endings -----------------------------------------------------------===//

LogicalResult Emitter::replace(ValueRange values) {
  rewriter.replaceOp(op, values);
  return success();
}

/// Some value of a type, where a program gives none.
static Value makeAny(OpBuilder &builder, Location loc, Type type) {
  if (isa<aa::TokenType>(type))
    return aa::MakeTokenOp::create(builder, loc);
  if (auto view = dyn_cast<aa::ViewType>(type)) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value base = arith::ConstantIntOp::create(builder, loc, 0, 64);
    return aa::MakeViewOp::create(builder, loc, view, base, SmallVector<Value>(view.getNumDynamicDims(), zero),
                                  SmallVector<Value>(view.getNumDynamicStrides(), zero));
  }
  if (isa<RankedTensorType>(type))
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return ub::PoisonOp::create(builder, loc, type);
}

LogicalResult Emitter::refuse(const Twine &what) {
  refused = true;
  emitError(loc) << op->getName().getStringRef() << what << " is not lowered to tileaa yet";
  SmallVector<Value> results;
  for (Type type : op->getResultTypes())
    results.push_back(makeAny(rewriter, loc, convert(type)));
  rewriter.replaceOp(op, results);
  return success();
}

//===-- what is left ------------------------------------------------------===//

namespace {

class RefuseRest : public ConversionPattern {
public:
  RefuseRest(const TypeConverter &types, MLIRContext *context, bool &refused)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/0, context), refused(refused) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<Value>, ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<ct::CudaTileDialect>(op->getDialect()))
      return failure();
    return Emitter(op, rewriter, *getTypeConverter(), refused).refuse();
  }

private:
  bool &refused;
};

/// Values that structureControlFlow left undefined.
class LowerPoison : public OpConversionPattern<ub::PoisonOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(ub::PoisonOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, makeAny(rewriter, op.getLoc(), getTypeConverter()->convertType(op.getType())));
    return success();
  }
};

/// A cast between a scalar tile and a scalar: the same type now.
class LowerCast : public OpConversionPattern<UnrealizedConversionCastOp> {
public:
  using OpConversionPattern::OpConversionPattern;

  LogicalResult matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor operands,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, operands.getInputs());
    return success();
  }
};

} // namespace

void tilewright::populateRefusals(Lowerings &lowerings) {
  MLIRContext *context = lowerings.patterns.getContext();
  lowerings.patterns.add<RefuseRest>(lowerings.types, context, lowerings.refused);
  lowerings.patterns.add<LowerPoison, LowerCast>(lowerings.types, context);
}
