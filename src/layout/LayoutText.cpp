// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "layout/LayoutText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilewright::layout {

void LinearLayout::print(raw_ostream &stream) const {
  auto printVector = [&](F2Vector vector) {
    auto part = [&](DimSize out) { stream << coordinate(vector, out.dim); };
    if (outs.size() == 1)
      return part(outs.front());
    stream << '(';
    interleave(outs, stream, part, ",");
    stream << ')';
  };
  stream << '{';
  interleaveComma(ins, stream, [&](DimSize in) {
    stream << dimName(in.dim) << ':';
    for (F2Vector vector : basisOf(in.dim)) {
      stream << ' ';
      printVector(vector);
    }
  });
  stream << "} -> ";
  bool isTile = all_of(enumerate(outs), [](auto out) { return out.value().dim == tileDim(out.index()); });
  if (outs.empty())
    stream << "()";
  else if (isTile)
    interleave(outs, stream, [&](DimSize out) { stream << out.size(); }, "x");
  else
    interleave(outs, stream, [&](DimSize out) { stream << dimName(out.dim) << ':' << out.size(); }, " x ");
}

std::string LinearLayout::str() const {
  std::string text;
  raw_string_ostream stream(text);
  print(stream);
  return text;
}

namespace {

struct Parser {
  StringRef text, rest;
  Error error = Error::success();

  explicit Parser(StringRef text) : text(text), rest(text.ltrim()) {}

  bool fail(const Twine &expected) {
    if (error)
      return false;
    std::string found = rest.empty() ? "the end" : ("'" + rest.take_front(12) + "'").str();
    error = createStringError("layout '" + text + "': expected " + expected + ", found " + found);
    return false;
  }
  bool at(StringRef token) const { return rest.starts_with(token); }
  bool take(StringRef token) {
    if (!rest.consume_front(token))
      return false;
    rest = rest.ltrim();
    return true;
  }
  bool expect(StringRef token) { return take(token) || fail("'" + token + "'"); }
  bool number(uint64_t &value) {
    if (rest.empty() || !isDigit(rest.front()) || rest.consumeInteger(10, value))
      return fail("a number");
    rest = rest.ltrim();
    return true;
  }
  bool dim(Dim &value) {
    StringRef before = rest;
    StringRef name = rest.take_while([](char c) { return isAlnum(c); });
    rest = rest.drop_front(name.size()).ltrim();
    for (unsigned i = 0; i < 256; ++i)
      if (name == dimName(Dim(i))) {
        value = Dim(i);
        return true;
      }
    rest = before;
    return fail("register, lane, warp, block, offset, row, column, d0, d1, ...");
  }
  bool size(unsigned &bits) {
    StringRef before = rest;
    uint64_t value = 0;
    if (!number(value))
      return false;
    if (!isPowerOf2_64(value)) {
      rest = before;
      return fail("a power of two");
    }
    bits = Log2_64(value);
    return true;
  }
  bool parse(LinearLayout &layout);
};

bool Parser::parse(LinearLayout &layout) {
  SmallVector<DimSize> ins, outs;
  SmallVector<SmallVector<uint64_t>> vectors;
  auto repeated = [&](ArrayRef<DimSize> dims, Dim dim) {
    return any_of(dims, [&](DimSize other) { return other.dim == dim; }) &&
           !fail("each dimension once, but " + dimName(dim) + " is there before");
  };
  if (!expect("{"))
    return false;
  while (!at("}")) {
    DimSize in{Dim::Register, 0};
    if ((!ins.empty() && !expect(",")) || !dim(in.dim) || repeated(ins, in.dim) || !expect(":"))
      return false;
    while (at("(") || (!rest.empty() && isDigit(rest.front()))) {
      SmallVector<uint64_t> &parts = vectors.emplace_back();
      ++in.bits;
      bool tuple = take("(");
      while (!tuple || !take(")")) {
        if ((!parts.empty() && !expect(",")) || !number(parts.emplace_back()))
          return false;
        if (!tuple)
          break;
      }
    }
    ins.push_back(in);
  }
  if (!expect("}") || !expect("->"))
    return false;
  if (!take("("))
    do {
      DimSize out{tileDim(outs.size()), 0};
      if (!rest.empty() && isAlpha(rest.front()) && (!dim(out.dim) || !expect(":")))
        return false;
      if (repeated(outs, out.dim) || !size(out.bits))
        return false;
      outs.push_back(out);
    } while (take("x"));
  else if (!expect(")"))
    return false;
  if (!rest.empty())
    return fail("nothing more");

  unsigned inBits = vectors.size(), outBits = 0;
  for (DimSize out : outs)
    outBits += out.bits;
  if (inBits > 63 || outBits > 63)
    return fail("at most 63 bits of inputs and of outputs");
  SmallVector<F2Vector> numbers;
  for (ArrayRef<uint64_t> parts : vectors) {
    if (parts.size() != outs.size())
      return fail("basis vectors with " + Twine(outs.size()) + " coordinates, one has " + Twine(parts.size()));
    F2Vector number = 0;
    for (auto [part, out] : zip_equal(parts, outs)) {
      if (part >= out.size())
        return fail("coordinates below " + Twine(out.size()) + " in " + dimName(out.dim) + ", one is " + Twine(part));
      number = number << out.bits | part;
    }
    numbers.push_back(number);
  }
  layout = LinearLayout(ins, outs, numbers);
  return true;
}

} // namespace

Expected<LinearLayout> parseLayout(StringRef text) {
  Parser parser(text);
  LinearLayout layout;
  bool parsed = parser.parse(layout);
  if (parser.error)
    return std::move(parser.error);
  assert(parsed);
  (void)parsed;
  return layout;
}

} // namespace tilewright::layout
