// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arguments.h"

#include "ArgumentKey.h"

#include "llvm/ADT/STLExtras.h"
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {

std::vector<std::string> fieldNames(nb::handle type) {
  std::vector<std::string> names;
  for (nb::handle name : type.attr("__dataclass_fields__"))
    names.push_back(nb::cast<std::string>(name));
  return names;
}

Parameter::Parameter(nb::handle record)
    : name(nb::cast<std::string>(record.attr("name"))), constant(nb::cast<bool>(record.attr("constant"))),
      constantType(record.attr("constant_type")), defaultValue(record.attr("default")),
      hasDefault(nb::cast<bool>(record.attr("has_default"))) {
  indexBits = nb::cast<unsigned>(record.attr("index_dtype").attr("bitwidth"));
  staticShapeAxes = nb::cast<std::vector<int>>(nb::list(record.attr("static_shape_axes")));
  staticStrideAxes = nb::cast<std::vector<int>>(nb::list(record.attr("static_stride_axes")));
  nb::object scalar = record.attr("scalar_dtype");
  if (!scalar.is_none())
    scalarDType = dtypeByName(nb::cast<std::string>(scalar.attr("name")));
  for (nb::handle item : record.attr("items"))
    items.emplace_back(item);
  if (nb::object annotated = record.attr("each"); !annotated.is_none())
    each.emplace_back(annotated);
  if (nb::object annotated = record.attr("element"); !annotated.is_none())
    element.emplace_back(annotated);
}

std::string ArgumentList::nameOfAnyArray(size_t i) const {
  if (i < arrays.size())
    return arrayNames[i];
  i -= arrays.size();
  for (auto [record, name] : llvm::zip(lists, listNames))
    if (i >= record.first && i < record.first + record.count)
      return std::string(name) + "[" + std::to_string(i - record.first) + "]";
  llvm_unreachable("every array of a list has its list");
}

void ArgumentList::moveTo(int gpu) {
  device = gpu;
  for (size_t i = 0; i < numArrays(); ++i)
    anyArray(i).device = gpu;
  keyWords.push_back(TagDevice | uint64_t(gpu) << 4);
}

void ArgumentList::findSame() {
  for (size_t i = 1; i < arrays.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (arrays[i].data != arrays[j].data || !arrays[i].isSameMemory(arrays[j]))
        continue;
      if (firstSame.empty())
        for (size_t k = 0; k < arrays.size(); ++k)
          firstSame.push_back(k);
      firstSame[i] = j;
      keyWords.push_back(TagSame | uint64_t(i) << 4 | uint64_t(j) << 32);
      break;
    }
  }
  for (size_t i = 0; i < lists.size(); ++i) {
    llvm::ArrayRef<ArrayValue> elements = llvm::ArrayRef(listArrays).slice(lists[i].first, lists[i].count);
    auto holdsOneOf = [&](llvm::ArrayRef<ArrayValue> others) {
      return llvm::any_of(elements, [&](const ArrayValue &element) {
        return llvm::any_of(
            others, [&](const ArrayValue &other) { return element.data == other.data && element.isSameMemory(other); });
      });
    };
    for (size_t j = 0; j < arrays.size(); ++j)
      if (holdsOneOf(arrays[j]))
        joinGroups(j, arrays.size() + i);
    for (size_t j = 0; j < i; ++j)
      if (holdsOneOf(llvm::ArrayRef(listArrays).slice(lists[j].first, lists[j].count)))
        joinGroups(arrays.size() + j, arrays.size() + i);
  }
}

void ArgumentList::findLike() {
  llvm::SmallVector<std::pair<size_t, char *>, 8> firsts; // and where each ends
  for (size_t i = 0; i < arrays.size(); ++i) {
    char *end = arrays[i].end();
    auto *first = llvm::find_if(firsts, [&](const auto &other) {
      return arrays[i].data < other.second && arrays[other.first].data < end && arrays[i].isLike(arrays[other.first]);
    });
    if (first == firsts.end()) {
      firsts.push_back({i, end});
      continue;
    }
    if (firstLike.empty())
      for (size_t k = 0; k < arrays.size(); ++k)
        firstLike.push_back(k);
    firstLike[i] = first->first;
    keyWords.push_back(TagLike | uint64_t(i) << 4 | uint64_t(first->first) << 32);
    if (device == inHostMemory)
      findNeighbour(i);
  }
}

// Rows longer than the distance have elements in common, so that no launch may write one of the two.
void ArgumentList::findNeighbour(size_t array) {
  constexpr ptrdiff_t farthest = 64;
  const ArrayValue &mine = arrays[array];
  const int64_t *unit = std::find(mine.strides, mine.strides + mine.rank, 1);
  if (unit == mine.strides + mine.rank)
    return;
  int64_t row = mine.shape[unit - mine.strides];
  for (size_t other = firstLike[array]; other < array; ++other) {
    ptrdiff_t bytes = mine.data - arrays[other].data, elements = bytes / mine.elementBytes();
    if (firstLike[other] != firstLike[array] || arrays[other].dtype != mine.dtype || bytes == 0 ||
        std::abs(bytes) >= farthest || bytes % mine.elementBytes() != 0 || std::abs(elements) >= row ||
        llvm::any_of(neighbours, [&](const Neighbour &known) { return known.array == other; }))
      continue;
    neighbours.push_back({uint16_t(array), uint16_t(other), int16_t(elements)});
    // No distance is 0: no other word is the same.
    keyWords.push_back(TagLike | uint64_t(array) << 4 | uint64_t(other) << 32 | uint64_t(elements) << 48);
    return;
  }
}

void ArgumentList::joinGroups(size_t a, size_t b) {
  listGroups.resize(arrays.size() + lists.size());
  keyWords.push_back(TagSameList | uint64_t(a) << 4 | uint64_t(b) << 32);
  uint16_t joined = listGroups[a] ? listGroups[a] : a + 1, left = listGroups[b];
  for (uint16_t &group : listGroups)
    if (left && group == left)
      group = joined;
  listGroups[a] = listGroups[b] = joined;
}

} // namespace tilewright::python
