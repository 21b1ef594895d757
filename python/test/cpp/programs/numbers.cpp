// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host's conversions: of floats on the standard input, each type's codes, as a kernel has them too; then the floats
// that all codes stand for.
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
#include <cuda_tf32.h>

#include <cuda_bf16.h>
#include <cuda_tile.h>
#include <tilewright/launch.h>

#include <cstdio>
#include <cstring>
namespace ct = cuda::tiles;

constexpr int count = 4096;

template <class T, class Bits> __tile_global__ void encode(const float *__restrict__ x, Bits *codes) {
  auto i = ct::iota<ct::tile<int, ct::shape<count>>>();
  ct::store(codes + i, ct::element_bitcast<Bits>(ct::element_cast<T>(ct::load(x + i))));
}

template <class T, class Bits, bool byKernel = true> bool run(const tilewright::vector<float> &x) {
  tilewright::vector<Bits> codes(count), ofKernel(count);
  for (int i = 0; i < count; ++i) {
    T number(x[i]);
    std::memcpy(&codes[i], &number, sizeof(T));
  }
  if constexpr (byKernel)
    encode<T, Bits><<<1>>>(x.data(), ofKernel.data());
  tilewright::synchronize();
  for (int i = 0; i < count; ++i)
    if (byKernel && x[i] == x[i] && codes[i] != ofKernel[i]) {
      std::fprintf(stderr, "%a is %x on the host and %x in a kernel\n", x[i], unsigned(codes[i]),
                   unsigned(ofKernel[i]));
      return false;
    }
  std::fwrite(codes.data(), sizeof(Bits), count, stdout);
  for (unsigned code = 0; code < (sizeof(Bits) == 1 ? 256 : 65536); ++code) {
    Bits bits = sizeof(Bits) == 4 ? code << 16 : code;
    T number;
    std::memcpy(&number, &bits, sizeof(T));
    float value = float(number);
    std::fwrite(&value, sizeof(value), 1, stdout);
  }
  return true;
}

int main() {
  tilewright::vector<float> x(count);
  if (std::fread(x.data(), sizeof(float), count, stdin) != count)
    return 1;
  half sum = __float2half(1.5f);
  return !(run<__half, unsigned short>(x) && run<nv_bfloat16, unsigned short>(x) &&
           run<__nv_tf32, unsigned, false>(x) && run<__nv_fp8_e4m3, unsigned char>(x) &&
           run<__nv_fp8_e5m2, unsigned char>(x) && run<__nv_fp4_e2m1, unsigned char, false>(x) &&
           __half2int_rz(sum) == 1);
}
