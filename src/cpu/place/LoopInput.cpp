// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/place/LoopInput.h"

using namespace mlir;
using namespace tilewright;

linalg::GenericOp cpu::withFirstInput(OpBuilder &builder, linalg::GenericOp loop, Value scalar) {
  SmallVector<Value> inputs(loop.getInputs());
  SmallVector<AffineMap> maps = loop.getIndexingMapsArray();
  inputs.insert(inputs.begin(), scalar);
  maps.insert(maps.begin(), AffineMap::get(loop.getNumLoops(), 0, builder.getContext()));
  auto copy = linalg::GenericOp::create(builder, loop.getLoc(), loop->getResultTypes(), inputs, loop.getOutputs(), maps,
                                        loop.getIteratorTypesArray());
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  IRMapping mapping;
  loop.getRegion().cloneInto(&copy.getRegion(), mapping);
  copy.getBody()->insertArgument(0u, scalar.getType(), loop.getLoc());
  return copy;
}
