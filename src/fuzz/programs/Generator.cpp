// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/programs/Generator.h"

#include "fuzz/programs/productions/Productions.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

// The focus of the program: a few types and shapes, and some of the operations.
void choosePreferences(Body &body) {
  Random &random = body.random;
  auto some = [&](ElementSet set, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      Element element = static_cast<Element>(random.below(numElements));
      while (!(set & setOf(element)))
        element = static_cast<Element>(random.below(numElements));
      if (!llvm::is_contained(body.elements, element))
        body.elements.push_back(element);
    }
  };
  body.elements.push_back(Element::I1);
  some(words, 1 + random.below(3));
  some(floats, random.below(3));
  if (random.chance(30))
    some(smallFloats | setOf(Element::TF32) | setOf(Element::I4), 1);

  body.shapes.push_back({});
  for (unsigned i = 1 + random.below(3); i; --i) {
    Shape shape(1 + random.below(random.chance(90) ? 3 : 4), 1);
    for (int64_t rest = int64_t(1) << random.below(random.chance(80) ? 8 : 11); rest > 1; rest /= 2)
      shape[random.below(shape.size())] *= 2;
    body.shapes.push_back(shape);
  }
  unsigned share = random.pick({10u, 40u, 70u}); // of operations that are left out
  for (size_t i = 0; i < allProductions().size(); ++i)
    body.isOff.push_back(random.chance(share));
}

void addAreas(Body &body) {
  Random &random = body.random;
  ElementSet everything = stored;
  for (unsigned i = 1 + random.below(3); i; --i) {
    Element element = body.someElement(everything);
    int64_t count = random.between(64, random.chance(80) ? 400 : 4000);
    Value pointer = body.addBuffer(element, count, random.chance(80) ? Contents::Any : Contents::Small);
    body.areas.push_back({pointer, element, count, /*isReadOnly=*/true});
  }
  // A block's own part of a buffer. A part may begin anywhere in memory that is aligned for the element.
  for (unsigned i = random.below(3); i; --i) {
    Element element = body.someElement(everything);
    int64_t count = random.between(16, 300);
    Value base = body.addBuffer(element, count * body.numBlocks, random.pick({Contents::Any, Contents::Zero}));
    Value start = body.binary("muli", body.block, body.splat(body.tile({}, Element::I32), count));
    Value pointer = body.make("offset", {base, start}, base.getType());
    body.areas.push_back({pointer, element, count, /*isReadOnly=*/false});
  }
  // The lines that are printed have an order as memory has.
  body.areas.push_back({Value(), Element::I8, 0, /*isReadOnly=*/false});
}

void addGrid(Body &body) {
  int64_t (&grid)[3] = body.program.launch.grid;
  if (body.random.chance(60)) {
    grid[0] = body.random.between(1, 4);
    grid[1] = body.random.chance(40) ? body.random.between(1, 3) : 1;
    grid[2] = body.random.chance(20) ? 2 : 1;
  }
  body.numBlocks = grid[0] * grid[1] * grid[2];
  ct::TileType scalar = body.tile({}, Element::I32);
  Operation *id = body.op("get_tile_block_id", {}, {scalar, scalar, scalar});
  Operation *size = body.op("get_num_tile_blocks", {}, {scalar, scalar, scalar});
  Value rows = body.binary("addi", body.binary("muli", id->getResult(2), size->getResult(1)), id->getResult(1));
  body.block = body.binary("addi", body.binary("muli", rows, size->getResult(0)), id->getResult(0));
  for (Value value : id->getResults())
    body.keep(value);
}

// Everything that nothing else has used is a result of the program.
void sinkRest(Body &body) {
  unsigned most = 16;
  for (Value value : llvm::reverse(body.values)) {
    auto type = dyn_cast<ct::TileType>(value.getType());
    if (!type || isa<ct::PtrType>(type.getElementType()) || !value.use_empty() || !most)
      continue;
    body.sink(value);
    --most;
  }
}

void hintSome(Body &body) {
  Random &random = body.random;
  SmallVector<NamedAttribute> hints;
  auto hint = [&](StringRef name, int64_t number) {
    hints.push_back(body.attribute(name, body.builder.getI32IntegerAttr(number)));
  };
  if (random.chance(20))
    hint("occupancy", random.between(1, 32));
  if (random.chance(15))
    hint("num_worker_warps_per_cta", int64_t(1) << random.below(6));
  if (random.chance(10))
    hint("num_cta_in_cga", int64_t(1) << random.below(5));
  if (hints.empty())
    return;
  NamedAttribute target = body.attribute("default", body.builder.getDictionaryAttr(hints));
  body.entry.setOptimizationHintsAttr(
      ct::OptimizationHintsAttr::get(body.context, body.builder.getDictionaryAttr(target)));
}

} // namespace

Program generate(uint64_t seed, MLIRContext *context, bool large) {
  context->loadDialect<ct::CudaTileDialect>();
  Random random(seed);
  Program program;
  program.launch.seed = seed;
  Location loc = UnknownLoc::get(context);
  program.module = mlir::ModuleOp::create(loc);
  Body body(program, random);
  body.builder.setInsertionPointToEnd(program.module->getBody());
  body.module = ct::ModuleOp::create(body.builder, loc, "program");
  body.builder.setInsertionPointToEnd(&body.module.getBody().front());
  body.entry = ct::EntryOp::create(body.builder, loc, "main", body.builder.getFunctionType({}, {}));
  Block &block = body.entry.getBody().front();
  body.builder.setInsertionPointToEnd(&block);

  addGrid(body);
  choosePreferences(body);
  addAreas(body);
  body.budget = random.between(10, random.chance(80) ? 60 : 150);
  body.hasLargeTiles = large;
  if (large) {
    writeProductLoops(body);
    body.budget = random.between(0, 10);
  }
  fill(body);
  sinkRest(body);
  body.op("return", {}, {});
  body.entry.setFunctionType(body.builder.getFunctionType(block.getArgumentTypes(), {}));
  hintSome(body);
  if (failed(verify(*program.module)))
    program.module = nullptr;
  return program;
}

} // namespace tilewright::programs
