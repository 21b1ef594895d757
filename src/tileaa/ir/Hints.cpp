// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Hints.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "support/Diagnostics.h"
#include "tileaa/ir/Tileaa.h"

using namespace mlir;
using namespace tilewright;

namespace {

// As chooseHints leaves them.
constexpr llvm::StringLiteral chosen = "default";

StringRef nameOfHints(Operation *op) {
  return isa<tileaa::TileaaDialect>(op->getDialect()) ? StringRef("hints") : StringRef(tileaa::hintsAttr);
}

DictionaryAttr hintsOf(Operation *op) {
  DictionaryAttr hints = tileaa::hintsByTarget(op);
  return hints ? hints.getAs<DictionaryAttr>(chosen) : nullptr;
}

void setChosen(Operation *op, const NamedAttrList &hints) {
  Builder builder(op->getContext());
  NamedAttrList targets;
  if (!hints.empty())
    targets.set(chosen, hints.getDictionary(op->getContext()));
  tileaa::setHints(op, targets.getDictionary(op->getContext()));
}

StringRef whatIs(Operation *op) {
  if (isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op))
    return "load";
  return isa<tileaa::StoreViewOp, tileaa::StorePtrOp>(op) ? "store" : "kernel";
}

StringRef kernelOf(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    function = op->getParentOfType<FunctionOpInterface>();
  return function ? function.getName() : StringRef();
}

void answer(Operation *op, StringRef name, bool isFollowed, const Twine &why) {
  Attribute value = tileaa::hintOf(op, name);
  if (!value)
    return;
  tileaa::remarkHint({op->getLoc(), kernelOf(op), whatIs(op), name, value, isFollowed}, why);
  NamedAttrList left(hintsOf(op));
  left.erase(name);
  setChosen(op, left);
}

} // namespace

DictionaryAttr tileaa::hintsByTarget(Operation *op) {
  auto hints = op->getAttrOfType<HintsAttr>(nameOfHints(op));
  return hints ? hints.getTargets() : nullptr;
}

void tileaa::setHints(Operation *op, DictionaryAttr targets) {
  if (targets.empty())
    op->removeAttr(nameOfHints(op));
  else
    op->setAttr(nameOfHints(op), HintsAttr::get(op->getContext(), targets));
}

void tileaa::chooseHints(Operation *root, StringRef architecture) {
  root->walk([&](Operation *op) {
    DictionaryAttr hints = hintsByTarget(op);
    if (!hints)
      return;
    NamedAttrList left;
    for (StringRef target : {StringRef(chosen), architecture})
      if (auto entry = hints.getAs<DictionaryAttr>(target))
        for (NamedAttribute hint : entry)
          left.set(hint.getName(), hint.getValue());
    setChosen(op, left);
  });
}

Attribute tileaa::hintOf(Operation *op, StringRef name) {
  DictionaryAttr hints = hintsOf(op);
  return hints ? hints.get(name) : nullptr;
}

std::optional<int64_t> tileaa::numberHinted(Operation *op, StringRef name) {
  auto value = dyn_cast_or_null<IntegerAttr>(hintOf(op, name));
  return value ? std::optional(value.getInt()) : std::nullopt;
}

void tileaa::setNumberHinted(Operation *op, StringRef name, int64_t value) {
  NamedAttrList hints(hintsOf(op));
  hints.set(name, Builder(op->getContext()).getI64IntegerAttr(value));
  setChosen(op, hints);
}

bool tileaa::mayUseTma(Operation *access) {
  auto value = dyn_cast_or_null<BoolAttr>(hintOf(access, hint::allowTma));
  return !value || value.getValue();
}

void tileaa::followHint(Operation *op, StringRef name, const Twine &how) {
  answer(op, name, true, how);
}

void tileaa::declineHint(Operation *op, StringRef name, const Twine &why) {
  answer(op, name, false, why);
}

void tileaa::answerWithoutTma(Operation *access, const Twine &why) {
  if (mayUseTma(access))
    declineHint(access, hint::allowTma, why);
  else
    followHint(access, hint::allowTma, "threads make it");
}

bool tileaa::mayBeRough(Operation *op) {
  auto math = dyn_cast<arith::ArithFastMathInterface>(op);
  auto flags = math ? math.getFastMathFlagsAttr() : nullptr; // conversions may have none
  return flags && arith::bitEnumContainsAny(flags.getValue(), arith::FastMathFlags::afn);
}

void tileaa::answerRounding(Operation *op, bool isFollowed, const Twine &why) {
  // A division has two such modes, which are one here.
  auto mode = StringAttr::get(op->getContext(), isa<arith::DivFOp>(op) ? "approx or full" : "approx");
  remarkHint({op->getLoc(), kernelOf(op), op->getName().stripDialect(), "rounding", mode, isFollowed}, why);
}

void tileaa::remarkHint(const HintAnswer &answer, const Twine &why) {
  auto named = remark::RemarkOpts::name("Hint").category("Hints").function(answer.kernel);
  auto said = answer.isFollowed ? remark::passed(answer.place, named) : remark::missed(answer.place, named);
  if (!said)
    return;
  std::string value;
  llvm::raw_string_ostream os(value);
  if (auto text = dyn_cast<StringAttr>(answer.value))
    os << text.getValue();
  else
    answer.value.print(os, /*elideType=*/true);
  said << remark::add("{0} = {1} of the {2}{3}: {4}: {5}", answer.name, value, answer.what, placeText(answer.place),
                      answer.isFollowed ? "followed" : "not followed", why.str());
}
