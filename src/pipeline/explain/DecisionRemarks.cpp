// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/explain/DecisionRemarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "tileas/ir/Tileas.h"

using namespace mlir;

namespace tilewright {
namespace {

std::string textOf(Attribute value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, /*elideType=*/true);
  return text;
}

void remarkProducts(func::FuncOp kernel) {
  auto named = remark::RemarkOpts::name("Product").category("TensorCore").function(kernel.getName());
  kernel.walk([&](Operation *op) {
    if (!isa<tileas::MmaOp, tileas::TmemMmaOp, tileas::ScaledMmaOp>(op))
      return;
    auto atom = op->getAttrOfType<tileas::AtomAttr>("atom");
    bool isFma = atom.getKind() == tileas::AtomKind::Fma;
    remark::detail::InFlightRemark said =
        isFma ? remark::missed(op->getLoc(), named) : remark::passed(op->getLoc(), named);
    if (!said)
      return;
    said << remark::add("{0}", isFma ? "a product without tensor cores" : "a product by tensor cores");
    said << remark::detail::Remark::Arg("Instruction", textOf(atom));
  });
}

} // namespace

void remarkDecisions(ModuleOp module) {
  for (auto kernel : module.getOps<func::FuncOp>())
    remarkProducts(kernel);
}

} // namespace tilewright
