// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass: entries become functions, their control flow becomes scf, then every operation is converted.
#include "lower/cuda_tile_to_tileaa/Lowering.h"
#include "lower/cuda_tile_to_tileaa/Passes.h"
#include "tileaa/ir/Hints.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright {
#define GEN_PASS_DEF_CUDATILETOTILEAAPASS
#include "lower/cuda_tile_to_tileaa/Passes.h.inc"
} // namespace tilewright

namespace {

class CudaTileToTileaa : public tilewright::impl::CudaTileToTileaaPassBase<CudaTileToTileaa> {
  void runOnOperation() override;
};

} // namespace

/// Extents and strides are parameters that are assumed not to be negative, which no operation says behind this pass.
static void noteNonNegative(ct::EntryOp entry, func::FuncOp function) {
  llvm::BitVector found(entry.getBody().getNumArguments());
  entry.walk([&](ct::AssumeOp assume) {
    auto bounded = dyn_cast<ct::BoundedAttr>(assume.getPredicate());
    if (!bounded || bounded.getLb().value_or(-1) < 0)
      return;
    Value value = assume.getValue();
    while (auto other = value.getDefiningOp<ct::AssumeOp>())
      value = other.getValue();
    if (auto parameter = dyn_cast<BlockArgument>(value); parameter && parameter.getOwner() == &entry.getBody().front())
      found.set(parameter.getArgNumber());
  });
  if (found.any())
    function->setAttr(tileaa::nonNegativeAttr,
                      DenseI64ArrayAttr::get(function.getContext(), SmallVector<int64_t>(found.set_bits())));
}

/// A function with the parameters and the structured body of an entry; types are still those of cuda_tile, but for
/// the signature.
static func::FuncOp makeFunction(ct::EntryOp entry, const TypeConverter &types, OpBuilder &builder) {
  MLIRContext *context = entry.getContext();
  auto function = func::FuncOp::create(builder, entry.getLoc(), entry.getSymName(), entry.getFunctionType());
  function->setAttr(tileaa::kernelAttr, UnitAttr::get(context));
  if (tileaa::HintsAttr hints = hintsFor(entry.getOptimizationHints()))
    tileaa::setHints(function, hints.getTargets());
  noteNonNegative(entry, function);
  Block *body = function.addEntryBlock();
  Block &old = entry.getBody().front();
  for (auto [from, to] : llvm::zip_equal(old.getArguments(), body->getArguments())) {
    to.setLoc(from.getLoc());
    from.replaceAllUsesWith(to);
  }
  Location end = old.getTerminator()->getLoc();
  auto inside = OpBuilder::atBlockEnd(body);
  structureControlFlow(old, inside);
  func::ReturnOp::create(inside, end);
  return function;
}

static LogicalResult convert(ModuleOp module, const TileaaTypes &types, bool &refused) {
  MLIRContext *context = module.getContext();
  RewritePatternSet patterns(context);
  Lowerings lowerings(types, patterns, refused);
  populateArith(lowerings);
  populateAtomic(lowerings);
  populateConvert(lowerings);
  populateHost(lowerings);
  populateMath(lowerings);
  populateMemory(lowerings);
  populateMma(lowerings);
  populateReduce(lowerings);
  populateShape(lowerings);
  populateStorage(lowerings);
  populateView(lowerings);
  populateRefusals(lowerings);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);

  ConversionTarget target(*context);
  target.addLegalDialect<arith::ArithDialect, math::MathDialect, aa::TileaaDialect>();
  target.addLegalOp<ModuleOp, func::ReturnOp>();
  target.addIllegalDialect<ct::CudaTileDialect>();
  target.addIllegalOp<UnrealizedConversionCastOp>();
  target.addDynamicallyLegalOp<ub::PoisonOp>([&](ub::PoisonOp op) { return types.isLegal(op.getType()); });
  target.addDynamicallyLegalOp<func::FuncOp>(
      [&](func::FuncOp op) { return types.isSignatureLegal(op.getFunctionType()) && types.isLegal(&op.getBody()); });
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
  ConversionConfig config;
  config.allowPatternRollback = false;
  return applyFullConversion(module, target, std::move(patterns), config);
}

/// Places without their scopes, which are attributes of cuda_tile.
static void dropScopes(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](ct::DILocAttr location) -> Attribute { return location.getSourceLoc(); });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false, /*replaceLocs=*/true, /*replaceTypes=*/false);
}

void CudaTileToTileaa::runOnOperation() {
  ModuleOp module = getOperation();
  TileaaTypes types;
  SmallVector<ct::EntryOp> entries;
  module.walk([&](ct::EntryOp entry) { entries.push_back(entry); });
  // Functions are inserted last: a module and its entry may have the same name.
  OpBuilder builder(&getContext());
  SmallVector<func::FuncOp> functions;
  for (ct::EntryOp entry : entries) {
    functions.push_back(makeFunction(entry, types, builder));
    entry.erase();
  }
  builder.setInsertionPointToEnd(module.getBody());
  module.walk([&](ct::GlobalOp global) { moveGlobal(global, builder); });
  for (ct::ModuleOp inner : llvm::make_early_inc_range(module.getOps<ct::ModuleOp>()))
    inner.erase();
  SymbolTable symbols(module);
  for (func::FuncOp function : functions)
    symbols.insert(function);

  bool refused = false;
  if (failed(convert(module, types, refused)) || refused)
    return signalPassFailure();
  dropScopes(module);
}
