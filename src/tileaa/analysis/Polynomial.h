// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAA_ANALYSIS_POLYNOMIAL_H
#define TILEWRIGHT_TILEAA_ANALYSIS_POLYNOMIAL_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <map>
#include <optional>

namespace tilewright::tileaa {

/// An integer as a sum of products of scalars that are known by number, modulo 2^64: `4 s0 s1 + 8 s2 + 12`.
class Polynomial {
public:
  using Product = llvm::SmallVector<unsigned, 2>; // of these scalars, in ascending order; of none: 1
  using Terms = std::map<Product, int64_t>;       // none with the factor 0

  Polynomial(int64_t constant = 0);
  static Polynomial ofScalar(unsigned number);

  const Terms &getTerms() const { return terms; }
  bool isZero() const { return terms.empty(); }
  std::optional<int64_t> getConstant() const;
  /// The scalar that is all of it.
  std::optional<unsigned> getScalar() const;
  bool uses(unsigned scalar) const;

  Polynomial operator+(const Polynomial &other) const;
  Polynomial operator-(const Polynomial &other) const;
  Polynomial operator*(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const { return terms == other.terms; }

  /// Nothing if a factor is no multiple of the divisor.
  std::optional<Polynomial> dividedBy(int64_t divisor) const;
  /// The sum that the scalar is multiplied by: `4 s1 + 2` of `4 s0 s1 + 2 s0 + 12` for s0.
  Polynomial coefficientOf(unsigned scalar) const;

private:
  void add(const Product &product, int64_t factor);

  Terms terms;
};

} // namespace tilewright::tileaa

#endif
