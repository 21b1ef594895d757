// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/NamedLayouts.h"
#include "layout/LayoutText.h"
#include "layout/MmaLayouts.h"
#include "layout/memory/AccessQuality.h"
#include "layout/memory/MatrixAccess.h"
#include "layout/memory/SharedLayouts.h"
#include "layout/memory/TensorMemory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilewright::layout {

namespace {

// The parts of a name, each read in its turn; what is wrong is kept.
struct Parts {
  SmallVector<StringRef> parts;
  unsigned next = 1;
  std::string wanted;

  explicit Parts(StringRef name) { name.split(parts, '.'); }
  StringRef take() { return next < parts.size() ? parts[next++] : StringRef(); }
  template <typename T> T wrong(StringRef expected, T value) {
    if (wanted.empty())
      wanted = expected.str();
    return value;
  }

  // f16, bf16, tf32, i8: the number at the end.
  unsigned elementBits() {
    StringRef type = take();
    unsigned bits = 0;
    bool read = !type.drop_while([](char c) { return !isDigit(c); }).getAsInteger(10, bits);
    return read && isPowerOf2_32(bits) && bits <= 64 ? bits : wrong("a type as f16", 16u);
  }
  SmallVector<int64_t> shape() {
    SmallVector<StringRef> sizes;
    SmallVector<int64_t> shape;
    take().split(sizes, 'x');
    for (StringRef text : sizes) {
      uint64_t size = 0;
      if (text.getAsInteger(10, size) || !isPowerOf2_64(size) || size > 1 << 16)
        return wrong("a shape of powers of two as 8x64", SmallVector<int64_t>{1, 1});
      shape.push_back(size);
    }
    return shape.size() == 2 ? shape : wrong("a shape of two dimensions", SmallVector<int64_t>{1, 1});
  }
  uint64_t power(StringRef prefix, StringRef expected) {
    StringRef text = take();
    uint64_t value = 0;
    if (!text.consume_front(prefix) || text.getAsInteger(10, value) || !isPowerOf2_64(value) || value > 512)
      return wrong(expected, uint64_t(1));
    return value;
  }
  MmaShape mmaShape() {
    StringRef text = take();
    MmaShape shape{0, 0, 0, 0};
    bool read = text.consume_front("m") && !text.consumeInteger(10, shape.m) && text.consume_front("n") &&
                !text.consumeInteger(10, shape.n) && text.consume_front("k") && !text.getAsInteger(10, shape.k);
    shape.elementBits = elementBits();
    return read ? shape : wrong("a shape as m16n8k16", MmaShape{16, 8, 16, 16});
  }
  MmaOperand operand() {
    StringRef text = take();
    return text == "a"   ? MmaOperand::A
           : text == "b" ? MmaOperand::B
           : text == "c" ? MmaOperand::Accumulator
                         : wrong("an operand: a, b or c", MmaOperand::A);
  }
};

LinearLayout mma(Parts &parts) {
  MmaShape shape = parts.mmaShape();
  MmaOperand operand = parts.operand();
  if (!parts.wanted.empty() || !isMmaSync(shape))
    return parts.wrong("a shape that mma.sync has", LinearLayout());
  return mmaSync(operand, shape);
}

LinearLayout warpgroup(Parts &parts) {
  MmaShape shape = parts.mmaShape();
  MmaOperand operand = parts.operand();
  if (!parts.wanted.empty() || operand == MmaOperand::B || shape.m != 64 || shape.k * shape.elementBits != 256 ||
      shape.n < 8 || shape.n > 256 || !isPowerOf2_64(shape.n) || shape.elementBits < 8 || shape.elementBits > 32)
    return parts.wrong("a or c of m64, n from 8 to 256 and 32 bytes of k", LinearLayout());
  return wgmma(operand, shape);
}

LinearLayout matrices(Parts &parts) {
  uint64_t count = parts.power("x", "x1, x2 or x4");
  bool transposed = parts.next < parts.parts.size() && parts.parts[parts.next] == "trans";
  if (transposed)
    parts.take();
  unsigned bits = transposed || parts.next == parts.parts.size() ? 16 : parts.elementBits();
  if (count > 4 || bits > 32 || bits < 4)
    return parts.wrong("x1, x2 or x4 of at most 32 bits", LinearLayout());
  return matrixAccess(count, bits, transposed);
}

LinearLayout tensorMemory(Parts &parts) {
  auto shape = StringSwitch<std::optional<TensorMemoryShape>>(parts.take())
                   .Case("32x32b", TensorMemoryShape::L32x32b)
                   .Case("16x64b", TensorMemoryShape::L16x64b)
                   .Case("16x128b", TensorMemoryShape::L16x128b)
                   .Case("16x256b", TensorMemoryShape::L16x256b)
                   .Default(std::nullopt);
  uint64_t repeats = parts.power("x", "x1 to x128");
  return shape ? tensorMemoryAccess(*shape, repeats)
               : parts.wrong("32x32b, 16x64b, 16x128b or 16x256b", LinearLayout());
}

LinearLayout blocked(Parts &parts) {
  SmallVector<int64_t> shape = parts.shape();
  TileMemory memory{{{}, {1}}, 16, parts.elementBits()};
  memory.dims[0].divisor = 128;
  return blockedLayout(chooseBlocked(shape, memory, parts.power("w", "a number of warps as w4")), shape);
}

LinearLayout shared(Parts &parts) {
  SmallVector<int64_t> shape = parts.shape();
  unsigned order[] = {1, 0}, columns[] = {0, 1};
  if (parts.parts[0] != "tma")
    return plainShared(shape, parts.parts[0] == "rows" ? order : columns);
  unsigned bits = parts.elementBits();
  auto mode = StringSwitch<std::optional<SwizzleMode>>(parts.take())
                  .Case("none", SwizzleMode::None)
                  .Case("32B", SwizzleMode::B32)
                  .Case("64B", SwizzleMode::B64)
                  .Case("128B", SwizzleMode::B128)
                  .Default(std::nullopt);
  return mode ? tmaTile(shape, order, *mode, bits) : parts.wrong("a swizzle: none, 32B, 64B or 128B", LinearLayout());
}

} // namespace

Expected<LinearLayout> layoutByName(StringRef name) {
  if (name.ltrim().starts_with("{"))
    return parseLayout(name);
  Parts parts(name);
  using Maker = LinearLayout (*)(Parts &);
  Maker make = StringSwitch<Maker>(parts.parts[0])
                   .Case("mma", mma)
                   .Case("wgmma", warpgroup)
                   .Cases({"ldmatrix", "stmatrix"}, matrices)
                   .Case("tcgen05", tensorMemory)
                   .Case("blocked", blocked)
                   .Cases({"rows", "columns", "tma"}, shared)
                   .Default(nullptr);
  if (!make)
    return createStringError(
        "unknown layout '" + name +
        "', expected mma, wgmma, ldmatrix, stmatrix, tcgen05, blocked, rows, columns or tma, as in "
        "mma.m16n8k16.f16.a, or a layout's text");
  LinearLayout layout = make(parts);
  if (parts.wanted.empty() && parts.next < parts.parts.size())
    parts.wanted = ("nothing after '" + parts.parts[parts.next - 1] + "'").str();
  if (!parts.wanted.empty())
    return createStringError("layout '" + name + "': expected " + parts.wanted);
  return layout;
}

} // namespace tilewright::layout
