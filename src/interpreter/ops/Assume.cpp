// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts that a program promises. A value goes through as it is; whether the fact holds is for the monitor to know.
#include "interpreter/Handlers.h"
#include "interpreter/Walk.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

std::string inBrackets(llvm::ArrayRef<int64_t> index) {
  std::string text = "[";
  for (auto [dim, at] : llvm::enumerate(index))
    text += (dim ? ", " : "") + std::to_string(at);
  return text + "]";
}

// The first element that does not do what `holds` wants, in words; empty if all do.
std::string findFalse(const Tile &tile, llvm::StringRef expected,
                      llvm::function_ref<bool(int64_t, llvm::ArrayRef<int64_t>)> holds) {
  std::string found;
  forEachIndex(tile.shape, [&](int64_t i, llvm::ArrayRef<int64_t> index) {
    if (!found.empty() || holds(i, index))
      return;
    found = tile.shape.empty() ? "the value is " : "element " + inBrackets(index) + " is ";
    found += tile.element == Element::Pointer ? std::to_string(tile.bits[i])
                                              : std::to_string(signExtend(tile.bits[i], tile.element));
    found += ", expected " + expected.str();
  });
  return found;
}

std::string check(const Tile &tile, cuda_tile::DivByAttr divBy) {
  uint64_t mask = divBy.getDivisor() - 1; // a power of two
  std::string expected = "a multiple of " + std::to_string(divBy.getDivisor());
  if (tile.element == Element::Pointer)
    expected += " (an address)";
  return findFalse(tile, expected, [&](int64_t i, llvm::ArrayRef<int64_t> index) {
    // Of each group along a dimension only the first element is promised.
    bool isPromised = !divBy.getEvery() || *divBy.getEvery() == 0 || index[*divBy.getAlong()] % *divBy.getEvery() == 0;
    return !isPromised || (tile.bits[i] & mask) == 0;
  });
}

std::string check(const Tile &tile, cuda_tile::BoundedAttr bounded) {
  auto textOf = [](std::optional<int64_t> bound) { return bound ? std::to_string(*bound) : "?"; };
  std::string expected = "at least " + textOf(bounded.getLb()) + " and at most " + textOf(bounded.getUb());
  return findFalse(tile, expected, [&](int64_t i, llvm::ArrayRef<int64_t>) {
    int64_t value = signExtend(tile.bits[i], tile.element);
    return (!bounded.getLb() || value >= *bounded.getLb()) && (!bounded.getUb() || value <= *bounded.getUb());
  });
}

std::string check(const Tile &tile, cuda_tile::SameElementsAttr same) {
  Index strides = rowMajorStrides(tile.shape);
  return findFalse(tile, "the first of its group", [&](int64_t i, llvm::ArrayRef<int64_t> index) {
    int64_t first = 0;
    for (size_t dim = 0; dim < index.size(); ++dim) {
      int64_t group = std::max<int64_t>(same.getValues()[dim], 1);
      first += index[dim] / group * group * strides[dim];
    }
    return tile.bits[i] == tile.bits[first];
  });
}

// A tensor view that is divisible begins at such an address.
std::string check(const TensorView &view, cuda_tile::DivByAttr divBy) {
  return check(Tile::scalar(Element::Pointer, view.base), divBy);
}

llvm::Error handleAssume(cuda_tile::AssumeOp op, Context &context) {
  const Value &value = context.frame.get(op.getValue());
  if (context.monitor) {
    Attribute predicate = op.getPredicate();
    std::string found;
    if (auto *view = std::get_if<TensorView>(&value))
      found = check(*view, llvm::cast<cuda_tile::DivByAttr>(predicate));
    else
      found = llvm::TypeSwitch<Attribute, std::string>(predicate)
                  .Case<cuda_tile::DivByAttr, cuda_tile::BoundedAttr, cuda_tile::SameElementsAttr>(
                      [&](auto attribute) { return check(std::get<Tile>(value), attribute); });
    if (!found.empty())
      context.violated(op, Violation::Assume, "a false assumption: " + found);
  }
  context.set(op.getResult(), value);
  return llvm::Error::success();
}

} // namespace

void registerAssumeOps(HandlerTable &table) {
  table.add<handleAssume>();
}

} // namespace tilewright::interpreter
