// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu.pack_pairs: [K,N] to [N/P, K/2, 2P]. Per panel of P columns, two rows of the source become one, element by
// element, as the products of pairs read them.
#include "cpu/loops/MicroTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

class Packing {
public:
  Packing(PackPairsOp pack, const Plan &plan)
      : pack(pack), inner(pack), loc(pack.getLoc()), destination(pack.getDestination()) {
    SmallVector<int64_t> order;
    source = withUnitStrideLast(inner, pack.getSource(), order);
    auto type = cast<MemRefType>(pack.getSource().getType());
    int64_t depth = type.getDimSize(0), panels = cast<MemRefType>(destination.getType()).getDimSize(0);
    int64_t panelColumns = type.getDimSize(1) / panels;
    areWords = !llvm::is_sorted(order);
    pairStep = areWords ? std::min<int64_t>({16, panelColumns, depth / 2}) : 1;
    columnStep = areWords ? pairStep : std::min(plan.lanes(32), panelColumns);

    panel = enterLoop(panels, 1);
    Value firstColumn = multiply(panel, panelColumns);
    pair = enterLoop(depth / 2, pairStep);
    Value within = enterLoop(panelColumns, columnStep);
    column = arith::AddIOp::create(inner, loc, firstColumn, within);
    to = multiply(within, 2);
    k = multiply(pair, 2);
  }

  void emit() {
    if (areWords)
      transposeWords();
    else
      interleaveRows();
    pack.erase();
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(inner, loc, value); }
  Value multiply(Value value, int64_t by) { return arith::MulIOp::create(inner, loc, value, index(by)); }
  Value add(Value value, int64_t by) { return arith::AddIOp::create(inner, loc, value, index(by)); }

  // Operations created afterwards are in the loop; returns its index.
  Value enterLoop(int64_t end, int64_t step) {
    auto loop = scf::ForOp::create(inner, loc, index(0), index(end), index(step));
    inner.setInsertionPoint(loop.getBody()->getTerminator());
    return loop.getInductionVar();
  }

  Type element() { return cast<MemRefType>(destination.getType()).getElementType(); }

  Value load(int64_t count, ValueRange at) {
    Type from = cast<MemRefType>(source.getType()).getElementType();
    Value narrow = vector::LoadOp::create(inner, loc, VectorType::get({count}, from), source, at);
    auto wide = VectorType::get({count}, element());
    if (narrow.getType() == wide)
      return narrow;
    return pack.getUnsignedSource() ? arith::ExtUIOp::create(inner, loc, wide, narrow).getResult()
                                    : arith::ExtSIOp::create(inner, loc, wide, narrow).getResult();
  }

  void interleaveRows() {
    Value next = add(k, 1);
    Value even = load(columnStep, {k, column});
    Value odd = load(columnStep, {next, column});
    Value both = vector::InterleaveOp::create(inner, loc, even, odd);
    vector::StoreOp::create(inner, loc, both, destination, ValueRange{panel, pair, to});
  }

  void transposeWords() {
    Type i32 = inner.getI32Type();
    auto line = VectorType::get({pairStep * 2}, element());
    Value block = arith::ConstantOp::create(inner, loc, inner.getZeroAttr(VectorType::get({pairStep, pairStep}, i32)));
    for (int64_t i = 0; i < pairStep; ++i) {
      // `source` has its dimensions exchanged.
      Value halves = load(pairStep * 2, {add(column, i), k});
      Value row = vector::BitCastOp::create(inner, loc, VectorType::get({pairStep}, i32), halves);
      block = vector::InsertOp::create(inner, loc, row, block, ArrayRef<int64_t>{i});
    }
    block = vector::TransposeOp::create(inner, loc, block, ArrayRef<int64_t>{1, 0});
    for (int64_t i = 0; i < pairStep; ++i) {
      Value row = vector::ExtractOp::create(inner, loc, block, ArrayRef<int64_t>{i});
      Value halves = vector::BitCastOp::create(inner, loc, line, row);
      vector::StoreOp::create(inner, loc, halves, destination, ValueRange{panel, add(pair, i), to});
    }
  }

  PackPairsOp pack;
  OpBuilder inner;
  Location loc;
  Value source, destination;
  // Columns contiguous in memory make a pair one 32-bit word, and packing transposes words.
  bool areWords;
  int64_t pairStep, columnStep;
  Value panel, pair, column, k; // in the source, the row of the pair's first element
  Value to;                     // where in the panel's line
};

} // namespace

void cpu::emitPackPairs(PackPairsOp pack, const Plan &plan) {
  Packing(pack, plan).emit();
}
