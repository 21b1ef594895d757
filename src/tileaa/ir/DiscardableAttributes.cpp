// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of the dialect at functions and modules, and the operations that may have them.
#include "tileaa/ir/DialectAttributes.h"
#include "tileaa/ir/Hints.h"
#include "tileaa/ir/Slices.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileaa;

// Truth is an integer of one bit.
static bool isNumber(Attribute value) {
  return isa<IntegerAttr>(value) && !isa<BoolAttr>(value);
}

static constexpr DialectAttribute known[] = {
    {kernelAttr, isFunction, "a function", isKind<UnitAttr>, "a unit"},
    {hintsAttr, isFunction, "a function", isKind<HintsAttr>, "#tileaa.hints"},
    {slicesAttr, isFunction, "a function", isArrayOf<StringAttr>, "an array of strings"},
    {nonNegativeAttr, isFunction, "a function", isKind<DenseI64ArrayAttr>, "an array of numbers"},
    {sliceAskedAttr, isFunction, "a function", isNumber, "a number"},
    {sliceMadeAttr, isFunction, "a function", isNumber, "a number"},
    {libdeviceAttr, isOp<ModuleOp>, "a module", isKind<StringAttr>, "a string"},
};

LogicalResult TileaaDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  return verifyDialectAttribute(op, attribute, known);
}

LogicalResult TileaaDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                      NamedAttribute attribute) {
  return refuseOfParameter(op, argument, attribute);
}
