// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The output of `tilewright_print`: a C format string whose arguments are tiles. C and C++: part of the runtime and of
// the header of every library, which programs in C include.
#ifndef TILEWRIGHT_ABI_CFORMAT_H
#define TILEWRIGHT_ABI_CFORMAT_H

#include "abi/Abi.h"
#include "abi/CFloat.h"
#include <stdio.h>

// Takes text in pieces.
struct tilewright_sink {
  void (*put)(void *self, const char *text, size_t size);
  void *self;
};

// One element, widened: integers keep their sign, floats become double.
struct tilewright_element {
  int isSigned;
  int64_t integer;
  double real;
};

static inline struct tilewright_element tilewright_element_of_integer(int64_t value, int isSigned) {
  const struct tilewright_element element = {isSigned, value, (double)value};
  return element;
}

static inline struct tilewright_element tilewright_element_of_real(double value) {
  const int fits = value > -9.2e18 && value < 9.2e18;
  const struct tilewright_element element = {1, fits ? (int64_t)value : 0, value};
  return element;
}

// The value is read as the type, wherever it lies.
#define TILEWRIGHT_READ(type, wide)                                                                                    \
  {                                                                                                                    \
    type value;                                                                                                        \
    memcpy(&value, (const char *)arg->data + index * (int64_t)sizeof(type), sizeof(type));                             \
    return wide;                                                                                                       \
  }

static inline struct tilewright_element tilewright_element_at(const struct tilewright_print_arg *arg, int64_t index) {
  switch (arg->type) {
  case TILEWRIGHT_I1:
    TILEWRIGHT_READ(uint8_t, tilewright_element_of_integer(value != 0, 0))
  case TILEWRIGHT_I8:
    TILEWRIGHT_READ(int8_t, tilewright_element_of_integer(value, 1))
  case TILEWRIGHT_I16:
    TILEWRIGHT_READ(int16_t, tilewright_element_of_integer(value, 1))
  case TILEWRIGHT_I32:
    TILEWRIGHT_READ(int32_t, tilewright_element_of_integer(value, 1))
  case TILEWRIGHT_I64:
    TILEWRIGHT_READ(int64_t, tilewright_element_of_integer(value, 1))
  case TILEWRIGHT_U8:
    TILEWRIGHT_READ(uint8_t, tilewright_element_of_integer(value, 0))
  case TILEWRIGHT_U16:
    TILEWRIGHT_READ(uint16_t, tilewright_element_of_integer(value, 0))
  case TILEWRIGHT_U32:
    TILEWRIGHT_READ(uint32_t, tilewright_element_of_integer(value, 0))
  case TILEWRIGHT_U64:
    TILEWRIGHT_READ(uint64_t, tilewright_element_of_integer((int64_t)value, 0))
  case TILEWRIGHT_F16:
    TILEWRIGHT_READ(uint16_t, tilewright_element_of_real(tilewright_widen_half(value)))
  case TILEWRIGHT_BF16:
    TILEWRIGHT_READ(uint16_t, tilewright_element_of_real(tilewright_widen_bfloat(value)))
  case TILEWRIGHT_F32:
    TILEWRIGHT_READ(float, tilewright_element_of_real(value))
  default:
    TILEWRIGHT_READ(double, tilewright_element_of_real(value))
  }
}
#undef TILEWRIGHT_READ

// A printf conversion: percent sign, flags, width and precision; its letter; the low bits of an integer that its length
// modifier keeps, 8 for hh and 16 for h, else 64. Other lengths mean nothing beside our widened element.
struct tilewright_conversion {
  char prefix[32];
  char letter;
  int bits;
};

static inline int64_t tilewright_low_bits(int64_t value, int bits, int isSigned) {
  const uint64_t kept = (uint64_t)value << (64 - bits);
  return isSigned ? (int64_t)kept >> (64 - bits) : (int64_t)(kept >> (64 - bits));
}

static inline void tilewright_put(const struct tilewright_sink *sink, const char *text) {
  sink->put(sink->self, text, strlen(text));
}

static inline void tilewright_put_element(const struct tilewright_sink *sink,
                                          const struct tilewright_conversion *conversion,
                                          const struct tilewright_element *element) {
  char spec[40], text[512];
  int length;
  if (strchr("eEfFgGaA", conversion->letter)) {
    snprintf(spec, sizeof(spec), "%s%c", conversion->prefix, conversion->letter);
    length = snprintf(text, sizeof(text), spec, element->real);
  } else {
    // %d of an unsigned element still shows its value.
    const int asUnsigned = strchr("uoxX", conversion->letter) != NULL;
    const char letter = !asUnsigned && !element->isSigned ? 'u' : conversion->letter;
    const int64_t kept = tilewright_low_bits(element->integer, conversion->bits, !asUnsigned && element->isSigned);
    snprintf(spec, sizeof(spec), "%sll%c", conversion->prefix, letter);
    length = snprintf(text, sizeof(text), spec, (long long)kept);
  }
  if (length > 0)
    sink->put(sink->self, text, (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

// Nested brackets, row-major.
static inline void tilewright_put_tile(const struct tilewright_sink *sink,
                                       const struct tilewright_conversion *conversion,
                                       const struct tilewright_print_arg *arg, int32_t axis, int64_t *index) {
  if (axis == arg->rank) {
    const struct tilewright_element element = tilewright_element_at(arg, (*index)++);
    tilewright_put_element(sink, conversion, &element);
    return;
  }
  tilewright_put(sink, "[");
  for (int64_t i = 0; i < arg->shape[axis]; ++i) {
    if (i)
      tilewright_put(sink, ", ");
    tilewright_put_tile(sink, conversion, arg, axis + 1, index);
  }
  tilewright_put(sink, "]");
}

// Takes a conversion from behind its percent sign. Zero for one of an unknown kind.
static inline int tilewright_take_conversion(const char **format, struct tilewright_conversion *conversion) {
  const char *at = *format;
  const size_t length = strspn(at, "-+ #0123456789.");
  const size_t kept = length < sizeof(conversion->prefix) - 2 ? length : sizeof(conversion->prefix) - 2;
  conversion->prefix[0] = '%';
  memcpy(conversion->prefix + 1, at, kept);
  conversion->prefix[1 + kept] = 0;
  at += length;
  conversion->bits = at[0] != 'h' ? 64 : at[1] == 'h' ? 8 : 16;
  at += strspn(at, "hlLqjzt");
  conversion->letter = *at;
  *format = *at ? at + 1 : at;
  return conversion->letter && strchr("diuoxXeEfFgGaA", conversion->letter);
}

// Nothing safe can be printed for a conversion without an argument or of an unknown kind: it is left out.
static inline void tilewright_format(const struct tilewright_sink *sink, const char *format, int64_t numArgs,
                                     const struct tilewright_print_arg *args) {
  while (*format) {
    const size_t plain = strcspn(format, "%");
    sink->put(sink->self, format, plain);
    format += plain;
    if (!*format)
      return;
    if (*++format == '%') {
      tilewright_put(sink, "%");
      ++format;
      continue;
    }
    struct tilewright_conversion conversion;
    if (!tilewright_take_conversion(&format, &conversion) || !numArgs)
      continue;
    int64_t index = 0;
    tilewright_put_tile(sink, &conversion, args, 0, &index);
    ++args;
    --numArgs;
  }
}

#endif // TILEWRIGHT_ABI_CFORMAT_H
