// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/AskedHints.h"

#include "cuda_tile/ir/CudaTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/Diagnostics.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewright {
namespace {

DictionaryAttr askedOf(Operation *op) {
  if (auto hints = op->getAttrOfType<cuda_tile::OptimizationHintsAttr>("optimization_hints"))
    return hints.getValue();
  return tileaa::hintsByTarget(op);
}

StringRef whatIs(Operation *op) {
  StringRef name = op->getName().stripDialect();
  return name.starts_with("load") ? "load" : name.starts_with("store") ? "store" : "kernel";
}

std::string kernelOf(Operation *op) {
  if (auto entry =
          isa<cuda_tile::EntryOp>(op) ? cast<cuda_tile::EntryOp>(op) : op->getParentOfType<cuda_tile::EntryOp>())
    return entry.getSymName().str();
  auto function =
      isa<FunctionOpInterface>(op) ? cast<FunctionOpInterface>(op) : op->getParentOfType<FunctionOpInterface>();
  return function && tileaa::isKernel(function) ? function.getName().str() : "";
}

} // namespace

void answerLevel(ModuleOp module, unsigned asked) {
  Attribute value = Builder(module.getContext()).getI32IntegerAttr(asked);
  bool isOwn = asked == 0 || asked == 3;
  const char *why = asked == 0   ? "neither LLVM nor the assembler optimizes"
                    : asked == 3 ? "every pass works"
                                 : "levels 1 to 3 give the same code";
  module.walk([&](Operation *op) {
    if (isa<cuda_tile::EntryOp>(op) || tileaa::isKernel(op))
      tileaa::remarkHint({op->getLoc(), kernelOf(op), "kernel", "opt_level", value, isOwn}, why);
  });
}

void AskedHints::note(ModuleOp module, StringRef architecture) {
  module.walk([&](Operation *op) {
    DictionaryAttr hints = askedOf(op);
    if (!hints)
      return;
    NamedAttrList chosen;
    for (StringRef target : {StringRef("default"), architecture})
      if (auto entry = hints.getAs<DictionaryAttr>(target))
        for (NamedAttribute hint : entry)
          chosen.set(hint.getName(), hint.getValue());
    for (NamedAttribute hint : chosen)
      all.push_back({op->getLoc(), kernelOf(op), whatIs(op), hint.getName().str(), hint.getValue()});
  });
}

void AskedHints::answerRest(ModuleOp module, std::vector<OptimizationRemark> &remarks) const {
  auto waits = [](Operation *op) { return askedOf(op) ? WalkResult::interrupt() : WalkResult::advance(); };
  if (module.walk(waits).wasInterrupted())
    return;
  auto isAbout = [](const OptimizationRemark &remark, const Asked &asked) {
    FileLineColLoc place = sourceOf(asked.place);
    return remark.category == "Hints" && (asked.kernel.empty() || remark.function == asked.kernel) &&
           StringRef(remark.message()).starts_with(asked.name + " = ") &&
           (!place || (remark.file == place.getFilename().getValue() && remark.line == place.getLine() &&
                       remark.column == place.getColumn()));
  };
  for (const Asked &asked : all)
    if (llvm::none_of(remarks, [&](const OptimizationRemark &remark) { return isAbout(remark, asked); }))
      tileaa::remarkHint({asked.place, asked.kernel, asked.what, asked.name, asked.value, /*isFollowed=*/false},
                         "it is unused or was merged with an equal one");
  // An operation that was taken apart answers with each of its parts.
  for (size_t at = 0; at < remarks.size(); ++at) {
    auto isAgain = [&](const OptimizationRemark &other) {
      const OptimizationRemark &first = remarks[at];
      return other.category == "Hints" && other.function == first.function && other.line == first.line &&
             other.column == first.column && other.message() == first.message();
    };
    if (remarks[at].category == "Hints")
      remarks.erase(std::remove_if(remarks.begin() + at + 1, remarks.end(), isAgain), remarks.end());
  }
}

} // namespace tilewright
