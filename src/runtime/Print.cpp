// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Print.h"

#include "llvm/ADT/APFloat.h"
#include <cstdio>
#include <cstring>

using namespace llvm;

namespace tilewright {
namespace {

// One element, widened: integers keep their sign, floats become double.
struct Element {
  bool isFloat = false;
  bool isSigned = true;
  int64_t integer = 0;
  double real = 0;
};

template <typename T> T readAt(const void *data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char *>(data) + index * sizeof(T), sizeof(T));
  return value;
}

Element integer(int64_t value, bool isSigned) {
  return {false, isSigned, value, static_cast<double>(value)};
}
Element real(double value) {
  return {true, true, static_cast<int64_t>(value), value};
}
Element narrowFloat(const fltSemantics &semantics, uint16_t bits) {
  APFloat value(semantics, APInt(16, bits));
  bool exact;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &exact);
  double wide = value.convertToDouble();
  return {true, true, value.isFinite() ? static_cast<int64_t>(wide) : 0, wide};
}

Element elementAt(const tilewright_print_arg &arg, int64_t index) {
  switch (arg.type) {
  case TILEWRIGHT_I1:
    return integer(readAt<uint8_t>(arg.data, index) != 0, false);
  case TILEWRIGHT_I8:
    return integer(readAt<int8_t>(arg.data, index), true);
  case TILEWRIGHT_I16:
    return integer(readAt<int16_t>(arg.data, index), true);
  case TILEWRIGHT_I32:
    return integer(readAt<int32_t>(arg.data, index), true);
  case TILEWRIGHT_I64:
    return integer(readAt<int64_t>(arg.data, index), true);
  case TILEWRIGHT_U8:
    return integer(readAt<uint8_t>(arg.data, index), false);
  case TILEWRIGHT_U16:
    return integer(readAt<uint16_t>(arg.data, index), false);
  case TILEWRIGHT_U32:
    return integer(readAt<uint32_t>(arg.data, index), false);
  case TILEWRIGHT_U64:
    return integer(static_cast<int64_t>(readAt<uint64_t>(arg.data, index)), false);
  case TILEWRIGHT_F16:
    return narrowFloat(APFloat::IEEEhalf(), readAt<uint16_t>(arg.data, index));
  case TILEWRIGHT_BF16:
    return narrowFloat(APFloat::BFloat(), readAt<uint16_t>(arg.data, index));
  case TILEWRIGHT_F32:
    return real(readAt<float>(arg.data, index));
  default:
    return real(readAt<double>(arg.data, index));
  }
}

// A printf conversion taken apart: flags, width and precision without the length modifier, which depends on our widened
// element.
struct Conversion {
  std::string prefix;
  char letter = 'g';
};

void printElement(std::string &out, const Conversion &conversion, const Element &element) {
  bool asFloat = std::strchr("eEfFgGaA", conversion.letter);
  bool asUnsigned = std::strchr("uoxX", conversion.letter);
  char text[512];
  int length;
  if (asFloat) {
    std::string spec = conversion.prefix + conversion.letter;
    length = std::snprintf(text, sizeof(text), spec.c_str(), element.real);
  } else {
    // %d of an unsigned element still shows its value.
    char letter = !asUnsigned && !element.isSigned ? 'u' : conversion.letter;
    std::string spec = conversion.prefix + "ll" + letter;
    length = std::snprintf(text, sizeof(text), spec.c_str(), static_cast<long long>(element.integer));
  }
  if (length > 0)
    out.append(text, std::min<size_t>(length, sizeof(text) - 1));
}

void printTile(std::string &out, const Conversion &conversion, const tilewright_print_arg &arg, int32_t axis,
               int64_t &index) {
  if (axis == arg.rank)
    return printElement(out, conversion, elementAt(arg, index++));
  out += '[';
  for (int64_t i = 0; i < arg.shape[axis]; ++i) {
    if (i)
      out += ", ";
    printTile(out, conversion, arg, axis + 1, index);
  }
  out += ']';
}

// Reads the conversion at the front of the format, after its percent sign.
Conversion takeConversion(StringRef &format) {
  Conversion conversion;
  conversion.prefix = "%";
  size_t length = std::min(format.find_first_not_of("-+ #0123456789."), format.size());
  conversion.prefix += format.take_front(length).str();
  format = format.drop_front(length).ltrim("hlLqjzt");
  if (!format.empty()) {
    conversion.letter = format.front();
    format = format.drop_front();
  }
  return conversion;
}

} // namespace

void formatPrint(std::string &out, StringRef format, ArrayRef<tilewright_print_arg> args) {
  while (!format.empty()) {
    auto [text, rest] = format.split('%');
    out += text;
    if (text.size() == format.size())
      return;
    format = rest;
    if (format.consume_front("%")) {
      out += '%';
      continue;
    }
    Conversion conversion = takeConversion(format);
    if (args.empty() || !std::strchr("diuoxXeEfFgGaA", conversion.letter))
      continue; // the front end checked the string; nothing safe can be printed for a broken one
    int64_t index = 0;
    printTile(out, conversion, args.front(), 0, index);
    args = args.drop_front();
  }
}

SmallVector<bool> unsignedConversions(StringRef format) {
  SmallVector<bool> result;
  for (size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] != '%')
      continue;
    if (format[i + 1] == '%') {
      ++i;
      continue;
    }
    i = format.find_first_of("diouxXeEfFgGaAcsp", i + 1);
    if (i == StringRef::npos)
      break;
    result.push_back(StringRef("ouxX").contains(format[i]));
  }
  return result;
}

} // namespace tilewright
