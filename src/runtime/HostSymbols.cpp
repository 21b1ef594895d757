// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/HostSymbols.h"

#include "abi/Abi.h"
#include "abi/CFloat.h"
#include <cmath>
#include <cstdint>
#include <cstring>

namespace tilewright {
namespace {

template <typename To, typename From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

// The 16-bit float travels in the low bits of an SSE register, which a float does too.
float inRegister(uint16_t bits) {
  return bitCast<float>(static_cast<uint32_t>(bits));
}
uint16_t fromRegister(float value) {
  return static_cast<uint16_t>(bitCast<uint32_t>(value));
}

float truncateToHalf(float value) {
  return inRegister(tilewright_narrow(value, 5, 10));
}
float truncateDoubleToHalf(double value) {
  return inRegister(tilewright_narrow(value, 5, 10));
}
float extendHalf(float value) {
  return tilewright_widen_half(fromRegister(value));
}
float truncateToBfloat(float value) {
  return inRegister(tilewright_narrow(value, 8, 7));
}
float truncateDoubleToBfloat(double value) {
  return inRegister(tilewright_narrow(value, 8, 7));
}

template <typename T> HostSymbol symbol(const char *name, T *function) {
  return {name, reinterpret_cast<void *>(function)};
}

} // namespace

llvm::ArrayRef<HostSymbol> hostSymbols() {
  static const HostSymbol symbols[] = {
      symbol("tilewright_assert_fail", tilewright_assert_fail),
      symbol("tilewright_print", tilewright_print),
      symbol<void *(void *, const void *, size_t)>("memcpy", memcpy),
      symbol<void *(void *, const void *, size_t)>("memmove", memmove),
      symbol<void *(void *, int, size_t)>("memset", memset),
      symbol<int(const void *, const void *, size_t)>("memcmp", memcmp),
      symbol<float(float, float)>("fmodf", fmodf),
      symbol<double(double, double)>("fmod", fmod),
      symbol<float(float, float, float)>("fmaf", fmaf),
      symbol<double(double, double, double)>("fma", fma),
      // Maxima and minima of halves, where the machine has no instructions for halves.
      symbol<float(float, float)>("fmaxf", fmaxf),
      symbol<float(float, float)>("fminf", fminf),
      symbol<float(float)>("floorf", floorf),
      symbol<double(double)>("floor", floor),
      symbol<float(float)>("ceilf", ceilf),
      symbol<double(double)>("ceil", ceil),
      symbol<float(float)>("truncf", truncf),
      symbol<double(double)>("trunc", trunc),
      symbol<float(float)>("roundevenf", roundevenf),
      symbol<double(double)>("roundeven", roundeven),
      // Functions of f64, which have no polynomials of ours.
      symbol<double(double)>("sin", sin),
      symbol<double(double)>("cos", cos),
      symbol<double(double)>("tan", tan),
      symbol<double(double)>("sinh", sinh),
      symbol<double(double)>("cosh", cosh),
      symbol<double(double)>("tanh", tanh),
      symbol<double(double)>("exp", exp),
      symbol<double(double)>("exp2", exp2),
      symbol<double(double)>("log", log),
      symbol<double(double)>("log2", log2),
      symbol<double(double, double)>("pow", pow),
      symbol<double(double, double)>("atan2", atan2),
      symbol<void(double, double *, double *)>("sincos", sincos),
      symbol<float(float)>("tanf", tanf),
      symbol<float(float, float)>("powf", powf),
      symbol<float(float, float)>("atan2f", atan2f),
      symbol("__truncsfhf2", truncateToHalf),
      symbol("__truncdfhf2", truncateDoubleToHalf),
      symbol("__extendhfsf2", extendHalf),
      symbol("__gnu_f2h_ieee", truncateToHalf),
      symbol("__gnu_h2f_ieee", extendHalf),
      symbol("__truncsfbf2", truncateToBfloat),
      symbol("__truncdfbf2", truncateDoubleToBfloat),
  };
  return symbols;
}

} // namespace tilewright
