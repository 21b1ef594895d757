// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/ops/Operations.h"
#include "cpp/values/Fold.h"

using namespace clang;

namespace tilewright::cpp {

OperationBuilder findOperation(StringRef name) {
  static const llvm::StringMap<OperationBuilder> table = [] {
    llvm::StringMap<OperationBuilder> result;
    for (ArrayRef<OperationRow> rows : {shapeOperations(), memoryOperations(), reduceOperations(), matrixOperations(),
                                        atomicOperations(), assumeOperations(), viewOperations()})
      for (const OperationRow &row : rows)
        result[row.name] = row.build;
    return result;
  }();
  return table.lookup(name);
}

namespace {

// Enumerators of cuda_tile.h, in their order.
const cuda_tile::RoundingMode roundings[] = {cuda_tile::RoundingMode::NearestEven, cuda_tile::RoundingMode::Zero,
                                             cuda_tile::RoundingMode::NegativeInf, cuda_tile::RoundingMode::PositiveInf,
                                             cuda_tile::RoundingMode::Approx,      cuda_tile::RoundingMode::Full,
                                             cuda_tile::RoundingMode::NearestAway};
const cuda_tile::MemoryOrderingSemantics orders[] = {
    cuda_tile::MemoryOrderingSemantics::RELAXED, cuda_tile::MemoryOrderingSemantics::ACQUIRE,
    cuda_tile::MemoryOrderingSemantics::RELEASE, cuda_tile::MemoryOrderingSemantics::ACQ_REL};
const cuda_tile::MemoryScope scopes[] = {cuda_tile::MemoryScope::SYS, cuda_tile::MemoryScope::DEVICE,
                                         cuda_tile::MemoryScope::TL_BLK};
const cuda_tile::PaddingValue paddings[] = {cuda_tile::PaddingValue::zero, cuda_tile::PaddingValue::neg_zero,
                                            cuda_tile::PaddingValue::pos_inf, cuda_tile::PaddingValue::neg_inf,
                                            cuda_tile::PaddingValue::nan};

void readConstant(const TemplateArgument &argument, OperationCall &call) {
  uint64_t number = argument.getAsIntegral().getZExtValue();
  const auto *enumeration = argument.getIntegralType()->getAs<EnumType>();
  if (!enumeration) {
    call.numbers.push_back(argument.getAsIntegral().getExtValue());
    return;
  }
  StringRef name = enumeration->getDecl()->getName();
  if (name == "rounding_mode")
    call.modifiers.rounding = roundings[number];
  else if (name == "subnormals_rounding_mode")
    call.modifiers.flushesToZero = number;
  else if (name == "nan_propagation_mode")
    call.modifiers.propagatesNan = number;
  else if (name == "saturation_mode")
    call.modifiers.saturates = number;
  else if (name == "scan_direction")
    call.modifiers.isBackward = number;
  else if (name == "memory_order")
    call.modifiers.order = orders[number];
  else if (name == "thread_scope")
    call.modifiers.scope = scopes[number];
  else if (name == "view_padding")
    call.modifiers.padding = paddings[number];
}

} // namespace

// Of the elements that a pointer to the first one leads to.
mlir::Value Evaluator::constantTile(QualType type, const Leaf &first) {
  cuda_tile::TileType result = layout.tileType(type);
  SmallVector<mlir::Attribute> elements;
  for (int64_t i = 0; first.place && !first.place->isInMemory() && i < result.getNumElements(); ++i)
    elements.push_back(constantElement(slots[first.place->slot + i].value));
  if (elements.empty() || llvm::is_contained(elements, mlir::Attribute()))
    refuse("the elements of a tile that is made from an array have to be constants; ct::full, ct::iota, ct::cat and "
           "ct::select make tiles from values");
  return emitter.constantTile(mlir::DenseElementsAttr::get(result, elements));
}

Leaves Evaluator::callOperation(const FunctionDecl *function, ArrayRef<const Expr *> arguments) {
  StringRef name = function->getName();
  if (name == "constant_tile")
    return {Leaf(constantTile(function->getReturnType(), evaluateLeaf(arguments.front())))};
  OperationCall call{*this, emitter, layout, name, function->getReturnType(), {}, {}, {}, {}};
  for (const Expr *argument : arguments) {
    call.types.push_back(argument->getType());
    call.operands.push_back(evaluateScalar(argument));
  }
  const TemplateArgumentList *templateArguments = function->getTemplateSpecializationArgs();
  for (const TemplateArgument &constant : (*templateArguments)[1].pack_elements())
    readConstant(constant, call);

  // The rules of Tile IR that the types of C++ do not express.
  clang::SourceLocation place = at;
  mlir::ScopedDiagnosticHandler handler(entry.getContext(), [&](mlir::Diagnostic &diagnostic) {
    DiagnosticsEngine &diagnostics = ast.getDiagnostics();
    diagnostics.Report(place, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << diagnostic.str();
    return mlir::success();
  });
  mlir::Value result;
  if (OperationBuilder build = findOperation(name)) {
    result = build(call);
  } else {
    result = buildElementwise(emitter, name, call.operands, layout.isSigned(call.types[0]), call.modifiers);
    if (!result)
      refuse("the operation '" + name + "' is not supported yet");
  }
  mlir::Operation *op = result ? result.getDefiningOp() : nullptr;
  if (op && op->getNumRegions() == 0 && mlir::failed(mlir::verify(op)))
    throw Refusal();
  return result ? Leaves{Leaf(result)} : Leaves();
}

} // namespace tilewright::cpp
