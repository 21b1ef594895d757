// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes that loops and branches pass on become words of four: each one alone would have a register, and instructions
// that take it out of its word and put it back.
#include "lower/tileas_to_nvvm/TileasToNvvm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace tilewright {
#define GEN_PASS_DEF_NVIDIAPACKBYTES
#include "lower/tileas_to_nvvm/Passes.h.inc"
} // namespace tilewright

using namespace mlir;

namespace {

constexpr unsigned bytesOfWord = 4;

// The first of each four neighbouring bytes.
SmallVector<unsigned> wordsAmong(TypeRange types) {
  SmallVector<unsigned> words;
  for (unsigned index = 0; index + bytesOfWord <= types.size();) {
    auto isByte = [&](unsigned offset) { return types[index + offset].isInteger(8); };
    bool areBytes = llvm::all_of(llvm::seq(0u, bytesOfWord), isByte);
    if (areBytes)
      words.push_back(index);
    index += areBytes ? bytesOfWord : 1;
  }
  return words;
}

Value pack(ValueRange bytes, OpBuilder &b, Location loc) {
  Value word = LLVM::UndefOp::create(b, loc, VectorType::get(bytesOfWord, b.getI8Type()));
  for (auto [index, byte] : llvm::enumerate(bytes.take_front(bytesOfWord)))
    word = LLVM::InsertElementOp::create(b, loc, word, byte, arith::ConstantIntOp::create(b, loc, index, 32));
  return LLVM::BitcastOp::create(b, loc, b.getI32Type(), word);
}
SmallVector<Value> packAll(ValueRange values, ArrayRef<unsigned> words, OpBuilder &b, Location loc) {
  return llvm::map_to_vector(words, [&](unsigned first) { return pack(values.drop_front(first), b, loc); });
}

// The bytes of a word in place of the values that it was packed from. They are taken out in each block that uses one of
// them, before the first use: so LLVM makes single permutations of what is taken out and put together again.
void replaceByWord(ValueRange bytes, Value word, Location loc) {
  llvm::MapVector<Block *, Operation *> firstUsers;
  for (Value byte : bytes)
    for (Operation *user : byte.getUsers()) {
      Operation *&first = firstUsers[user->getBlock()];
      first = !first || user->isBeforeInBlock(first) ? user : first;
    }
  for (auto [block, user] : firstUsers) {
    OpBuilder b(user);
    Value vector = LLVM::BitcastOp::create(b, loc, VectorType::get(bytesOfWord, b.getI8Type()), word);
    for (auto [index, byte] : llvm::enumerate(bytes)) {
      Value one = LLVM::ExtractElementOp::create(b, loc, vector, arith::ConstantIntOp::create(b, loc, index, 32));
      byte.replaceUsesWithIf(one, [&, block = block](OpOperand &use) { return use.getOwner()->getBlock() == block; });
    }
  }
}
void replaceByWords(ValueRange values, ArrayRef<unsigned> words, ValueRange packed, Location loc) {
  for (auto [first, word] : llvm::zip_equal(words, packed))
    replaceByWord(values.slice(first, bytesOfWord), word, loc);
}

void packLoop(scf::ForOp loop) {
  SmallVector<unsigned> words = wordsAmong(loop.getResultTypes());
  if (words.empty())
    return;
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  auto packed = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, packAll(loop.getInitArgs(), words, rewriter, loc), /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &builder, Location, ArrayRef<BlockArgument>) {
        return packAll(loop.getYieldedValues(), words, builder, loc);
      }));
  ValueRange arguments = packed.getRegionIterArgs(), results = packed.getResults();
  replaceByWords(arguments, words, arguments.take_back(words.size()), loc);
  replaceByWords(results, words, results.take_back(words.size()), loc);
  // Values without uses are not carried on.
  auto yield = cast<scf::YieldOp>(packed.getBody()->getTerminator());
  for (unsigned first : words)
    for (unsigned index = first; index != first + bytesOfWord; ++index)
      yield.setOperand(index, packed.getRegionIterArg(index));
}

void packBranch(scf::IfOp branch) {
  SmallVector<unsigned> words = wordsAmong(branch.getResultTypes());
  if (words.empty())
    return;
  OpBuilder builder(branch);
  Location loc = branch.getLoc();
  SmallVector<Type> types(branch.getResultTypes());
  types.append(words.size(), builder.getI32Type());
  auto packed = scf::IfOp::create(builder, loc, types, branch.getCondition(), /*withElseRegion=*/true);
  for (auto [from, to] : llvm::zip_equal(branch->getRegions(), packed->getRegions())) {
    to.takeBody(from);
    auto yield = cast<scf::YieldOp>(to.front().getTerminator());
    OpBuilder atEnd(yield);
    yield.getResultsMutable().append(packAll(yield.getResults(), words, atEnd, loc));
  }
  branch.replaceAllUsesWith(packed.getResults().take_front(branch.getNumResults()));
  branch.erase();
  ValueRange results = packed.getResults();
  replaceByWords(results, words, results.take_back(words.size()), loc);
}

class PackBytes : public tilewright::impl::NvidiaPackBytesBase<PackBytes> {
public:
  void runOnOperation() override {
    SmallVector<Operation *> carriers;
    getOperation().walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::IfOp>(op) && op->getNumResults() != 0)
        carriers.push_back(op);
    });
    for (Operation *op : carriers)
      if (auto loop = dyn_cast<scf::ForOp>(op))
        packLoop(loop);
      else
        packBranch(cast<scf::IfOp>(op));
  }
};

} // namespace
