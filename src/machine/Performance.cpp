// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/Performance.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright::nvidia {
namespace {

// Results per cycle: CUDA C++ Programming Guide, "Throughput of native arithmetic instructions". Shared memory: 32
// banks of 4 bytes. L2: 64 bytes per cycle and multiprocessor (NVIDIA A100 white paper; measured alike on H100). Tensor
// cores: dense TFLOPS of the product that is named, over its multiprocessors and clock. Latencies of sm_80:
// "Demystifying the Nvidia Ampere architecture through microbenchmarking" (Abdelkhalik et al., 2022); of sm_90:
// "Dissecting the NVIDIA Hopper architecture through microbenchmarking" (Luo et al., 2024), rounded up; of sm_120:
// "Dissecting the NVIDIA Blackwell architecture with microbenchmarks" (Jarmusch et al., 2025). Where none are
// published, those of the generation before.
constexpr Performance table[] = {
    // A100 SXM: 312 TFLOPS of bf16, 624 TOPS of int8, 156 TFLOPS of tf32, 19.5 of f64; 108 at 1410 MHz.
    {80, 64, 64, 64, 32, 16, 64, 32, 128, 64, 2048, 4096, 1024, 128, 6, 24, 24, 30, 36, 600, 260, false},
    // A40: 149.7 TFLOPS of bf16, 299.3 TOPS of int8, 74.8 TFLOPS of tf32; 84 at 1740 MHz.
    {86, 128, 64, 64, 32, 16, 64, 2, 128, 64, 1024, 2048, 512, 4, 6, 24, 24, 30, 36, 600, 260, false},
    // Jetson AGX Orin: 85 TOPS of int8, dense; 16 at 1300 MHz.
    {87, 128, 64, 64, 32, 16, 64, 2, 128, 64, 2048, 4096, 1024, 4, 6, 24, 24, 30, 36, 700, 260, false},
    // No throughput of 8.8 is published: the row of 8.6, of which its shared memory and its threads are.
    {88, 128, 64, 64, 32, 16, 64, 2, 128, 64, 1024, 2048, 512, 4, 6, 24, 24, 30, 36, 600, 260, false},
    // L40S: 362 TFLOPS of bf16, 733 of fp8, 183 of tf32; 142 at 2520 MHz.
    {89, 128, 64, 64, 32, 16, 64, 2, 128, 64, 1024, 2048, 512, 4, 6, 24, 24, 30, 36, 600, 270, false},
    // H100 SXM: 989.4 TFLOPS of bf16, 1978.9 of fp8, 494.7 of tf32, 66.9 of f64; 132 at 1830 MHz.
    {90, 128, 64, 64, 32, 16, 64, 64, 128, 64, 4096, 8192, 2048, 256, 6, 24, 24, 30, 64, 600, 270, true},
    // B200: 2250 TFLOPS of bf16, 4500 of fp8, 1125 of tf32, 37 of f64; 148 at 1850 MHz.
    {100, 128, 64, 64, 32, 16, 64, 64, 128, 64, 8192, 16384, 4096, 128, 6, 24, 24, 30, 64, 700, 300, false},
    // B300: the same, with twice the special functions, and next to no f64 and int8.
    {103, 128, 64, 64, 32, 32, 64, 2, 128, 64, 8192, 16384, 4096, 4, 6, 24, 24, 30, 64, 700, 300, false},
    // No throughput of 10.7 is published: the row of 10.3, the latest of its family.
    {107, 128, 64, 64, 32, 32, 64, 2, 128, 64, 8192, 16384, 4096, 4, 6, 24, 24, 30, 64, 700, 300, false},
    // Jetson T5000: 517 TFLOPS of fp8, dense; 20 at 1575 MHz.
    {110, 128, 64, 64, 32, 16, 64, 2, 128, 64, 8192, 16384, 4096, 4, 6, 24, 24, 30, 64, 700, 300, false},
    // RTX 5090: 209.5 TFLOPS of bf16 summed in f32, 419 of fp8, 104.8 of tf32; 170 at 2407 MHz.
    {120, 128, 64, 128, 32, 16, 64, 2, 128, 64, 512, 1024, 256, 4, 6, 24, 24, 30, 36, 700, 300, false},
    // DGX Spark (GB10): as sm_120.
    {121, 128, 64, 128, 32, 16, 64, 2, 128, 64, 512, 1024, 256, 4, 6, 24, 24, 30, 36, 800, 300, false},
};

} // namespace

ArrayRef<Performance> knownPerformance() {
  return table;
}

const Performance *performanceOf(const Architecture &architecture) {
  const Performance *found =
      find_if(table, [&](const Performance &row) { return row.architecture == architecture.number; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace tilewright::nvidia
