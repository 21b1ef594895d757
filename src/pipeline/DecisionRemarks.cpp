// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/DecisionRemarks.h"

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

// Whether a hint was followed is seen in what was decided.
HintAnswer answer(StringRef name, Attribute value, Operation *op) {
  HintAnswer made{op, (name + " = " + textOf(value)).str(), "followed", true};
  auto refuse = [&](const Twine &reason) {
    made.answer = ("not followed: " + reason).str();
    made.isFollowed = false;
  };
  auto number = dyn_cast<IntegerAttr>(value);
  if (name == "num_worker_warps_per_cta" && number) {
    if (int64_t warps = tileas::warpsOf(op); warps != number.getInt())
      refuse("the block has " + Twine(warps) + " warps");
  } else if (name == "num_cta_in_cga") {
    if (!number || number.getInt() != 1)
      refuse("kernels have no clusters");
  } else if (name == "occupancy") {
    if (op->hasAttr(tileas::threadsAttr))
      refuse("the agents of a block share all registers");
  } else if (name == "allow_tma") {
    if (auto flag = dyn_cast<BoolAttr>(value); !flag || flag.getValue())
      refuse("threads move the tile");
  } else if (name == "latency") {
    refuse("the tile is loaded where it stands");
  } else {
    refuse("it is not known");
  }
  return made;
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

std::vector<HintAnswer> answerHints(func::FuncOp kernel) {
  std::vector<HintAnswer> answers;
  kernel->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto hints = op->getAttrOfType<DictionaryAttr>("tileaa.hints"))
      if (auto chosen = hints.getAs<DictionaryAttr>("default"))
        for (NamedAttribute hint : chosen)
          answers.push_back(answer(hint.getName(), hint.getValue(), op));
  });
  return answers;
}

void remarkDecisions(ModuleOp module) {
  for (auto kernel : module.getOps<func::FuncOp>()) {
    remarkProducts(kernel);
    auto named = remark::RemarkOpts::name("Hint").category("Hints").function(kernel.getName());
    for (const HintAnswer &hint : answerHints(kernel))
      (hint.isFollowed ? remark::passed(hint.op->getLoc(), named) : remark::missed(hint.op->getLoc(), named))
          << remark::add("{0}: {1}", hint.hint, hint.answer);
  }
}

} // namespace tilewright
