// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Overlap.h"

#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <numeric>

using namespace llvm;

namespace tilewright {
namespace {

// A term of a sum: `stride` times an integer from 0 to `last`.
struct Term {
  int64_t stride;
  int64_t last;
};

// Whether the terms can sum to a target. Both questions about arrays are of this form; a bounded search with two
// prunings (what the rest can reach, and the greatest common divisor of its strides) answers it at once for the strides
// that arrays have.
class SumSearch {
public:
  explicit SumSearch(SmallVectorImpl<Term> &list) : terms(list) {
    llvm::sort(terms, [](const Term &a, const Term &b) { return a.stride > b.stride; });
    mergeNested();
    reach.resize(terms.size() + 1);
    divisor.resize(terms.size() + 1);
    for (size_t i = terms.size(); i-- > 0;) {
      reach[i] = reach[i + 1] + terms[i].stride * terms[i].last;
      divisor[i] = std::gcd(divisor[i + 1], terms[i].stride);
    }
  }

  bool reaches(int64_t target) { return from(0, target); }

private:
  // A stride of k times the next one, which counts to k - 1 at least, adds nothing but reach: rows and columns of a
  // dense array, both parts of complex numbers in several axes. Together they are the next one, counted further.
  void mergeNested() {
    for (size_t i = terms.size(); i-- > 1;) {
      Term &outer = terms[i - 1], &inner = terms[i];
      if (outer.stride % inner.stride || outer.stride / inner.stride > inner.last + 1)
        continue;
      outer = {inner.stride, outer.last * (outer.stride / inner.stride) + inner.last};
      terms.erase(terms.begin() + i);
    }
  }

  bool from(size_t i, int64_t target) {
    if (target < 0 || target > reach[i])
      return false;
    if (i == terms.size())
      return true; // reach is 0, so target is
    if (target % divisor[i])
      return false;
    if (steps-- == 0)
      return true; // too hard: the safe answer
    int64_t most = std::min(terms[i].last, target / terms[i].stride);
    // Below this count the remaining terms cannot make up the rest.
    int64_t rest = target - reach[i + 1];
    int64_t least = rest > 0 ? (rest + terms[i].stride - 1) / terms[i].stride : 0;
    for (int64_t count = most; count >= least; --count)
      if (from(i + 1, target - count * terms[i].stride) || steps <= 0)
        return true;
    return false;
  }

  SmallVectorImpl<Term> &terms;
  SmallVector<int64_t> reach, divisor;
  int64_t steps = 20000;
};

void addAxes(const StridedArray &array, SmallVectorImpl<Term> &terms) {
  for (auto [length, stride] : zip_equal(array.shape, array.byteStrides))
    if (length > 1 && stride > 0)
      terms.push_back({stride, length - 1});
}

bool isEmpty(const StridedArray &array) {
  return is_contained(array.shape, 0);
}

uintptr_t lastByte(const StridedArray &array) {
  uintptr_t last = array.data + array.elementBytes - 1;
  for (auto [length, stride] : zip_equal(array.shape, array.byteStrides))
    last += (length - 1) * stride;
  return last;
}

} // namespace

bool overlap(const StridedArray &a, const StridedArray &b) {
  if (isEmpty(a) || isEmpty(b))
    return false;
  uintptr_t lastA = lastByte(a), lastB = lastByte(b);
  if (lastA < b.data || lastB < a.data)
    return false;
  // A byte of a: a.data + sum + i; of b: b.data + sum' + j. With every term of b counted down from its end, equality is
  // one sum of terms >= 0.
  SmallVector<Term> terms;
  addAxes(a, terms);
  addAxes(b, terms);
  if (a.elementBytes > 1)
    terms.push_back({1, a.elementBytes - 1});
  if (b.elementBytes > 1)
    terms.push_back({1, b.elementBytes - 1});
  return SumSearch(terms).reaches(static_cast<int64_t>(lastB - a.data));
}

bool overlapsItself(const StridedArray &array) {
  if (isEmpty(array))
    return false;
  SmallVector<Term> axes;
  for (auto [length, stride] : zip_equal(array.shape, array.byteStrides)) {
    if (length > 1 && stride == 0)
      return true;
    if (length > 1)
      axes.push_back({stride, length - 1});
  }
  llvm::sort(axes, [](const Term &a, const Term &b) { return a.stride < b.stride; });
  // Each axis steps over all that the smaller ones cover: nearly every array.
  int64_t covered = array.elementBytes;
  bool nested = llvm::all_of(axes, [&](const Term &axis) {
    bool clear = axis.stride >= covered;
    covered += axis.stride * axis.last;
    return clear;
  });
  if (nested)
    return false;
  // Else two elements differ first on some axis, by d >= 1 there and by anything from -last to last on the later ones;
  // their first bytes may be up to elementBytes - 1 apart. Shifted to terms >= 0, that is one sum for each choice of
  // the axis.
  for (size_t first = 0; first < axes.size(); ++first) {
    SmallVector<Term> terms;
    if (axes[first].last > 1)
      terms.push_back({axes[first].stride, axes[first].last - 1});
    int64_t target = -axes[first].stride;
    for (const Term &axis : ArrayRef(axes).drop_front(first + 1)) {
      terms.push_back({axis.stride, 2 * axis.last});
      target += axis.stride * axis.last;
    }
    if (array.elementBytes > 1)
      terms.push_back({1, 2 * (array.elementBytes - 1)});
    target += array.elementBytes - 1;
    if (SumSearch(terms).reaches(target))
      return true;
  }
  return false;
}

} // namespace tilewright
