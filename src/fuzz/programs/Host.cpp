// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The grid, and what a kernel says to its host: printed text and assertions that hold.
#include "fuzz/programs/productions/Productions.h"

using namespace mlir;

namespace tilewright::programs {
namespace {

bool writeGrid(Body &body, StringRef mnemonic) {
  ct::TileType scalar = body.tile({}, Element::I32);
  for (Value result : body.op(mnemonic, {}, {scalar, scalar, scalar})->getResults())
    body.keep(result);
  return true;
}

bool writePrint(Body &body) {
  if (body.program.launch.grid[0] * body.numBlocks > 16 || body.loops.size() > 1)
    return false;
  std::string format = "#" + std::to_string(body.random.below(100));
  SmallVector<Value> operands;
  for (unsigned i = body.random.below(3); i; --i) {
    ct::TileType type = body.someTile(words | floats);
    if (type.getNumElements() > 16)
      type = body.tile({}, type.getElementType());
    Value value = body.pick(type);
    Element element = getElement(type.getElementType());
    format += " ";
    if (isFloat(element)) {
      // Signs of NaN show.
      value = body.withoutNan(value);
      format += body.random.pick<StringRef>({"%f", "%g", "%e", "%.3f", "%10.4g"});
    } else {
      format += element == Element::I64 ? body.random.pick<StringRef>({"%lld", "%llu", "%llx"})
                                        : body.random.pick<StringRef>({"%d", "%i", "%u", "%x", "%5d"});
    }
    operands.push_back(value);
  }
  format += "%%\n";
  SmallVector<int32_t> segments = {static_cast<int32_t>(operands.size()), 0};
  // Lines of a block come in the order of tokens alone.
  Area *lines = nullptr;
  for (Area &area : body.areas)
    if (!area.pointer && area.isOpen)
      lines = &area;
  if (!lines)
    return false;
  if (Value token = lines->token) {
    operands.push_back(token);
    segments[1] = 1;
  }
  lines->token = body.make("print_tko", operands, body.token(),
                           {body.attribute("str", body.builder.getStringAttr(format)),
                            body.attribute("operandSegmentSizes", body.builder.getDenseI32ArrayAttr(segments))});
  return true;
}

bool writeAssert(Body &body) {
  ct::TileType type = body.someTile(integers);
  Value value = body.pick(type),
        same = body.random.chance(50) ? value : body.binary("xori", value, body.splat(type, 0));
  Value holds = body.compare(ct::ComparisonPredicate::Equal, ct::Signedness::Unsigned, value, same);
  body.op("assert", holds, {}, body.attribute("message", body.builder.getStringAttr("a number equals itself")));
  return true;
}

} // namespace

void addHost(Productions &productions) {
  productions.push_back({"get_tile_block_id", 1, [](Body &body) { return writeGrid(body, "get_tile_block_id"); }});
  productions.push_back({"get_num_tile_blocks", 1, [](Body &body) { return writeGrid(body, "get_num_tile_blocks"); }});
  productions.push_back({"print_tko", 2, writePrint});
  productions.push_back({"assert", 1, writeAssert});
}

} // namespace tilewright::programs
