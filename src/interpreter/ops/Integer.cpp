// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Handlers.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

template <typename Op, typename Combine> llvm::Error combine(Op op, Context &context, Combine function) {
  Tile tile = context.tile(op.getLhs());
  const Tile &rhs = context.tile(op.getRhs());
  for (auto [bits, other] : llvm::zip_equal(tile.bits, rhs.bits))
    bits = truncate(function(bits, other), tile.element);
  context.set(op.getResult(), std::move(tile));
  return llvm::Error::success();
}

llvm::Error handleAddI(cuda_tile::AddIOp op, Context &context) {
  return combine(op, context, [](Bits a, Bits b) { return a + b; });
}
llvm::Error handleMulI(cuda_tile::MulIOp op, Context &context) {
  return combine(op, context, [](Bits a, Bits b) { return a * b; });
}

} // namespace

void registerIntegerOps(HandlerTable &table) {
  table.add<handleAddI>();
  table.add<handleMulI>();
}

} // namespace tilewright::interpreter
