// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An array in memory, and the facts of it that the compiler may rely on.
#ifndef TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARRAYVALUE_H
#define TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARRAYVALUE_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tilewright::python {

constexpr int maxRank = 12;

// One element type; the index into dtypeTable().
using DTypeId = uint8_t;
struct DTypeInfo {
  const char *name; // as in tilewright.dtypes
  uint8_t bytes;
  uint8_t dlpackCode; // DLDataTypeCode
};
llvm::ArrayRef<DTypeInfo> dtypeTable();
std::optional<DTypeId> dtypeByName(const std::string &name);
std::optional<DTypeId> dtypeByCode(unsigned dlpackCode, unsigned bits);

// Where memory is: a GPU by the driver's number, or
constexpr int inHostMemory = -1, onAnyGpu = -2; // the last of arrays without elements

// An array as the kernel sees it: strides in elements.
struct ArrayValue {
  char *data;
  DTypeId dtype;
  bool readOnly;
  int rank;
  int device = inHostMemory;
  int64_t shape[maxRank];
  int64_t strides[maxRank];

  int64_t elementBytes() const { return dtypeTable()[dtype].bytes; }
  // The byte after the last element; data for an empty array.
  char *end() const;
  // Without gaps, in the order of its axes.
  bool isContiguous() const;
  // Both are the same bytes: of one address, with equal extents, strides and element sizes, or without gaps.
  bool isSameMemory(const ArrayValue &other) const;
  // Both have one place, element size, and extents and strides.
  bool isLike(const ArrayValue &other) const;
  // Several elements may be one place in memory, as far as can be seen without solving equations: an axis does not step
  // over all that one of a shorter stride reaches. A stride of zero counts also for an extent of one.
  bool mayOverlapItself() const;
};

// The facts that the compiler may rely on, in one word: equal words, equal code. The facts of several arrays are the
// bits that all of them have. It becomes the front end's record of the same name.
struct ArraySpec {
  enum Axis : unsigned { UnitStride = 1, DivisibleStride = 2, DivisibleExtent = 4, UnitExtent = 8 };

  uint64_t word = 0; // the lowest four bits are those of a tag

  static uint64_t ofType(DTypeId dtype, int rank) { return uint64_t(dtype) << 4 | uint64_t(rank) << 9; }
  static constexpr uint64_t aligned = 1 << 13; // the address is a multiple of 16

  bool isAligned() const { return word & aligned; }
  bool has(Axis fact, int axis) const { return word >> shiftOf(axis) & fact; }
  void add(unsigned facts, int axis) { word |= uint64_t(facts) << shiftOf(axis); }

private:
  static constexpr int shiftOf(int axis) { return 14 + 4 * axis; }
  static_assert(14 + 4 * maxRank <= 64);
};

// The facts of an array that was read.
ArraySpec specOf(const ArrayValue &array);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_NATIVE_ARGUMENTS_ARRAYVALUE_H
