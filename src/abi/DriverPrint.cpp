// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/DriverPrint.h"

#include "abi/CFormat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::cuda {
namespace {

using Argument = DriverPrintArgument;

std::string repeated(StringRef text, size_t count) {
  std::string result;
  while (count--)
    result += text;
  return result;
}

// The format that prints this text.
std::string escaped(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? "%%" : std::string(1, c);
  return result;
}

bool isReal(tilewright_type type) {
  return is_contained({TILEWRIGHT_F16, TILEWRIGHT_BF16, TILEWRIGHT_F32, TILEWRIGHT_F64}, type);
}
bool isUnsigned(tilewright_type type) {
  return is_contained({TILEWRIGHT_I1, TILEWRIGHT_U8, TILEWRIGHT_U16, TILEWRIGHT_U32, TILEWRIGHT_U64}, type);
}

// As formatPrint applies a conversion to an element.
struct ElementFormat {
  ElementFormat(const tilewright_conversion &conversion, tilewright_type type) {
    char letter = conversion.letter;
    bool asUnsigned = StringRef("uoxX").contains(letter);
    if (StringRef("eEfFgGaA").contains(letter)) {
      width = Argument::Width::F64;
    } else {
      if (!asUnsigned && isUnsigned(type))
        letter = 'u';
      bool isWide = isReal(type) || type == TILEWRIGHT_I64 || type == TILEWRIGHT_U64;
      // A negative number shows all bits of its widest form.
      width = isWide || (asUnsigned && !isUnsigned(type)) ? Argument::Width::I64 : Argument::Width::I32;
      bits = conversion.bits;
      keepsSign = !asUnsigned && !isUnsigned(type);
    }
    text = conversion.prefix;
    text += width == Argument::Width::I64 ? "ll" : "";
    text += letter;
  }

  Argument element(size_t tile, int64_t number) const {
    return {Argument::Source::Element, width, tile, number, bits, keepsSign};
  }

  std::string text;
  Argument::Width width;
  int bits = 64;
  bool keepsSign = false;
};

class CallBuilder {
public:
  void addText(StringRef text) { pending.formats.front() += escaped(text); }
  void addArgument(StringRef format, const Argument &argument) {
    if (pending.arguments.size() == maxDriverPrintArguments)
      flush();
    pending.formats.front() += format;
    pending.arguments.push_back(argument);
  }

  void addTile(const HostTile &tile, size_t number, const ElementFormat &format) {
    int64_t count = tile.numElements();
    size_t rank = tile.shape.size();
    std::vector<int64_t> steps;
    int64_t step = 1;
    for (int64_t extent : reverse(tile.shape))
      steps.push_back(step *= extent);
    auto separator = [&](int64_t element) {
      size_t ends = count_if(steps, [&](int64_t step) { return element % step == 0; });
      return repeated("]", ends) + ", " + repeated("[", ends);
    };
    addText(repeated("[", rank));
    if (count <= maxDriverPrintArguments) {
      if (pending.arguments.size() + count > maxDriverPrintArguments)
        flush();
      for (int64_t i = 0; i < count; ++i)
        addArgument((i ? separator(i) : "") + format.text, format.element(number, i));
    } else {
      // Text before the tile is of its first call, as far as it can be.
      std::string before;
      if (pending.arguments.empty())
        before = std::exchange(pending.formats.front(), {});
      flush();
      DriverPrintCall loop;
      assert(isPowerOf2_64(count) && "as every tile's: a group is whole rows, or part of one");
      int64_t group = maxDriverPrintArguments;
      std::string elements = format.text;
      loop.arguments.push_back(format.element(number, 0));
      for (int64_t i = 1; i < group; ++i) {
        elements += separator(i) + format.text;
        loop.arguments.push_back(format.element(number, i));
      }
      loop.times = count / group;
      loop.formats.resize(rank + 1);
      for (int64_t first = 0; first < count; first += group) {
        size_t begins = count_if(steps, [&](int64_t step) { return first % step == 0; });
        loop.formats[begins] = (first ? separator(first) : before) + elements;
      }
      loop.steps = std::move(steps);
      calls.push_back(std::move(loop));
    }
    addText(repeated("]", rank));
  }

  void flush() {
    if (!pending.formats.front().empty())
      calls.push_back(std::move(pending));
    pending = empty();
  }

  std::vector<DriverPrintCall> calls;

private:
  static DriverPrintCall empty() { return {{}, {""}, 1, {}}; }
  DriverPrintCall pending = empty();
};

void buildPrint(const HostSite &site, CallBuilder &builder) {
  const char *format = site.text.c_str();
  size_t next = 0;
  while (*format) {
    size_t plain = strcspn(format, "%");
    builder.addText(StringRef(format, plain));
    format += plain;
    if (!*format)
      break;
    if (*++format == '%') {
      builder.addText("%");
      ++format;
      continue;
    }
    tilewright_conversion conversion;
    if (!tilewright_take_conversion(&format, &conversion) || next == site.tiles.size())
      continue;
    const HostTile &tile = site.tiles[next];
    builder.addTile(tile, next++, ElementFormat(conversion, tile.type));
  }
}

void buildAssert(const HostSite &site, CallBuilder &builder) {
  auto addNumbers = [&](Argument::Source source, size_t count) {
    for (size_t axis = 0; axis < count; ++axis)
      builder.addArgument(axis ? ", %d" : "%d", {source, Argument::Width::I32, 0, static_cast<int64_t>(axis)});
  };
  builder.addText(site.file + ":" + std::to_string(site.line) + ": tile block: [");
  addNumbers(Argument::Source::Block, 3);
  builder.addText("], position: [");
  addNumbers(Argument::Source::Position, site.tiles.front().shape.size());
  builder.addText("]: " + site.text + "\n");
}

} // namespace

std::vector<unsigned> packArguments(ArrayRef<DriverPrintArgument> arguments) {
  std::vector<unsigned> offsets;
  unsigned end = 0;
  for (const DriverPrintArgument &argument : arguments) {
    end = alignTo(end, argument.bytes());
    offsets.push_back(end);
    end += argument.bytes();
  }
  offsets.push_back(end);
  return offsets;
}

std::vector<DriverPrintCall> driverPrintCalls(const HostSite &site) {
  CallBuilder builder;
  site.kind == HostSite::Kind::Print ? buildPrint(site, builder) : buildAssert(site, builder);
  builder.flush();
  return std::move(builder.calls);
}

} // namespace tilewright::cuda
