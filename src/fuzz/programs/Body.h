// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a program while it is being written: the values in scope, the memory it may touch, the loops it is in.
//
// A requested value always exists afterwards. pick(tile<4xf32>) gives a value in scope or makes one: a constant, a
// load, a conversion of another value. Undefined behaviour is kept out where values are made: divisors are never zero,
// indices always in bounds, memory is ordered by tokens wherever accesses may meet (Area). So any operation may be put
// after any other, and the program's results stay determined.
#ifndef TILEWRIGHT_FUZZ_PROGRAMS_BODY_H
#define TILEWRIGHT_FUZZ_PROGRAMS_BODY_H

#include "cuda_tile/ir/CudaTile.h"
#include "fuzz/programs/Program.h"
#include "fuzz/programs/Random.h"
#include "mlir/IR/Builders.h"
#include <map>

namespace tilewright::programs {

namespace ct = tilewright::cuda_tile;
using mlir::Value;
using Shape = llvm::SmallVector<int64_t, 4>;

// Memory of one element type that only this tile block accesses at a time: input that no one writes,
// or the block's own part of a buffer. Accesses to one writable area are ordered by tokens: a write after everything
// before it, a read after the last write.
struct Area {
  Value pointer; // of rank 0, in scope everywhere
  Element element;
  int64_t count; // elements from there on
  bool isReadOnly;
  // Not inside of a region that does not pass the token on.
  bool isOpen = true;
  Value token; // of the last write; null before the first
  llvm::SmallVector<Value> reads = {};
};

// Memory that all blocks change by one atomic function and that is not read.
struct Counter {
  Value pointer;
  Element element;
  int64_t count; // a power of two
  ct::AtomicRMWMode mode;
};

// A loop around the place that is being written.
struct LoopFrame {
  bool isFor;
  llvm::SmallVector<mlir::Type> carried, results; // tokens of areas last
  llvm::SmallVector<unsigned> areas;              // those whose tokens are carried
  Value counter;                                  // of a `loop`: the first operand of `continue`
};

class Body {
public:
  Body(Program &program, Random &random);

  Program &program;
  Random &random;
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  ct::ModuleOp module;
  ct::EntryOp entry;

  int64_t numBlocks;
  Value block; // the linear id of the tile block, i32
  std::vector<Value> values;
  std::vector<Area> areas;
  std::vector<Counter> counters;
  std::vector<LoopFrame> loops;
  unsigned depth = 0;
  int budget;                 // operations to write until regions are closed
  bool hasLargeTiles = false; // up to 256x256 and 512x16, in products
  // The preferences of this program, so that types of values match often.
  std::vector<Element> elements;
  std::vector<Shape> shapes;
  // Productions this program does without, so that different programs are about different things.
  std::vector<bool> isOff;

  //===- types --------------------------------------------------------------===//
  mlir::Type type(Element element) { return getType(element, context); }
  ct::TileType tile(llvm::ArrayRef<int64_t> shape, Element element) { return ct::TileType::get(shape, type(element)); }
  ct::TileType tile(llvm::ArrayRef<int64_t> shape, mlir::Type element) { return ct::TileType::get(shape, element); }
  ct::TileType pointers(llvm::ArrayRef<int64_t> shape, Element element) {
    return ct::TileType::get(shape, ct::PtrType::get(type(element)));
  }
  mlir::Type token() { return ct::TokenType::get(context); }
  // One of the set, if possible one the program prefers.
  Element someElement(ElementSet set);
  Shape someShape();
  // Often the type of a value in scope.
  ct::TileType someTile(ElementSet set);

  //===- operations ---------------------------------------------------------===//
  using Attributes = llvm::ArrayRef<mlir::NamedAttribute>;
  // Any operation by its mnemonic.
  mlir::Operation *op(llvm::StringRef mnemonic, mlir::ValueRange operands, mlir::TypeRange results,
                      Attributes attributes = {}, unsigned numRegions = 0);
  Value make(llvm::StringRef mnemonic, mlir::ValueRange operands, mlir::Type result, Attributes attributes = {}) {
    return op(mnemonic, operands, result, attributes)->getResult(0);
  }
  mlir::NamedAttribute attribute(llvm::StringRef name, mlir::Attribute value) {
    return builder.getNamedAttr(name, value);
  }
  template <typename Attr, typename T> mlir::NamedAttribute enumAttribute(llvm::StringRef name, T value) {
    return attribute(name, Attr::get(context, value));
  }
  // As op(), with attributes drawn until they are legal together; null if they never are.
  mlir::Operation *draw(llvm::StringRef mnemonic, mlir::ValueRange operands, mlir::TypeRange results,
                        llvm::function_ref<llvm::SmallVector<mlir::NamedAttribute>()> attributes);

  //===- values -------------------------------------------------------------===//
  Value keep(Value value) {
    values.push_back(value);
    return value;
  }
  // A value of the type: one in scope, or a fresh one.
  Value pick(ct::TileType type);
  Value fresh(ct::TileType type);
  Value constant(ct::TileType type, Contents contents);
  // All elements one integer.
  Value splat(ct::TileType type, int64_t value);
  // All elements one number, as near as the type has it.
  Value splatFloat(ct::TileType type, double value);
  // Integers from 0 to `mask`, which is a power of two less one, from a value of the type.
  Value masked(ct::TileType type, int64_t mask);
  // Floats that are integers of a magnitude of at most `most` (1, 2 or 4).
  Value small(ct::TileType type, int64_t most);
  // The same numbers as far as the element type has them; never undefined.
  Value convert(Value value, Element to);
  // As another shape, by reshapes, broadcasts or extracts.
  Value reshape(Value value, llvm::ArrayRef<int64_t> shape);
  // NaNs replaced: their bits are not determined.
  Value withoutNan(Value value);
  // A number below `count`, of rank 0: constant, or from a value in scope.
  Value index(Element element, int64_t count);
  Value compare(ct::ComparisonPredicate predicate, ct::Signedness signedness, Value lhs, Value rhs);
  Value binary(llvm::StringRef mnemonic, Value lhs, Value rhs);
  Value select(Value condition, Value yes, Value no) { return make("select", {condition, yes, no}, yes.getType()); }

  //===- memory -------------------------------------------------------------===//
  // A parameter of the entry.
  Value addBuffer(Element element, int64_t count, Contents contents);
  Value argument(Element element, uint64_t bits);
  // An area of that size or more that may be read or written here; null if there is none.
  Area *findArea(bool forWrite, int64_t count = 1, std::optional<Element> element = std::nullopt);
  // The token an access takes, null for none; and what it leaves.
  Value tokenFor(Area &area, bool isWrite);
  void accessed(Area &area, Value token, bool isWrite);
  // Everything done to the area so far, in one token.
  Value flush(Area &area);
  // Pointers to elements of the area, all different if `isInjective`.
  Value addresses(Area &area, llvm::ArrayRef<int64_t> shape, bool isInjective);
  // Pointers to `count` elements in a row, `start` elements (an i32) after `base`.
  Value rowOfPointers(Value base, llvm::ArrayRef<int64_t> shape, Value start, int64_t stride = 1);
  struct Ordering {
    ct::MemoryOrderingSemantics semantics;
    std::optional<ct::MemoryScope> scope;
  };
  Ordering someOrdering(bool isWrite);
  Value loadPointers(Value pointers, Value token, Ordering ordering, Value *tokenAfter, Value mask = {},
                     Value padding = {});
  Value storePointers(Value pointers, Value value, Value token, Ordering ordering, Value mask = {});

  // Puts a value into a buffer of results that is the program's last word on it. With a tolerance the value comes from
  // functions that round more than once, and nothing else may depend on it but whether it is NaN.
  void sink(Value value, uint64_t tolerance = 0);
  bool canSink() const { return loops.empty(); }

private:
  // Stores one tile per block, one after the other from `base`.
  void storeTile(Value base, Value value);

  struct Results {
    unsigned parameter;
    int64_t used = 0; // elements per block
  };
  std::map<std::pair<Element, uint64_t>, Results> results;
};

// The state of scopes, put back at the end of a region.
class Scope {
public:
  explicit Scope(Body &body) : body(body), numValues(body.values.size()), areas(body.areas), guard(body.builder) {
    ++body.depth;
  }
  ~Scope() {
    body.values.resize(numValues);
    body.areas = std::move(areas);
    --body.depth;
  }

private:
  Body &body;
  size_t numValues;
  std::vector<Area> areas;
  mlir::OpBuilder::InsertionGuard guard;
};

} // namespace tilewright::programs

#endif // TILEWRIGHT_FUZZ_PROGRAMS_BODY_H
