// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions and scans.
#include "cpp/ops/Operations.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tilewright::cpp {

using cuda_tile::ComparisonPredicate;

namespace {

/// The element that changes no result.
enum class Identity { Zero, One, Ones, Least, Greatest };

struct Fold {
  StringRef name;
  StringRef elementwise; // the operation of two elements, as Elementwise.h has it
  Identity identity;
};
const Fold folds[] = {
    {"reduce_add", "add", Identity::Zero},
    {"reduce_mul", "mul", Identity::One},
    {"reduce_max", "max", Identity::Least},
    {"reduce_min", "min", Identity::Greatest},
    {"reduce_bit_and", "bit_and", Identity::Ones},
    {"reduce_bit_or", "bit_or", Identity::Zero},
    {"reduce_bit_xor", "bit_xor", Identity::Zero},
    {"scan_add", "add", Identity::Zero},
    {"scan_mul", "mul", Identity::One},
};

TypedAttr identityOf(Identity identity, Type element, bool isSigned) {
  if (auto format = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = format.getFloatSemantics();
    switch (identity) {
    case Identity::One:
      return FloatAttr::get(format, llvm::APFloat(semantics, 1));
    case Identity::Least:
      return FloatAttr::get(format, llvm::APFloat::getInf(semantics, /*Negative=*/true));
    case Identity::Greatest:
      return FloatAttr::get(format, llvm::APFloat::getInf(semantics));
    default:
      return FloatAttr::get(format, llvm::APFloat::getZero(semantics));
    }
  }
  unsigned bits = element.getIntOrFloatBitWidth();
  switch (identity) {
  case Identity::Zero:
    return IntegerAttr::get(element, llvm::APInt::getZero(bits));
  case Identity::One:
    return IntegerAttr::get(element, llvm::APInt(bits, 1));
  case Identity::Ones:
    return IntegerAttr::get(element, llvm::APInt::getAllOnes(bits));
  case Identity::Least:
    return IntegerAttr::get(element, isSigned ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getMinValue(bits));
  case Identity::Greatest:
    return IntegerAttr::get(element, isSigned ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getMaxValue(bits));
  }
  llvm_unreachable("an identity");
}

/// Builds a reduce or scan of `operands`, whose body combines elements: lhs0, rhs0, lhs1, rhs1, ...
Operation *buildFold(OperationCall &call, bool isScan, ArrayRef<Value> operands, ArrayRef<Attribute> identities,
                     llvm::function_ref<SmallVector<Value>(Block &)> combine) {
  OpBuilder &builder = call.emitter.builder;
  int64_t dim = call.numbers[0];
  OperationState state(call.emitter.getLocation(),
                       isScan ? cuda_tile::ScanOp::getOperationName() : cuda_tile::ReduceOp::getOperationName());
  auto body = std::make_unique<Region>();
  Block &block = body->emplaceBlock();
  for (Value operand : operands) {
    cuda_tile::TileType type = tileTypeOf(operand);
    SmallVector<int64_t> shape(type.getShape());
    if (!isScan)
      shape.erase(shape.begin() + dim);
    state.addTypes(cuda_tile::TileType::get(shape, type.getElementType()));
    for (int i = 0; i < 2; ++i)
      block.addArgument(cuda_tile::TileType::get({}, type.getElementType()), call.emitter.getLocation());
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&block);
    call.emitter.build<cuda_tile::YieldOp>(TypeRange(), combine(block));
  }
  state.addOperands(operands);
  state.addAttribute("dim", builder.getI32IntegerAttr(dim));
  if (isScan)
    state.addAttribute("reverse", builder.getBoolAttr(call.modifiers.isBackward));
  state.addAttribute("identities", builder.getArrayAttr(identities));
  state.addRegion(std::move(body));
  return builder.create(state);
}

Value fold(OperationCall &call) {
  const Fold &row = *llvm::find_if(folds, [&](const Fold &candidate) { return candidate.name == call.name; });
  Value operand = call.operands[0];
  bool isSigned = call.layout.isSigned(call.types[0]);
  Attribute identity = identityOf(row.identity, tileTypeOf(operand).getElementType(), isSigned);
  Operation *op = buildFold(call, call.name.starts_with("scan"), operand, identity, [&](Block &block) {
    return SmallVector<Value>{buildElementwise(call.emitter, row.elementwise,
                                               {block.getArgument(0), block.getArgument(1)}, isSigned, call.modifiers)};
  });
  return call.emitter.reshape(op->getResult(0), call.resultType().getShape());
}

// The index of the first of the largest elements, or of the smallest.
Value findElement(OperationCall &call) {
  Emitter &emitter = call.emitter;
  bool isMax = call.name == "max_element", isSigned = call.layout.isSigned(call.types[0]);
  Value values = call.operands[0];
  cuda_tile::TileType type = tileTypeOf(values);
  Type i32 = emitter.builder.getI32Type();
  int64_t dim = call.numbers[0];
  Value indices = emitter.create("iota", {}, cuda_tile::TileType::get(type.getShape()[dim], i32));
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[dim] = type.getShape()[dim];
  indices = emitter.broadcast(emitter.reshape(indices, shape), type.getShape());
  Attribute identities[] = {identityOf(isMax ? Identity::Least : Identity::Greatest, type.getElementType(), isSigned),
                            emitter.builder.getI32IntegerAttr(0)};
  Operation *op = buildFold(call, false, {values, indices}, identities, [&](Block &block) {
    Value a = block.getArgument(0), b = block.getArgument(1), i = block.getArgument(2), j = block.getArgument(3);
    auto predicate = isMax ? ComparisonPredicate::GreaterThan : ComparisonPredicate::LessThan;
    Value isBetter = emitter.compare(predicate, a, b, isSigned);
    Value isEqual = emitter.compare(ComparisonPredicate::Equal, a, b, isSigned);
    Value isEarlier = emitter.compare(ComparisonPredicate::LessThan, i, j, false);
    Value isFirst = emitter.create("andi", {isEqual, isEarlier}, isEqual.getType());
    Value wins = emitter.create("ori", {isBetter, isFirst}, isFirst.getType());
    return SmallVector<Value>{emitter.create("select", {wins, a, b}, a.getType()),
                              emitter.create("select", {wins, i, j}, i.getType())};
  });
  return emitter.reshape(op->getResult(1), call.resultType().getShape());
}

} // namespace

ArrayRef<OperationRow> reduceOperations() {
  static const std::vector<OperationRow> rows = [] {
    std::vector<OperationRow> result;
    for (const Fold &row : folds)
      result.push_back({row.name, fold});
    result.push_back({"max_element", findElement});
    result.push_back({"min_element", findElement});
    return result;
  }();
  return rows;
}

} // namespace tilewright::cpp
