// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/debug/TileText.h"

#include "interpreter/FloatFormat.h"
#include "interpreter/Walk.h"
#include "llvm/ADT/StringExtras.h"
#include <charconv>
#include <cmath>

namespace tilewright::interpreter {
namespace {

// As many elements are shown; of longer dimensions of larger tiles, so many at each end.
constexpr int64_t maxShown = 256, edge = 3;

std::string floatText(double number, bool isDouble) {
  if (std::isnan(number))
    return "nan";
  if (std::isinf(number))
    return number < 0 ? "-inf" : "inf";
  char buffer[64];
  // Formats of up to 32 bits are floats exactly.
  auto end = isDouble ? std::to_chars(buffer, buffer + sizeof(buffer), number)
                      : std::to_chars(buffer, buffer + sizeof(buffer), static_cast<float>(number));
  return std::string(buffer, end.ptr);
}

class Brackets {
public:
  Brackets(const Tile &tile, bool whole) : tile(tile), strides(rowMajorStrides(tile.shape)) {
    elides = !whole && tile.size() > maxShown;
    for (int64_t i = 0; i < tile.size(); ++i) {
      texts.push_back(tile.undefined && tile.undefined->elements[i] ? "?" : elementText(tile.element, tile.bits[i]));
      if (tile.size() <= maxShown)
        width = std::max(width, texts.back().size());
    }
  }

  std::string text() { return write(0, 0); }

private:
  std::string write(size_t dim, int64_t at) {
    if (dim == tile.shape.size())
      return texts[at];
    std::string text = "[";
    bool isLast = dim + 1 == tile.shape.size();
    // Rows stand below each other, further dimensions are one line apart.
    std::string separator =
        isLast ? ", " : "," + std::string(tile.shape.size() - dim - 1, '\n') + std::string(dim + 1, ' ');
    int64_t extent = tile.shape[dim];
    for (int64_t i = 0; i < extent; ++i) {
      if (i)
        text += separator;
      if (elides && extent > 2 * edge + 1 && i == edge) {
        text += "...";
        i = extent - edge - 1;
        continue;
      }
      std::string element = write(dim + 1, at + i * strides[dim]);
      if (isLast && tile.shape.size() > 1)
        element.insert(0, width - std::min(width, element.size()), ' ');
      text += element;
    }
    return text + "]";
  }

  const Tile &tile;
  Index strides;
  std::vector<std::string> texts;
  size_t width = 0;
  bool elides;
};

std::string listText(llvm::ArrayRef<int64_t> list) {
  return "[" + llvm::join(llvm::map_range(list, [](int64_t i) { return std::to_string(i); }), ", ") + "]";
}

} // namespace

std::string elementText(Element element, Bits bits) {
  if (element == Element::I1)
    return bits ? "True" : "False";
  if (element == Element::Pointer)
    return "0x" + llvm::utohexstr(bits, /*LowerCase=*/true);
  if (isFloat(element))
    return floatText(formatOf(element).decode(bits), element == Element::F64);
  return std::to_string(signExtend(bits, element));
}

llvm::Expected<Tile> slice(const Tile &tile, llvm::StringRef subscript) {
  llvm::SmallVector<llvm::StringRef> parts;
  subscript.split(parts, ',');
  if (parts.size() > tile.shape.size())
    return llvm::createStringError(std::to_string(parts.size()) + " indices for a tile of rank " +
                                   std::to_string(tile.shape.size()));
  Index strides = rowMajorStrides(tile.shape), kept, keptStrides;
  int64_t first = 0;
  for (auto [dim, extent] : llvm::enumerate(tile.shape)) {
    auto number = [&, extent = extent](llvm::StringRef text, int64_t missing) -> std::optional<int64_t> {
      int64_t value = missing;
      text = text.trim();
      if (!text.empty() && text.getAsInteger(10, value))
        return std::nullopt;
      return value < 0 ? value + extent : value;
    };
    llvm::StringRef part = dim < parts.size() ? parts[dim].trim() : ":";
    auto [from, to] = part.split(':');
    bool isRange = part.contains(':');
    std::optional<int64_t> begin = number(from, 0), end = isRange ? number(to, extent) : begin;
    if (!begin || !end || (!isRange && from.empty()))
      return llvm::createStringError("'" + part + "' is no index, expected a number or a range like 2:4");
    if (isRange) {
      begin = std::clamp<int64_t>(*begin, 0, extent);
      end = std::clamp<int64_t>(*end, *begin, extent);
      kept.push_back(*end - *begin);
      keptStrides.push_back(strides[dim]);
    } else if (*begin < 0 || *begin >= extent) {
      return llvm::createStringError("index " + part + " in dimension " + std::to_string(dim) +
                                     ", expected less than " + std::to_string(extent));
    }
    first += *begin * strides[dim];
  }
  Tile result(tile.element, kept);
  llvm::BitVector undefined(result.size());
  forEachIndex(kept, [&](int64_t i, llvm::ArrayRef<int64_t> index) {
    int64_t source = first + dot(index, keptStrides);
    result.bits[i] = tile.bits[source];
    if (tile.undefined && tile.undefined->elements[source])
      undefined.set(i);
  });
  if (undefined.any())
    result.undefined = std::make_shared<const Undefined>(Undefined{std::move(undefined), tile.undefined->origin});
  return result;
}

std::string tileText(const Tile &tile, bool whole) {
  return Brackets(tile, whole).text();
}

std::string valueText(const Value &value, bool whole) {
  if (const auto *tile = std::get_if<Tile>(&value)) {
    std::string type = "tile<";
    for (int64_t extent : tile->shape)
      type += std::to_string(extent) + "x";
    type += elementName(tile->element).str() + ">";
    return type + (tile->shape.size() > 1 ? "\n" : " ") + tileText(*tile, whole);
  }
  if (const auto *view = std::get_if<TensorView>(&value))
    return "tensor of " + elementName(view->element).str() + " at 0x" + llvm::utohexstr(view->base, true) + ", shape " +
           listText(view->shape) + ", strides " + listText(view->strides);
  if (const auto *view = std::get_if<TileView>(&value)) {
    llvm::SmallVector<int64_t> tile(view->type.getTileShape().begin(), view->type.getTileShape().end());
    return "tiles of " + listText(tile) + " of a " + valueText(view->tensor);
  }
  return "token";
}

} // namespace tilewright::interpreter
