// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, loops that end, jumps out of them.
//
// A region takes the tokens of some areas along, as results and carried values, and may touch the memory of those only:
// accesses inside are ordered before those after it.
#include "fuzz/programs/productions/Productions.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

constexpr unsigned deepest = 3;

// Types of values in scope, to pass into or out of a region.
SmallVector<Type> someTypes(Body &body, unsigned most) {
  SmallVector<Type> known, types;
  for (Value value : body.values)
    if (isa<ct::TileType>(value.getType()))
      known.push_back(value.getType());
  for (unsigned i = body.random.below(most + 1); i && !known.empty(); --i)
    types.push_back(body.random.pick(known));
  return types;
}

SmallVector<Value> pickAll(Body &body, TypeRange types) {
  SmallVector<Value> picked;
  for (Type type : types)
    picked.push_back(body.pick(cast<ct::TileType>(type)));
  return picked;
}

// Areas a region may write to; the others are closed inside.
SmallVector<unsigned> someAreas(Body &body) {
  SmallVector<unsigned> chosen;
  for (unsigned i = 0; i < body.areas.size(); ++i)
    if (body.areas[i].isOpen && !body.areas[i].isReadOnly && body.random.chance(50))
      chosen.push_back(i);
  return chosen;
}

void closeOthers(Body &body, ArrayRef<unsigned> open) {
  for (unsigned i = 0; i < body.areas.size(); ++i)
    if (!body.areas[i].isReadOnly && !llvm::is_contained(open, i))
      body.areas[i].isOpen = false;
}

void appendTokens(Body &body, ArrayRef<unsigned> areas, SmallVectorImpl<Value> &values) {
  for (unsigned area : areas)
    values.push_back(body.flush(body.areas[area]));
}

void takeTokens(Body &body, ArrayRef<unsigned> areas, ValueRange tokens) {
  for (auto [area, token] : llvm::zip_equal(areas, tokens)) {
    body.areas[area].token = token;
    body.areas[area].reads.clear();
  }
}

// The operands of a `continue` or `break` of the innermost loop.
SmallVector<Value> jumpOperands(Body &body, bool isBreak) {
  LoopFrame frame = body.loops.back();
  ArrayRef<Type> types = isBreak ? frame.results : frame.carried;
  types = types.drop_back(frame.areas.size());
  SmallVector<Value> operands;
  if (!isBreak && frame.counter) {
    operands.push_back(frame.counter);
    types = types.drop_front();
  }
  llvm::append_range(operands, pickAll(body, types));
  appendTokens(body, frame.areas, operands);
  return operands;
}

// Ends a region by a jump, if there is one from here; `areas` are those the region may touch, which have to include
// those whose tokens the jump passes.
bool writeJump(Body &body, ArrayRef<unsigned> areas) {
  SmallVector<StringRef, 3> jumps;
  bool inFor = llvm::any_of(body.loops, [](const LoopFrame &frame) { return frame.isFor; });
  if (!inFor)
    jumps.push_back("return");
  if (!body.loops.empty() &&
      llvm::all_of(body.loops.back().areas, [&](unsigned area) { return llvm::is_contained(areas, area); })) {
    jumps.push_back("continue");
    if (!body.loops.back().isFor)
      jumps.push_back("break");
  }
  if (jumps.empty())
    return false;
  StringRef jump = body.random.pick(jumps);
  body.op(jump, jump == "return" ? SmallVector<Value>() : jumpOperands(body, jump == "break"), {});
  return true;
}

void fillSome(Body &body, int most) {
  int rest = body.budget;
  body.budget = std::min<int>(rest, body.random.between(1, most));
  int given = body.budget;
  fill(body);
  body.budget = rest - (given - body.budget);
}

bool writeIf(Body &body) {
  if (body.depth >= deepest || body.budget < 6)
    return false;
  Value condition = body.pick(body.tile({}, Element::I1));
  SmallVector<Type> types = someTypes(body, 3);
  SmallVector<unsigned> areas = someAreas(body);
  // Inside of a loop most branches can then jump.
  if (!body.loops.empty() && body.random.chance(50))
    for (unsigned area : body.loops.back().areas)
      if (body.areas[area].isOpen && !llvm::is_contained(areas, area))
        areas.push_back(area);
  for (unsigned area : areas)
    body.flush(body.areas[area]);
  SmallVector<Type> results(types);
  results.append(areas.size(), body.token());
  Operation *branch = body.op("if", condition, results, {}, 2);
  bool hasElse = !results.empty() || body.random.chance(50);
  unsigned jumping = body.random.chance(25) ? body.random.below(2) : 2;
  for (unsigned i = 0; i < (hasElse ? 2 : 1); ++i) {
    Scope scope(body);
    closeOthers(body, areas);
    body.builder.createBlock(&branch->getRegion(i));
    fillSome(body, 10);
    if (i == jumping && writeJump(body, areas))
      continue;
    SmallVector<Value> values = pickAll(body, types);
    appendTokens(body, areas, values);
    body.op("yield", values, {});
  }
  for (Value result : branch->getResults().take_front(types.size()))
    body.keep(result);
  takeTokens(body, areas, branch->getResults().drop_front(types.size()));
  return true;
}

struct Bounds {
  Value lower, upper, step;
  bool isUnsigned;
};

// At most six iterations, some of them known only when it runs; also downwards from the top of the unsigned numbers.
Bounds someBounds(Body &body) {
  Element element = body.random.pick<Element>({Element::I32, Element::I32, Element::I64, Element::I16, Element::I8});
  ct::TileType type = body.tile({}, element);
  bool isUnsigned = body.random.chance(25);
  int64_t start = isUnsigned ? body.random.pick<int64_t>({0, 1, -16}) : body.random.between(-4, 4);
  Bounds bounds{body.splat(type, start), {}, body.splat(type, body.random.between(1, 3)), isUnsigned};
  if (body.random.chance(30))
    bounds.lower = body.binary("addi", bounds.lower, body.masked(type, 1));
  if (body.random.chance(40))
    bounds.upper = body.splat(type, start + body.random.between(0, 5));
  else
    bounds.upper = body.binary("addi", bounds.lower, body.masked(type, 3));
  return bounds;
}

bool writeFor(Body &body) {
  if (body.depth >= deepest || body.budget < 6)
    return false;
  Bounds bounds = someBounds(body);
  LoopFrame frame{/*isFor=*/true, someTypes(body, 3), {}, someAreas(body), {}};
  SmallVector<Value> operands = {bounds.lower, bounds.upper, bounds.step};
  llvm::append_range(operands, pickAll(body, frame.carried));
  size_t numValues = frame.carried.size();
  appendTokens(body, frame.areas, operands);
  frame.carried.append(frame.areas.size(), body.token());
  SmallVector<NamedAttribute> attributes;
  if (bounds.isUnsigned)
    attributes.push_back(body.attribute("unsignedCmp", body.builder.getUnitAttr()));
  Operation *loop = body.op("for", operands, frame.carried, attributes, 1);
  {
    Scope scope(body);
    closeOthers(body, frame.areas);
    SmallVector<Type> types = {bounds.lower.getType()};
    llvm::append_range(types, frame.carried);
    SmallVector<Location> locations(types.size(), body.builder.getUnknownLoc());
    Block *block = body.builder.createBlock(&loop->getRegion(0), {}, types, locations);
    for (Value argument : block->getArguments().take_front(1 + numValues))
      body.keep(argument);
    takeTokens(body, frame.areas, block->getArguments().drop_front(1 + numValues));
    body.loops.push_back(frame);
    fillSome(body, 12);
    body.op("continue", jumpOperands(body, false), {});
    body.loops.pop_back();
  }
  for (Value result : loop->getResults().take_front(numValues))
    body.keep(result);
  takeTokens(body, frame.areas, loop->getResults().drop_front(numValues));
  return true;
}

// Counts its iterations and leaves when there were enough, besides the ways out that are in its body.
bool writeLoop(Body &body) {
  if (body.depth >= deepest || body.budget < 8)
    return false;
  ct::TileType counter = body.tile({}, Element::I32);
  LoopFrame frame{/*isFor=*/false, someTypes(body, 2), someTypes(body, 2), someAreas(body), {}};
  if (body.random.chance(40)) // the shape that a `while` has
    frame.results = frame.carried;
  SmallVector<Value> operands = {body.splat(counter, 0)};
  llvm::append_range(operands, pickAll(body, frame.carried));
  frame.carried.insert(frame.carried.begin(), counter);
  size_t numValues = frame.carried.size(), numResults = frame.results.size();
  frame.carried.append(frame.areas.size(), body.token());
  frame.results.append(frame.areas.size(), body.token());
  Value limit = body.random.chance(50) ? body.splat(counter, body.random.between(0, 4)) : body.masked(counter, 3);
  // The limit may be read from memory, which the tokens come after.
  appendTokens(body, frame.areas, operands);
  Operation *loop = body.op("loop", operands, frame.results, {}, 1);
  {
    Scope scope(body);
    closeOthers(body, frame.areas);
    SmallVector<Location> locations(frame.carried.size(), body.builder.getUnknownLoc());
    Block *block = body.builder.createBlock(&loop->getRegion(0), {}, frame.carried, locations);
    for (Value argument : block->getArguments().take_front(numValues))
      body.keep(argument);
    takeTokens(body, frame.areas, block->getArguments().drop_front(numValues));
    frame.counter = body.binary("addi", block->getArgument(0), body.splat(counter, 1));
    body.loops.push_back(frame);
    if (body.random.chance(40)) {
      // Work before the test, without jumps.
      ct::TileType type = body.someTile(integers);
      body.keep(body.binary(body.random.pick<StringRef>({"addi", "xori", "muli"}), body.pick(type), body.pick(type)));
    }
    bool breaksIfTrue = body.random.chance(50);
    Value test =
        body.compare(breaksIfTrue ? ct::ComparisonPredicate::GreaterThanOrEqual : ct::ComparisonPredicate::LessThan,
                     ct::Signedness::Signed, block->getArgument(0), limit);
    SmallVector<Value> leaving = jumpOperands(body, true);
    Operation *branch = body.op("if", test, {}, {}, 2);
    for (bool isThen : {true, false}) {
      OpBuilder::InsertionGuard guard(body.builder);
      body.builder.createBlock(&branch->getRegion(!isThen));
      bool leaves = isThen == breaksIfTrue;
      body.op(leaves ? "break" : "yield", leaves ? leaving : SmallVector<Value>(), {});
    }
    fillSome(body, 12);
    bool isLast = body.random.chance(10);
    if (isLast)
      body.op("break", jumpOperands(body, true), {});
    else
      body.op("continue", jumpOperands(body, false), {});
    body.loops.pop_back();
  }
  for (Value result : loop->getResults().take_front(numResults))
    body.keep(result);
  takeTokens(body, frame.areas, loop->getResults().drop_front(numResults));
  return true;
}

} // namespace

void addControl(Productions &productions) {
  productions.push_back({"if", 10, writeIf});
  productions.push_back({"for", 8, writeFor});
  productions.push_back({"loop", 8, writeLoop});
}

} // namespace tilewright::programs
