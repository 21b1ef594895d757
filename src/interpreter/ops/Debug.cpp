// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Print and assert, with the text of the runtime of compiled kernels.
#include "abi/Print.h"
#include "interpreter/FloatFormat.h"
#include "interpreter/Handlers.h"
#include "interpreter/TilePrint.h"
#include "interpreter/Walk.h"
#include "support/Diagnostics.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

// A tile as the runtime prints it: it knows common types, and the shorter floats are shown as doubles, which have all
// their numbers.
class Printable {
public:
  Printable(const Tile &tile, bool isUnsigned) : shape(tile.shape.begin(), tile.shape.end()) {
    type = typeOf(tile.element, isUnsigned);
    bool isWidened = isFloat(tile.element) && type == TILEWRIGHT_F64 && tile.element != Element::F64;
    unsigned bytes = isWidened ? 8 : storageBytes(tile.element);
    data.resize(tile.size() * bytes);
    for (int64_t i = 0; i < tile.size(); ++i) {
      Bits bits = tile.bits[i];
      if (isWidened)
        bits = llvm::bit_cast<uint64_t>(formatOf(tile.element).decode(bits));
      else if (tile.element == Element::I4)
        bits = isUnsigned ? bits : signExtend(bits, tile.element) & 0xFF;
      std::memcpy(data.data() + i * bytes, &bits, bytes);
    }
  }

  tilewright_print_arg argument() const {
    return {data.data(), type, static_cast<int32_t>(shape.size()), shape.data()};
  }

private:
  static int32_t typeOf(Element element, bool isUnsigned) {
    switch (element) {
    case Element::I1:
      return TILEWRIGHT_I1;
    case Element::I4:
    case Element::I8:
      return isUnsigned ? TILEWRIGHT_U8 : TILEWRIGHT_I8;
    case Element::I16:
      return isUnsigned ? TILEWRIGHT_U16 : TILEWRIGHT_I16;
    case Element::I32:
      return isUnsigned ? TILEWRIGHT_U32 : TILEWRIGHT_I32;
    case Element::I64:
      return isUnsigned ? TILEWRIGHT_U64 : TILEWRIGHT_I64;
    case Element::Pointer:
      return TILEWRIGHT_U64;
    case Element::F16:
      return TILEWRIGHT_F16;
    case Element::BF16:
      return TILEWRIGHT_BF16;
    case Element::F32:
    case Element::TF32:
      return TILEWRIGHT_F32;
    default:
      return TILEWRIGHT_F64;
    }
  }

  std::vector<int64_t> shape;
  std::vector<char> data;
  int32_t type;
};

llvm::Error handlePrint(cuda_tile::PrintTkoOp op, Context &context) {
  std::vector<Tile> tiles;
  for (mlir::Value argument : op.getArgs())
    tiles.push_back(context.tile(argument));
  context.print(formatTiles(op.getStr(), tiles));
  if (op.getResultToken()) {
    std::optional<uint64_t> token;
    if (op.getToken())
      token = std::get<Token>(context.frame.get(op.getToken())).id;
    context.set(op.getResultToken(), Token{context.monitor ? context.monitor->tokenAfter(op, token) : 0});
  }
  return llvm::Error::success();
}

// The launch ends as after a `return`, with the failure in its result.
llvm::Error handleAssert(cuda_tile::AssertOp op, Context &context) {
  const Tile &condition = context.tile(op.getCondition());
  const auto *element = llvm::find(condition.bits, Bits(0));
  if (element == condition.bits.end())
    return llvm::Error::success();
  AssertFailure failure;
  failure.message = op.getMessage().str();
  if (FileLineColLoc source = sourceOf(op.getLoc())) {
    failure.file = source.getFilename().str();
    failure.line = source.getLine();
  } else {
    failure.file = "?";
  }
  llvm::copy(context.block, failure.block);
  int64_t number = element - condition.bits.begin();
  for (int64_t stride : rowMajorStrides(condition.shape)) {
    failure.position.push_back(number / stride);
    number %= stride;
  }
  context.result.failure = std::move(failure);
  context.leave(Exit::Kind::Return, {});
  return llvm::Error::success();
}

// The functions of libraries are compiled for a GPU.
llvm::Error handleForeignCall(cuda_tile::PreviewCallOp op, Context &) {
  return errorAt(op, "the interpreter cannot call the foreign function '" + op.getCallee() +
                         "', expected operations of Tile IR only");
}

} // namespace

std::string formatTiles(llvm::StringRef format, llvm::ArrayRef<Tile> tiles) {
  llvm::SmallVector<bool> isUnsigned = unsignedConversions(format);
  std::vector<Printable> printables;
  printables.reserve(tiles.size());
  for (auto [i, tile] : llvm::enumerate(tiles))
    printables.emplace_back(tile, i < isUnsigned.size() && isUnsigned[i]);
  llvm::SmallVector<tilewright_print_arg> arguments;
  for (const Printable &printable : printables)
    arguments.push_back(printable.argument());
  std::string text;
  formatPrint(text, format, arguments);
  return text;
}

void registerDebugOps(HandlerTable &table) {
  table.add<handlePrint>();
  table.add<handleAssert>();
  table.add<handleForeignCall>();
}

} // namespace tilewright::interpreter
