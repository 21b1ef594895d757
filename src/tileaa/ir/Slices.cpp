// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Slices.h"

#include "mlir/IR/Builders.h"
#include "tileaa/ir/Tileaa.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilewright;

static std::optional<int64_t> numberOf(Operation *function, StringRef name) {
  auto number = function->getAttrOfType<IntegerAttr>(name);
  return number ? std::optional(number.getInt()) : std::nullopt;
}
static void setNumber(Operation *function, StringRef name, int64_t number) {
  function->setAttr(name, Builder(function->getContext()).getI64IntegerAttr(number));
}

std::optional<int64_t> tileaa::sliceAsked(Operation *function) {
  return numberOf(function, sliceAskedAttr);
}
void tileaa::setSliceAsked(Operation *function, int64_t elements) {
  setNumber(function, sliceAskedAttr, elements);
}
std::optional<int64_t> tileaa::sliceMade(Operation *function) {
  return numberOf(function, sliceMadeAttr);
}
void tileaa::setSliceMade(Operation *function, int64_t elements) {
  setNumber(function, sliceMadeAttr, elements);
}
void tileaa::removeSliceSizes(Operation *function) {
  function->removeAttr(sliceAskedAttr);
  function->removeAttr(sliceMadeAttr);
}

static SmallVector<StringRef> notedSlices(Operation *function) {
  auto noted = function->getAttrOfType<ArrayAttr>(tileaa::slicesAttr);
  return noted ? llvm::map_to_vector(noted.getAsRange<StringAttr>(), [](StringAttr text) { return text.getValue(); })
               : SmallVector<StringRef>();
}

void tileaa::noteSlices(Operation *function, RankedTensorType whole, ArrayRef<int64_t> slice) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(whole.getShape(), os, "x");
  os << 'x' << whole.getElementType() << " by ";
  llvm::interleave(slice, os, "x");
  SmallVector<StringRef> noted = notedSlices(function);
  if (llvm::is_contained(noted, text))
    return;
  noted.push_back(text);
  function->setAttr(slicesAttr, Builder(function->getContext()).getStrArrayAttr(noted));
}

std::string tileaa::textOfSlices(Operation *function) {
  return llvm::join(notedSlices(function), ", ");
}
