// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Edits.h"

#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <set>

using namespace mlir;

namespace tilewright::programs {

namespace ct = tilewright::cuda_tile;

static ct::EntryOp getEntry(Program &program) {
  ct::EntryOp found;
  program.module->walk([&](ct::EntryOp entry) { found = entry; });
  return found;
}

std::vector<Operation *> listOperations(Program &program) {
  std::vector<Operation *> operations;
  program.module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<mlir::ModuleOp, ct::ModuleOp, ct::EntryOp>(op) && !op->hasTrait<OpTrait::IsTerminator>())
      operations.push_back(op);
  });
  return operations;
}

//===-- whole operations --------------------------------------------------===//

// A value of the type that depends on nothing; null if there is none.
static Value makeStandIn(OpBuilder &builder, Location loc, Type type) {
  if (isa<ct::TokenType>(type))
    return ct::MakeTokenOp::create(builder, loc, type);
  auto tile = dyn_cast<ct::TileType>(type);
  if (!tile || !ct::isMemoryType(tile.getElementType()))
    return {};
  Element element = getElement(tile.getElementType());
  Attribute zero = makeAttribute(tile.getElementType(), makeBits(element, Contents::Zero, 0));
  return ct::ConstantOp::create(builder, loc, cast<DenseElementsAttr>(DenseElementsAttr::get(tile, zero)));
}

static bool removeOperation(Operation *op) {
  if (isa<ct::ConstantOp, ct::MakeTokenOp>(op) && !op->use_empty())
    return false;
  if (isa<ct::GlobalOp>(op))
    return false;
  OpBuilder builder(op);
  SmallVector<Value> standIns;
  for (Value result : op->getResults()) {
    standIns.push_back(result.use_empty() ? Value() : makeStandIn(builder, op->getLoc(), result.getType()));
    if (!result.use_empty() && !standIns.back()) {
      for (Value made : standIns)
        if (made)
          made.getDefiningOp()->erase();
      return false;
    }
  }
  for (auto [result, standIn] : llvm::zip_equal(op->getResults(), standIns))
    if (standIn)
      result.replaceAllUsesWith(standIn);
  op->erase();
  return true;
}

bool removeOperations(Program &program, size_t first, size_t count) {
  std::vector<Operation *> operations = listOperations(program);
  bool changed = false;
  std::set<Operation *> gone; // inside of what was erased
  for (size_t i = std::min(first + count, operations.size()); i-- > first;) {
    Operation *op = operations[i];
    // From the last to the first, so that nothing inside is left when the outer one goes.
    if (!gone.count(op))
      changed |= removeOperation(op);
  }
  return changed;
}

void removeDeadCode(Program &program) {
  bool changed = true;
  while (changed) {
    changed = false;
    std::vector<Operation *> operations = listOperations(program);
    for (Operation *op : llvm::reverse(operations))
      if (!isa<ct::GlobalOp>(op) && op->use_empty() && isMemoryEffectFree(op)) {
        op->erase();
        changed = true;
      }
  }
  // Unused globals.
  SmallVector<ct::GlobalOp> globals;
  program.module->walk([&](ct::GlobalOp global) { globals.push_back(global); });
  for (ct::GlobalOp global : globals)
    if (SymbolTable::symbolKnownUseEmpty(global, global->getParentOp()))
      global.erase();
}

bool replaceByOperand(Operation *op, unsigned variant) {
  // Pairs of a used result and an operand of its type.
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    for (Value operand : op->getOperands())
      if (operand.getType() == result.getType() && variant-- == 0) {
        result.replaceAllUsesWith(operand);
        return true;
      }
  }
  return false;
}

//===-- regions -----------------------------------------------------------===//

bool inlineRegion(Operation *op, unsigned variant) {
  if (!isa<ct::IfOp, ct::ForOp>(op) || variant >= op->getNumRegions() || op->getRegion(variant).empty())
    return false;
  Block &block = op->getRegion(variant).front();
  Operation *end = block.getTerminator();
  if (!isa<ct::YieldOp>(end) && !(isa<ct::ForOp>(op) && isa<ct::ContinueOp>(end)))
    return false;
  if (auto loop = dyn_cast<ct::ForOp>(op)) {
    // Other ways to the next iteration would be left without a loop.
    bool jumps = false;
    block.walk([&](ct::ContinueOp inner) { jumps |= inner.getOperation() != end; });
    if (jumps)
      return false;
    loop.getInductionVar().replaceAllUsesWith(loop.getLowerBound());
    for (auto [argument, init] : llvm::zip_equal(loop.getIterArgs(), loop.getInitValues()))
      argument.replaceAllUsesWith(init);
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), end->getOperands()))
    result.replaceAllUsesWith(value);
  end->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), block.getOperations());
  op->erase();
  return true;
}

// The same operation with other results.
static Operation *rebuild(Operation *op, ValueRange operands, TypeRange results) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(results);
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  return builder.create(state);
}

static void eraseOperand(Operation *jump, unsigned index) {
  jump->eraseOperands(index, 1);
}

// The jumps of a loop, or the yields of an `if`.
static void forEachEnd(Operation *op, function_ref<bool(Operation *)> isEnd, function_ref<void(Operation *)> apply) {
  for (Region &region : op->getRegions())
    region.walk<WalkOrder::PreOrder>([&](Operation *inner) {
      if (isEnd(inner))
        apply(inner);
      // Jumps of inner loops are theirs; an inner `if` has yields of its own.
      return isa<ct::ForOp, ct::LoopOp, ct::ReduceOp, ct::ScanOp>(inner) || (isa<ct::IfOp>(op) && isa<ct::IfOp>(inner))
                 ? WalkResult::skip()
                 : WalkResult::advance();
    });
}

bool dropResult(Operation *op, unsigned variant) {
  if (!isa<ct::IfOp, ct::ForOp, ct::LoopOp>(op))
    return false;
  // First the results, then the values a `loop` carries, which are others.
  unsigned numResults = op->getNumResults();
  if (auto loop = dyn_cast<ct::LoopOp>(op); loop && variant >= numResults) {
    unsigned index = variant - numResults;
    if (index >= loop.getInitValues().size())
      return false;
    loop.getBody().getArgument(index).replaceAllUsesWith(loop.getInitValues()[index]);
    forEachEnd(
        op, [](Operation *end) { return isa<ct::ContinueOp>(end); }, [&](Operation *end) { eraseOperand(end, index); });
    loop.getBody().eraseArgument(index);
    SmallVector<Value> operands(op->getOperands());
    operands.erase(operands.begin() + index);
    Operation *smaller = rebuild(op, operands, op->getResultTypes());
    op->replaceAllUsesWith(smaller->getResults());
    op->erase();
    return true;
  }
  if (variant >= numResults || !op->getResult(variant).use_empty())
    return false;
  SmallVector<Value> operands(op->getOperands());
  SmallVector<Type> types(op->getResultTypes());
  types.erase(types.begin() + variant);
  if (auto loop = dyn_cast<ct::ForOp>(op)) {
    loop.getIterArgs()[variant].replaceAllUsesWith(loop.getInitValues()[variant]);
    forEachEnd(
        op, [](Operation *end) { return isa<ct::ContinueOp>(end); },
        [&](Operation *end) { eraseOperand(end, variant); });
    loop.getBody().eraseArgument(1 + variant);
    operands.erase(operands.begin() + 3 + variant);
  } else if (isa<ct::LoopOp>(op)) {
    forEachEnd(
        op, [](Operation *end) { return isa<ct::BreakOp>(end); }, [&](Operation *end) { eraseOperand(end, variant); });
  } else {
    forEachEnd(
        op, [](Operation *end) { return isa<ct::YieldOp>(end); }, [&](Operation *end) { eraseOperand(end, variant); });
  }
  Operation *smaller = rebuild(op, operands, types);
  for (unsigned i = 0, next = 0; i < numResults; ++i)
    if (i != variant)
      op->getResult(i).replaceAllUsesWith(smaller->getResult(next++));
  op->erase();
  return true;
}

//===-- attributes --------------------------------------------------------===//

bool simplifyAttribute(Operation *op, unsigned variant) {
  if (auto constant = dyn_cast<ct::ConstantOp>(op)) {
    auto type = cast<ct::TileType>(constant.getType());
    DenseElementsAttr value = constant.getValue(), simple = value;
    if (variant == 0 && value.isSplat()) {
      Element element = getElement(type.getElementType());
      simple = DenseElementsAttr::get(
          type, Attribute(makeAttribute(type.getElementType(), makeBits(element, Contents::Zero, 0))));
    } else if (variant == 0) {
      simple = DenseElementsAttr::get(type, *value.getValues<Attribute>().begin());
    }
    if (simple == value)
      return false;
    constant.setValueAttr(simple);
    return true;
  }
  for (NamedAttribute attribute : op->getAttrs()) {
    bool isOptional = isa<UnitAttr, ct::OptimizationHintsAttr>(attribute.getValue()) ||
                      attribute.getName() == "inbounds" || attribute.getName() == "overflow";
    if (!isOptional)
      continue;
    Attribute simple;
    if (attribute.getName() == "inbounds")
      simple = DenseBoolArrayAttr::get(op->getContext(), {});
    if (attribute.getName() == "overflow")
      simple = ct::IntegerOverflowAttr::get(op->getContext(), ct::IntegerOverflow::None);
    if (simple == attribute.getValue() || variant-- != 0)
      continue;
    if (simple)
      op->setAttr(attribute.getName(), simple);
    else
      op->removeAttr(attribute.getName());
    return true;
  }
  return false;
}

//===-- the program -------------------------------------------------------===//

bool dropArgument(Program &program, unsigned variant) {
  ct::EntryOp entry = getEntry(program);
  Block &block = entry.getBody().front();
  for (unsigned i = 0; i < block.getNumArguments(); ++i) {
    if (!block.getArgument(i).use_empty() || variant-- != 0)
      continue;
    block.eraseArgument(i);
    entry.setFunctionType(FunctionType::get(entry.getContext(), block.getArgumentTypes(), {}));
    if (i < program.launch.parameters.size())
      program.launch.parameters.erase(program.launch.parameters.begin() + i);
    return true;
  }
  return false;
}

bool shrinkGrid(Program &program, unsigned variant) {
  int64_t (&grid)[3] = program.launch.grid;
  if (variant >= 3 || grid[variant] == 1)
    return false;
  grid[variant] /= 2;
  return true;
}

// Elements of the old value, as many as the new type has.
static Attribute resize(DenseElementsAttr value, ct::TileType type) {
  if (value.isSplat())
    return DenseElementsAttr::get(type, value.getSplatValue<Attribute>());
  SmallVector<Attribute> elements;
  for (Attribute element : value.getValues<Attribute>())
    if (static_cast<int64_t>(elements.size()) < type.getNumElements())
      elements.push_back(element);
  return DenseElementsAttr::get(type, elements);
}

bool halveExtents(Program &program, unsigned variant) {
  std::set<int64_t> extents;
  program.module->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<ct::TileType>(type))
        extents.insert(tile.getShape().begin(), tile.getShape().end());
  });
  extents.erase(1);
  if (variant >= extents.size())
    return false;
  // The largest first.
  int64_t old = *std::next(extents.rbegin(), variant);
  auto shrink = [&](auto shape) {
    for (auto &extent : shape)
      if (extent == old)
        extent /= 2;
    return shape;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ct::TileType type) -> Type {
    return ct::TileType::get(shrink(SmallVector<int64_t>(type.getShape())), type.getElementType());
  });
  replacer.addReplacement([&](ct::PartitionViewType type) -> Type {
    return ct::PartitionViewType::get(type.getContext(), shrink(SmallVector<int32_t>(type.getTileShape())),
                                      type.getTensorView(), type.getDimMap(), type.getPaddingValue());
  });
  replacer.addReplacement([&](ct::StridedViewType type) -> Type {
    return ct::StridedViewType::get(type.getContext(), shrink(SmallVector<int32_t>(type.getTileShape())),
                                    type.getTraversalStrides(), type.getTensorView(), type.getDimMap(),
                                    type.getPaddingValue());
  });
  replacer.addReplacement([&](ct::GatherScatterViewType type) -> Type {
    return ct::GatherScatterViewType::get(type.getContext(), shrink(SmallVector<int32_t>(type.getTileShape())),
                                          type.getTensorView(), type.getSparseDim(), type.getPaddingValue());
  });
  replacer.addReplacement([&](DenseElementsAttr value) -> std::optional<Attribute> {
    auto type = dyn_cast<ct::TileType>(value.getType());
    if (!type)
      return std::nullopt;
    return resize(value, ct::TileType::get(shrink(SmallVector<int64_t>(type.getShape())), type.getElementType()));
  });
  replacer.recursivelyReplaceElementsIn(*program.module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return true;
}

bool simplifyContents(Program &program, unsigned variant) {
  for (Parameter &parameter : program.launch.parameters) {
    bool isSimple = parameter.isBuffer ? parameter.contents == Contents::Zero : parameter.seed == 0;
    if (isSimple || variant-- != 0)
      continue;
    if (!parameter.isBuffer)
      parameter.seed = 0;
    else
      parameter.contents = parameter.contents == Contents::Any ? Contents::Small : Contents::Zero;
    return true;
  }
  return false;
}

} // namespace tilewright::programs
