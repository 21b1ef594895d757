// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The work of all of these programs around their kernels: random numbers, and a comparison with plain loops.
#ifndef CHECK_H
#define CHECK_H

#include <tilewright/launch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

using Vector = tilewright::vector<float>;

inline Vector randomVector(size_t size) {
  static std::mt19937 generator(1);
  std::uniform_real_distribution<float> distribution(-1, 1);
  Vector values(size);
  for (float &value : values)
    value = distribution(generator);
  return values;
}

// Runs the kernel of `launch` twice, the second time with a clock.
template <class Launch> double milliseconds(Launch launch) {
  launch();
  tilewright::synchronize();
  auto begin = std::chrono::steady_clock::now();
  launch();
  tilewright::synchronize();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

// The exit status of a program: 0 if no element is further from `expected(i)` than `bound`.
template <class Expected>
int report(const char *name, double time, const Vector &found, double bound, Expected expected) {
  double worst = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    double error = std::abs(found[i] - expected(i));
    worst = std::isnan(error) ? INFINITY : std::max(worst, error);
  }
  std::printf("%-10s %8.3f ms, largest error %.1e, allowed %.1e: %s\n", name, time, worst, bound,
              worst <= bound ? "right" : "WRONG");
  return worst <= bound ? 0 : 1;
}

#endif
