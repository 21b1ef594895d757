// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small kernels over the language and its library; cpp_programs.py adds those that it makes from tables. The arrays are
// disjoint and have 64 elements each.
#include <cassert>
#include <cuda_tile.h>
namespace ct = cuda::tiles;
using namespace ct::literals;

template <class T, int... N> using tile = ct::tile<T, ct::shape<N...>>;
template <int... N> __tile__ auto indices() {
  return ct::iota<tile<int, N...>>();
}

struct Point {
  int x = 1;
  float y;
  __tile__ Point(float y) : y(y) {}
  __tile__ float sum() const { return x + y; }
};
struct Named : Point {
  int name;
  __tile__ Named(float y, int name) : Point(y), name(name) {}
};
struct Pair {
  int first;
  float second;
};
template <class T> struct Boxed {
  T value;
  __tile__ Boxed operator+(Boxed o) const { return {value + o.value}; }
};
struct Guard {
  int *log, number;
  __tile__ Guard(int *log, int number) : log(log), number(number) { *log = *log * 3 + number; }
  __tile__ ~Guard() { *log = *log * 3 + number; }
};
enum class Mode { fast, exact };

__tile__ int twice(int x) {
  return 2 * x;
}
__tile__ int early(int x) {
  if (x > 10)
    return 1;
  for (int i = 0; i < x; ++i)
    if (i * i > x)
      return i;
  return 7;
}
__tile__ void swap_ints(int &x, int &y) {
  int t = x;
  x = y;
  y = t;
}
template <class T> __tile__ T clamp_to(T x, T least, T most) {
  return ct::min(ct::max(x, least), most);
}
template <int N> __tile__ int power(int x) {
  if constexpr (N == 0)
    return 1;
  else
    return x * power<N - 1>(x);
}
template <class... T> __tile__ auto sum_of(T... x) {
  return (x + ...);
}
template <class F, class T> __tile__ auto apply(F f, T x) {
  return f(x);
}
__tile__ constexpr int table[] = {3, 1, 4, 1, 5, 9, 2, 6};
constexpr float scale = 0.5f;
__tile__ int launches = 2;
__tile__ float weights[4] = {1, 2, 3, 4};

#define KERNEL(NAME)                                                                                                   \
  extern "C" __tile_global__ void NAME(float *__restrict__ a, const float *__restrict__ b, int *__restrict__ p, int n)

KERNEL(arguments) {
  p[0] = n;
  a[1] = b[2] + n;
  p += 2;
  *p = twice(n);
  p[1] = early(n);
}

KERNEL(branches) {
  if (n > 3)
    p[0] = 1;
  else if (n > 1)
    p[0] = 2;
  else
    p[0] = 3;
  p[1] = n ? n : -n;
  p[2] = n > 1 && p[3];
}

KERNEL(compound) {
  int x = n;
  x += 3;
  x *= 2;
  x -= 1;
  x /= 3;
  x %= 7;
  x <<= 2;
  x >>= 1;
  x |= 8;
  x &= 13;
  x ^= 5;
  p[0] = x++;
  p[1] = --x;
}

KERNEL(while_loop) {
  int c = 0;
  while (n < 100) {
    n = n * 2 + 1;
    ++c;
    if (c == 50)
      break;
  }
  p[0] = c;
  p[1] = n;
}

KERNEL(do_loop) {
  int c = 0;
  do {
    ++c;
    if (c == 3)
      continue;
    n -= 2;
  } while (n > -10);
  p[0] = c;
}

KERNEL(for_down) {
  int s = 0;
  for (int i = n; i > 0; --i)
    s += i * p[i];
  p[0] = s;
}

KERNEL(for_step) {
  int s = 0;
  for (int i = 0; i < n * 3; i += 2) {
    if (i == 4)
      continue;
    s += i;
  }
  p[0] = s;
}

KERNEL(for_return) {
  for (int i = 0; i < n; ++i) {
    if (p[i] > 5) {
      p[0] = i;
      return;
    }
  }
  p[0] = -1;
}

KERNEL(nested) {
  int s = 0;
  for (auto i : ct::irange(0, n))
    for (auto j : ct::irange(i, n, 2)) {
      if (j > 4)
        break;
      s += i * j;
    }
  p[0] = s;
}

KERNEL(range) {
  const ct::irange r(1, n);
  int s = r.size();
  for (auto i : r)
    s += i;
  p[0] = s + r.upper_bound() + r.empty();
}

KERNEL(switches) {
  switch (n & 3) {
  case 0:
    p[0] = 1;
  case 1:
    p[1] = 2;
    break;
  case 2: {
    p[2] = 3;
    return;
  }
  default:
    p[3] = 4;
  }
  p[4] = 5;
}

KERNEL(structs) {
  Named s(b[0], n);
  Point &r = s;
  r.x += 2;
  Point c = s;
  c.y = 1;
  a[0] = s.sum() + c.sum() + s.name;
}

KERNEL(aggregates) {
  Pair q{n, 2.5f};
  auto [f, s] = q;
  Pair z{};
  a[0] = f + s + z.first;
  Pair w = {.first = 3, .second = 1};
  p[0] = w.first;
}

KERNEL(pointers) {
  int x = n, *q = &x;
  *q += 2;
  int y = 5;
  swap_ints(x, y);
  p[0] = x;
  p[1] = y;
  p[2] = q == &x;
}

KERNEL(lambdas) {
  int s = 0;
  auto add = [&](int v) {
    s += v;
    return s;
  };
  auto twice = [=](auto v) { return v * n; };
  p[0] = add(3) + add(4) + twice(2);
}

KERNEL(templates) {
  p[0] = power<5>(n);
  p[1] = sum_of(1, 2, n);
  p[2] = int(clamp_to(b[0], 0.0f, 1.0f) * 100);
  p[3] = apply([](int x) { return twice(x); }, n);
}

KERNEL(arrays) {
  int q[4] = {1, 2, 3};
  for (int i = 0; i < 4; ++i)
    q[i] += i * n;
  p[0] = q[0] + q[1] * q[2] - q[3];
}

KERNEL(chosen) {
  int q[4] = {1, 2, 3, 4};
  q[n & 3] = 10;
  p[0] = q[(n + 1) & 3];
  p[1] = q[n & 3];
  p[2] = table[n & 7];
}

KERNEL(tiles_in_arrays) {
  tile<float, 8> t[2] = {ct::load(b + indices<8>()), ct::ones<tile<float, 8>>()};
  for (auto &v : t)
    v = v + 1.0f;
  ct::store(a + indices<8>(), t[0] * t[1]);
}

KERNEL(constants) {
  p[0] = table[2] + int(scale * 8) + sizeof(Pair) + alignof(int);
  constexpr int q = table[5];
  p[1] = q;
  p[2] = int(Mode::exact);
}

KERNEL(variables) {
  launches += n;
  weights[n & 3] += 1;
  static int calls = 1;
  calls *= 2;
  p[0] = launches + calls;
  a[0] = weights[n & 3];
}

KERNEL(destructors) {
  {
    Guard g(p, 1);
    for (int i = 0; i < 3; ++i) {
      Guard h(p + 1, i);
      if (i == n - 4)
        break;
    }
    if (n > 100)
      return;
    Guard{p, 2};
  }
  p[2] = *p;
}

KERNEL(list) {
  int s = 0;
  for (int v : {3, 1, 4, n})
    s = s * 2 + v;
  p[0] = s;
  for (auto v : table)
    s += v;
  p[1] = s;
}

KERNEL(grid) {
  auto [x, y, z] = ct::bid();
  p[0] = x + y * 2 + z;
  p[1] = ct::num_blocks().x;
  p[2] = ct::bid().y;
}

KERNEL(checks) {
  assert(n < 1000);
  if (n > 1000)
    __builtin_unreachable();
  p[0] = n;
}

KERNEL(casts) {
  p[0] = (int)b[3];
  p[1] = static_cast<unsigned char>(n * 100);
  a[0] = float(n) / 2;
  p[2] = bool(n) + !n;
  p[3] = int(3.7);
}

KERNEL(wide) {
  long x = n;
  unsigned long y = x * 3000000000;
  p[0] = int(y >> 31);
  unsigned u = n;
  p[1] = u / 3 > 1u;
  short s = n * 9999;
  p[2] = s;
}

KERNEL(halves) {
  __half h = b[0];
  h = h * __half(2) + __half(0.5f);
  a[0] = float(h);
  __nv_bfloat16 g(b[1]);
  a[1] = float(g - __nv_bfloat16(1));
  a[2] = h < __half(1);
}

KERNEL(ternaries) {
  auto x = n > 3 ? ct::load(b + indices<8>()) : ct::zeros<tile<float, 8>>();
  ct::store(a + indices<8>(), x);
}

KERNEL(carried) {
  auto s = ct::zeros<tile<float, 8>>();
  auto m = s;
  for (int i = 0; i < n; ++i) {
    auto x = ct::load(b + indices<8>() + i);
    s = s + x;
    m = ct::max(m, x);
  }
  ct::store(a + indices<8>(), s * m);
}

KERNEL(constant_integers) {
  constexpr auto c = 4_ic * 2_ic + 1_ic;
  ct::shape<c - 1> s;
  p[0] = c;
  p[1] = s.rank() + decltype(s)::static_extent(0);
  p[2] = ct::integral_constant<5>{}() + n;
}

KERNEL(made) {
  auto i = indices<8>();
  ct::store(p + i,
            ct::full<tile<int, 8>>(n) + ct::ones<tile<int, 8>>() * 3 + tile<int, 8>(ct::zeros<tile<short, 8>>()));
}

KERNEL(from_arrays) {
  ct::tile t({1, 2, 3, 4});
  tile<int, 2, 2> q{{{5, 6}, {7, 8}}};
  ct::store(p + indices<4>(), t + ct::reshape<ct::shape<4>>(q));
}

KERNEL(broadcasts) {
  auto r = ct::load(b + indices<8>());
  auto c = ct::reshape<ct::shape<4, 1>>(ct::load(b + indices<4>()));
  ct::store(a + indices<4, 8>(), r * c + 1.0f);
}

KERNEL(of_one) {
  auto t = ct::reshape<ct::shape<1>>(tile<int>(n));
  if (t > 3)
    p[0] = int(t);
  tile<float> z(2.5f);
  a[0] = float(z);
  auto u = ct::full<tile<int, 1, 1>>(7);
  p[1] = static_cast<int>(u);
}

KERNEL(products) {
  auto x = ct::load(b + indices<4, 8>());
  auto y = ct::load(b + indices<8, 4>());
  auto s = ct::zeros<tile<float, 4, 4>>();
  for (int i = 0; i < 2; ++i)
    s = ct::mma(x, y, s);
  ct::store(a + indices<4, 4>(), s);
}

KERNEL(half_products) {
  auto x = ct::element_cast<__half>(ct::load(b + indices<16, 4>()));
  auto s = ct::mma(x, ct::transpose(x), ct::zeros<tile<float, 16, 16>>());
  ct::store(a + indices<8>(), ct::reshape<ct::shape<8>>(ct::extract(s, ct::shape<1, 8>{}, 0, 1)));
}

KERNEL(batches) {
  auto x = ct::load(b + indices<2, 4, 4>());
  ct::store(a + indices<2, 4, 4>(), ct::matmul(x, ct::reshape<ct::shape<1, 4, 4>>(ct::load(b + indices<4, 4>()))));
}

KERNEL(byte_products) {
  auto x = ct::element_cast<signed char>(ct::load(p + indices<4, 8>()));
  auto y = ct::element_cast<unsigned char>(ct::transpose(ct::load(p + indices<4, 8>())));
  ct::store(p + indices<4, 4>(), ct::matmul(x, y));
}

KERNEL(repacked) {
  auto x = ct::load(p + indices<4, 2>());
  ct::store(p + indices<8, 2>(), ct::element_cast<int>(ct::repack<short, 0>(x)));
}

KERNEL(masked) {
  auto i = indices<16>();
  auto m = i < n;
  auto x = ct::load_masked(b + i, m, 7.0f);
  ct::store_masked(a + i, x * 2, m || i > 12);
}

KERNEL(strided) {
  auto i = indices<8>() * 2 + (n & 1);
  ct::store(a + i, ct::load(b + i / 2));
  auto q = a + i;
  p[0] = int(tile<long, 1>(ct::extract(q - a, ct::shape<1>{}, 1)));
}

KERNEL(null) {
  auto q = ct::select(indices<8>() < n, p + indices<8>(), ct::full<tile<int *, 8>>(nullptr));
  ct::store_masked(q, ct::full<tile<int, 8>>(3), q != nullptr);
}

KERNEL(atomics) {
  auto i = indices<8>();
  auto o = ct::atomic_add<ct::memory_order::relaxed>(p + i, i);
  ct::atomic_max(p + i, o * 2, ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{});
  ct::atomic_sub<ct::memory_order::acq_rel>(p, 1);
  ct::atomic_xchg_masked<ct::memory_order::relaxed>(p + i, i, i > 5);
}

KERNEL(exchanges) {
  p[1] = ct::atomic_compare_exchange<ct::memory_order::acquire>(p, p[0], n);
  ct::atomic_add<ct::memory_order::relaxed, ct::thread_scope::block>(a + indices<8>() / 2, ct::ones<tile<float, 8>>());
}

KERNEL(orders) {
  auto i = indices<8>();
  auto x = ct::atomic_load_masked(p + i, i < 5, 9, ct::memory_order_acquire_t{});
  ct::atomic_store<ct::memory_order::release>(p + i + 8, x);
}

KERNEL(partitions) {
  ct::partition_view v{ct::tensor_span{b, ct::extents{n, 8_ic}}, ct::shape{2_ic, 8_ic}};
  ct::partition_view w{ct::tensor_span{a, ct::extents{n, 8_ic}}, ct::shape<2, 8>{}};
  w.store_masked(v.load_masked(1, 0) + v.load(0, 0), 1, 0);
}

KERNEL(paddings) {
  ct::partition_view v{ct::tensor_span{b, ct::extents{n}}, ct::shape<8>{}};
  ct::store(a + indices<8>(), v.load_masked<ct::view_padding::positive_inf>(0));
  ct::store(a + 8 + indices<8>(), v.load_masked(ct::view_padding_nan_t{}, 0));
}

KERNEL(layouts) {
  using E = ct::extents<unsigned, 4, 4>;
  using S = ct::strides<unsigned, 1, 4>;
  ct::layout_strided<S>::mapping<E> m{E{}, S{}};
  ct::tensor_span s{b, m};
  ct::partition_view v{s, ct::shape<4, 4>{}};
  ct::tensor_span l{a, ct::extents{n, 4_ic}, ct::layout_left{}};
  ct::partition_view{l, ct::shape<4, 4>{}}.store_masked(v.load(0, 0), 0, 0);
  p[0] = s.extent(0) + s.mapping().stride(1) + s.rank();
}

KERNEL(padded) {
  using E = ct::extents<unsigned, ct::dynamic_extent, 5>;
  ct::layout_right_padded<8>::mapping<E> m{E{n}, 8_ic};
  ct::partition_view v{ct::tensor_span{a, m}, ct::shape<2, 4>{}};
  v.store_masked(v.load_masked(0, 0) + 1.0f, 0, 1);
}

KERNEL(overlapping) {
  ct::strided_view v{ct::tensor_span{b, ct::extents{32_ic}}, ct::shape{8_ic}, ct::strides{2_ic}};
  ct::store(a + indices<8>(), v.load(n & 3));
}

KERNEL(gathered) {
  ct::tensor_span s{a, ct::extents{8_ic, 4_ic}};
  ct::gather_scatter_view v{s, ct::shape<4, 4>{}, 0_ic};
  auto rows = indices<4>() * 2;
  v.store(v.load(rows, 0) * 2.0f, rows, 0);
}

KERNEL(view_atomics) {
  ct::partition_view v{ct::tensor_span{a, ct::extents{n}}, ct::shape<8>{}};
  v.atomic_add_masked(ct::ones<tile<float, 8>>(), ct::memory_order_relaxed_t{}, ct::thread_scope_device_t{}, 0);
  auto x = v.atomic_load_masked(ct::view_padding_zero_t{}, ct::memory_order_acquire_t{}, 0);
}

KERNEL(assumed) {
  auto q = ct::assume_aligned<16>(p);
  n = ct::assume_bounded<0, 64>(n);
  auto i = ct::assume_divisible<4>(indices<8>() * 4);
  ct::store(q + ct::assume_bounded_below<0>(i), i + n);
}

KERNEL(hinted) {
  [[cutile::hint(0, latency = 4)]] auto x = ct::load(b + indices<8>());
  [[using cutile: hint(900, latency = 2), hint(0, latency = 1 + 2)]] ct::store(a + indices<8>(), x);
}

KERNEL(bytes) {
  auto q = reinterpret_cast<unsigned char *>(p) + indices<16>();
  ct::store(q, ct::load(q) + ct::ones<tile<unsigned char, 16>>());
  auto h = reinterpret_cast<__half *>(a);
  *h = __half(1.5f);
}

KERNEL(flags) {
  auto q = reinterpret_cast<bool *>(p);
  auto i = indices<16>();
  ct::store(q + i, ct::load(b + i) > 0.0f);
  q[3] = n;
  p[8] = q[3];
}

KERNEL(structures) {
  auto q = reinterpret_cast<Pair *>(p);
  q[1].first = n;
  q[2].second = 1.5f;
  Pair c = q[1];
  q[0] = c;
  p[9] = (q + 2)->second > 1;
}
