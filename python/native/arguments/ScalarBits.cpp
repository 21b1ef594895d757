// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ScalarBits.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

namespace nb = nanobind;

namespace tilewright::python {
namespace {

enum DlpackCode : uint8_t { Int = 0, UInt = 1, Float = 2, Bfloat = 4, Bool = 6 };

uint64_t narrowFloat(double value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool exact;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &exact);
  return number.bitcastToAPInt().getZExtValue();
}

} // namespace

bool isFloat(const DTypeInfo &info) {
  return info.dlpackCode == Float || info.dlpackCode == Bfloat;
}

bool isInteger(const DTypeInfo &info) {
  return info.dlpackCode == Int || info.dlpackCode == UInt;
}

uint64_t floatBits(const DTypeInfo &info, PyObject *number) {
  double value = PyFloat_AsDouble(number);
  if (value == -1.0 && PyErr_Occurred())
    throw nb::python_error();
  if (info.bytes == 8)
    return llvm::bit_cast<uint64_t>(value);
  if (info.bytes == 4)
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  return narrowFloat(value, info.dlpackCode == Bfloat ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf());
}

std::optional<uint64_t> integerBits(const DTypeInfo &info, PyObject *number) {
  bool isSigned = info.dlpackCode == Int;
  unsigned bits = info.dlpackCode == Bool ? 1 : info.bytes * 8;
  if (!isSigned && bits == 64) {
    uint64_t word = PyLong_AsUnsignedLongLong(number);
    bool fits = !(word == uint64_t(-1) && PyErr_Occurred());
    PyErr_Clear();
    return fits ? std::optional(word) : std::nullopt;
  }
  int overflow = 0;
  long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow)
    return std::nullopt;
  if (bits < 64) {
    long long low = isSigned ? -(1ll << (bits - 1)) : 0;
    long long high = isSigned ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
    if (value < low || value > high)
      return std::nullopt;
  }
  return static_cast<uint64_t>(value);
}

} // namespace tilewright::python
