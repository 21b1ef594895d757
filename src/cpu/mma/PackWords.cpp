// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpu.pack_words: [K,N] to [N/P, K/G, GP]. Per panel of P columns, G rows of the source become one, element by element,
// as the products of words of 32 bits read them: two rows of 16 bits, or four of bytes.
#include "cpu/loops/MicroTiles.h"
#include "cpu/loops/TransposeParts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

class Packing {
public:
  Packing(PackWordsOp pack, const Plan &plan)
      : pack(pack), inner(pack), loc(pack.getLoc()), destination(pack.getDestination()) {
    SmallVector<int64_t> order;
    Value tile = pack.getSource();
    if (pack.getTransposedSource()) {
      AffineMap exchanged = AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0}, inner.getContext());
      tile = memref::TransposeOp::create(inner, loc, tile, AffineMapAttr::get(exchanged));
    }
    source = withUnitStrideLast(inner, tile, order);
    auto type = cast<MemRefType>(tile.getType());
    auto packed = cast<MemRefType>(destination.getType());
    int64_t words = packed.getDimSize(1), panels = packed.getDimSize(0);
    perWord = type.getDimSize(0) / words;
    int64_t panelColumns = type.getDimSize(1) / panels;
    areWords = !llvm::is_sorted(order);
    columnStep = std::min(areWords ? 16 : plan.lanes(32), panelColumns);
    wordStep = areWords ? std::min<int64_t>({4, columnStep, words}) : 1;

    // Memory is read line after line.
    Value within;
    auto overPanels = [&] { panel = enterLoop(panels, 1); };
    auto overWords = [&] { word = enterLoop(words, wordStep); };
    auto overColumns = [&] { within = enterLoop(panelColumns, columnStep); };
    if (areWords)
      overPanels(), overColumns(), overWords();
    else
      overWords(), overPanels(), overColumns();
    column = arith::AddIOp::create(inner, loc, multiply(panel, panelColumns), within);
    to = multiply(within, perWord);
    k = multiply(word, perWord);
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
    Value line = interleaved(0, 1);
    vector::StoreOp::create(inner, loc, line, destination, ValueRange{panel, word, to});
  }

  // The word's rows `first`, `first + step` and so on, element by element.
  Value interleaved(int64_t first, int64_t step) {
    if (step == perWord)
      return load(columnStep, {first == 0 ? k : add(k, first), column});
    Value even = interleaved(first, 2 * step), odd = interleaved(first + step, 2 * step);
    return vector::InterleaveOp::create(inner, loc, even, odd);
  }

  void transposeWords() {
    auto words = VectorType::get({wordStep}, inner.getI32Type());
    auto line = VectorType::get({columnStep * perWord}, element());
    SmallVector<Value> columns;
    for (int64_t i = 0; i < columnStep; ++i) {
      // `source` has its dimensions exchanged.
      Value elements = load(wordStep * perWord, {add(column, i), k});
      columns.push_back(vector::BitCastOp::create(inner, loc, words, elements));
    }
    for (auto [i, row] : llvm::enumerate(transposeParts(inner, loc, columns))) {
      Value elements = vector::BitCastOp::create(inner, loc, line, row);
      vector::StoreOp::create(inner, loc, elements, destination, ValueRange{panel, add(word, i), to});
    }
  }

  PackWordsOp pack;
  OpBuilder inner;
  Location loc;
  Value source, destination;
  int64_t perWord; // elements
  // Columns contiguous in memory make them one 32-bit word there, too, and packing transposes words.
  bool areWords;
  int64_t wordStep, columnStep;
  Value panel, word, column, k; // in the source, the row of the word's first element
  Value to;                     // where in the panel's line
};

} // namespace

void cpu::emitPackWords(PackWordsOp pack, const Plan &plan) {
  Packing(pack, plan).emit();
}
