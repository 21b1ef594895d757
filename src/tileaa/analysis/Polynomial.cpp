// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/analysis/Polynomial.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilewright::tileaa;

// Modulo 2^64, for which C++ has unsigned numbers only.
static int64_t wrappedSum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
static int64_t wrappedProduct(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

Polynomial::Polynomial(int64_t constant) {
  add({}, constant);
}

Polynomial Polynomial::ofScalar(unsigned number) {
  Polynomial result;
  result.add({number}, 1);
  return result;
}

void Polynomial::add(const Product &product, int64_t factor) {
  int64_t &sum = terms[product];
  sum = wrappedSum(sum, factor);
  if (sum == 0)
    terms.erase(product);
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

std::optional<unsigned> Polynomial::getScalar() const {
  if (terms.size() != 1 || terms.begin()->first.size() != 1 || terms.begin()->second != 1)
    return std::nullopt;
  return terms.begin()->first.front();
}

bool Polynomial::uses(unsigned scalar) const {
  return llvm::any_of(terms, [&](const auto &term) { return llvm::is_contained(term.first, scalar); });
}

Polynomial Polynomial::operator+(const Polynomial &other) const {
  Polynomial sum = *this;
  for (const auto &[product, factor] : other.terms)
    sum.add(product, factor);
  return sum;
}

Polynomial Polynomial::operator-(const Polynomial &other) const {
  return *this + other * Polynomial(-1);
}

Polynomial Polynomial::operator*(const Polynomial &other) const {
  Polynomial result;
  for (const auto &[left, leftFactor] : terms)
    for (const auto &[right, rightFactor] : other.terms) {
      Product product(left);
      llvm::append_range(product, right);
      llvm::sort(product);
      result.add(product, wrappedProduct(leftFactor, rightFactor));
    }
  return result;
}

std::optional<Polynomial> Polynomial::dividedBy(int64_t divisor) const {
  Polynomial quotient;
  for (const auto &[product, factor] : terms) {
    if (factor % divisor != 0)
      return std::nullopt;
    quotient.add(product, factor / divisor);
  }
  return quotient;
}

Polynomial Polynomial::coefficientOf(unsigned scalar) const {
  Polynomial result;
  for (const auto &[product, factor] : terms) {
    const auto *found = llvm::find(product, scalar);
    if (found == product.end())
      continue;
    Product others(product);
    others.erase(others.begin() + (found - product.begin()));
    result.add(others, factor);
  }
  return result;
}
