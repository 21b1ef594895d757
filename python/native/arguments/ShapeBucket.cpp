// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape bucket of a launch; only for kernels whose plans depend on it.
#include "ArgumentKey.h"
#include "Arguments.h"
#include "ScalarBits.h"

#include "llvm/Support/MathExtras.h"

namespace tilewright::python {

static uint64_t roundUp(int64_t number) {
  return number < 1 ? 0 : llvm::PowerOf2Ceil(static_cast<uint64_t>(number));
}

llvm::SmallVector<uint64_t, maxRank + 1> bucketOf(const ArgumentList &list, const ArgumentList::Leaf &leaf) {
  llvm::SmallVector<uint64_t, maxRank + 1> numbers;
  switch (leaf.kind) {
  case ArgumentList::Leaf::Constant:
    break;
  case ArgumentList::Leaf::Scalar:
    if (isInteger(dtypeTable()[leaf.dtype]))
      numbers.push_back(roundUp(static_cast<int64_t>(list.scalars[leaf.index])));
    break;
  case ArgumentList::Leaf::Array: {
    const ArrayValue &array = list.arrays[leaf.index];
    for (int64_t extent : llvm::ArrayRef(array.shape, array.rank))
      numbers.push_back(roundUp(extent));
    break;
  }
  case ArgumentList::Leaf::List: {
    const ListValue &value = list.lists[leaf.index];
    auto arrays = llvm::ArrayRef(list.listArrays).slice(value.first, value.count);
    numbers.push_back(roundUp(static_cast<int64_t>(value.count)));
    for (int axis = 0; axis < arrays.front().rank; ++axis) {
      int64_t largest = 0;
      for (const ArrayValue &array : arrays)
        largest = std::max(largest, array.shape[axis]);
      numbers.push_back(roundUp(largest));
    }
    break;
  }
  }
  return numbers;
}

void ArgumentList::addBucket() {
  if (wordsBeforeBucket != size_t(-1))
    return;
  wordsBeforeBucket = keyWords.size();
  keyWords.push_back(TagBucket);
  for (const Leaf &leaf : leaves)
    keyWords.append(bucketOf(*this, leaf));
}

} // namespace tilewright::python
