// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArrayValue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewright::python {
namespace {

constexpr DTypeInfo table[] = {
    {"bool_", 1, 6},           {"int8", 1, 0},       {"int16", 2, 0},          {"int32", 4, 0},
    {"int64", 8, 0},           {"uint8", 1, 1},      {"uint16", 2, 1},         {"uint32", 4, 1},
    {"uint64", 8, 1},          {"float16", 2, 2},    {"bfloat16", 2, 4},       {"float32", 4, 2},
    {"float64", 8, 2},         {"tfloat32", 4, 255}, {"float8_e4m3fn", 1, 10}, {"float8_e5m2", 1, 12},
    {"float8_e8m0fnu", 1, 14},
};
static_assert(std::size(table) <= 32, "ArraySpec has five bits for a dtype");

} // namespace

llvm::ArrayRef<DTypeInfo> dtypeTable() {
  return table;
}

std::optional<DTypeId> dtypeByName(const std::string &name) {
  for (auto [id, info] : llvm::enumerate(table))
    if (name == info.name)
      return static_cast<DTypeId>(id);
  return std::nullopt;
}

std::optional<DTypeId> dtypeByCode(unsigned dlpackCode, unsigned bits) {
  for (auto [id, info] : llvm::enumerate(table))
    if (info.dlpackCode == dlpackCode && info.bytes * 8 == bits)
      return static_cast<DTypeId>(id);
  return std::nullopt;
}

char *ArrayValue::end() const {
  int64_t last = 0;
  for (int axis = 0; axis < rank; ++axis) {
    if (shape[axis] == 0)
      return data;
    last += (shape[axis] - 1) * strides[axis];
  }
  return data + (last + 1) * elementBytes();
}

bool ArrayValue::isContiguous() const {
  int64_t expected = 1;
  for (int axis = rank; axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != expected)
      return false;
    expected *= shape[axis];
  }
  return true;
}

bool ArrayValue::isSameMemory(const ArrayValue &other) const {
  if (data != other.data || device != other.device)
    return false;
  char *last = end();
  if (last != other.end() || last == data)
    return false;
  if (isContiguous() && other.isContiguous())
    return true;
  return isLike(other);
}

bool ArrayValue::isLike(const ArrayValue &other) const {
  return device == other.device && elementBytes() == other.elementBytes() &&
         llvm::ArrayRef(shape, rank) == llvm::ArrayRef(other.shape, other.rank) &&
         llvm::ArrayRef(strides, rank) == llvm::ArrayRef(other.strides, other.rank);
}

bool ArrayValue::mayOverlapItself() const {
  llvm::SmallVector<std::pair<int64_t, int64_t>, maxRank> axes;
  for (int axis = 0; axis < rank; ++axis)
    axes.push_back({strides[axis], shape[axis]});
  llvm::sort(axes);
  int64_t reached = 1;
  for (auto [stride, extent] : axes) {
    if (stride < reached)
      return true;
    reached = std::max<int64_t>(1, stride * extent);
  }
  return false;
}

ArraySpec specOf(const ArrayValue &array) {
  ArraySpec spec{ArraySpec::ofType(array.dtype, array.rank)};
  if (reinterpret_cast<uint64_t>(array.data) % 16 == 0)
    spec.word |= ArraySpec::aligned;
  int64_t strideDivisor = 16 / array.elementBytes();
  for (int axis = 0; axis < array.rank; ++axis) {
    int64_t stride = array.strides[axis];
    spec.add(stride == 1 ? ArraySpec::UnitStride : stride % strideDivisor == 0 ? ArraySpec::DivisibleStride : 0, axis);
    spec.add(array.shape[axis] == 1        ? ArraySpec::UnitExtent
             : array.shape[axis] % 16 == 0 ? ArraySpec::DivisibleExtent
                                           : 0,
             axis);
  }
  return spec;
}

} // namespace tilewright::python
