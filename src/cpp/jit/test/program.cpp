// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that compiles sources when it runs, and finds their code on the disk the next time.
// RUN: rm -rf %t.cache
// RUN: tilewright-c++ %s -o %t && env TILEWRIGHT_CACHE_DIR=%t.cache %t | FileCheck %s --check-prefixes=CHECK,FIRST
// RUN: env TILEWRIGHT_CACHE_DIR=%t.cache %t | FileCheck %s --check-prefixes=CHECK,SECOND
#include <cstdio>
#include <tilewright/program.h>

const char source[] = R"(
#include <cuda_tile.h>
#include "scale.h"
namespace ct = cuda::tiles;
template <class T, int N> __tile_global__ void scale(T *p, T factor) {
  auto i = ct::iota<ct::tile<int, ct::shape<N>>>() + int(ct::bid().x) * N;
  ct::store(p + i, ct::load(p + i) * factor * T(SCALE));
}
)";

template <class Work> void tell(Work work) {
  try {
    work();
  } catch (const tilewright::Error &error) {
    std::printf("%d %s\n", error.status, error.what());
  }
}

int main() {
  tilewright::vector<float> values(64, 1);
  // A header in memory takes the interface in C.
  tell([&] {
    tilewright_program *program = nullptr;
    const char *header = "#define SCALE 3", *name = "scale.h";
    tilewright::check(tilewright_program_create(source, "scale.cpp", 1, &header, &name, &program));
    tilewright::check(tilewright_program_add_name(program, "scale<float, 16>"));
    tilewright::check(tilewright_program_compile(program, 0, nullptr));
    // CHECK: _Z5scaleIfLi16EEvPT_S0_ none
    std::printf("%s %s\n", tilewright_program_lowered_name(program, "scale<float, 16>"),
                tilewright_program_lowered_name(program, "scale") ? "one" : "none");
    tilewright_program_free(program);
  });
  std::string text = source;
  text.replace(text.find("#include \"scale.h\""), 18, "");
  tilewright::Program program{text, {.clang = {"-DSCALE=2"}}};
  tell([&] {
    auto scale = program.get<float *, float>("scale<float, 16>");
    // FIRST: compiled
    // SECOND: disk
    std::printf("%s\n", scale.origin().c_str());
    scale(4, values.data(), 5);
    tilewright::synchronize();
    std::printf("%g %g\n", values[0], values[63]); // CHECK: 10 10
  });
  // CHECK: 1 _Z5scaleIfLi16EEvPT_S0_ has 2 parameters, get has 1 types
  tell([&] { program.get<float *>("scale<float, 16>"); });
  // CHECK: 1 parameter 1 of _Z5scaleIfLi16EEvPT_S0_ is a number of 32 bits
  tell([&] { program.get<float *, double>("scale<float, 16>"); });
  // CHECK: 2
  // CHECK: program.cpp:7:{{.*}}: error: use of undeclared identifier 'SCALE'
  tell([&] { tilewright::Program(text).get<float *, float>("scale<float, 16>"); });
}
