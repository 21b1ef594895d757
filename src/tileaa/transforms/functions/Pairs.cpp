// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/transforms/functions/Pairs.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::functions;

Pair functions::twoSum(const Arithmetic &a, Value x, Value y) {
  Value sum = a.add(x, y);
  Value yPart = a.sub(sum, x), xPart = a.sub(sum, yPart);
  return {sum, a.add(a.sub(x, xPart), a.sub(y, yPart))};
}

Pair functions::fastTwoSum(const Arithmetic &a, Value x, Value y) {
  Value sum = a.add(x, y);
  return {sum, a.sub(y, a.sub(sum, x))};
}

Pair functions::twoProduct(const Arithmetic &a, Value x, Value y) {
  Value product = a.mul(x, y);
  return {product, a.fma(x, y, a.negate(product))};
}

Pair functions::multiply(const Arithmetic &a, Pair x, Pair y) {
  Pair product = twoProduct(a, x.high, y.high);
  product.low = a.add(product.low, a.fma(x.high, y.low, a.mul(x.low, y.high)));
  return fastTwoSum(a, product.high, product.low);
}

Pair functions::divide(const Arithmetic &a, Pair x, Pair y) {
  Value quotient = a.div(x.high, y.high);
  Value rest = a.fma(a.negate(quotient), y.high, x.high);
  rest = a.add(rest, a.fma(a.negate(quotient), y.low, x.low));
  return {quotient, a.div(rest, y.high)};
}

Pair functions::constantPair(const Arithmetic &a, double high, double low) {
  return {a.constant(high), a.constant(low)};
}

Pair functions::select(const Arithmetic &a, Value condition, Pair x, Pair y) {
  return {a.select(condition, x.high, y.high), a.select(condition, x.low, y.low)};
}
