// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/VectorUnit.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilewright {

StringRef nameOf(Isa isa) {
  return isa == Isa::X86 ? "x86" : "aarch64";
}

static constexpr WordProduct none = {"", "", false};

static constexpr VectorUnit table[] = {
    // isa, bits, registers, masks from, tables, and the products of words: bf16, i16, i8, u8
    {Isa::X86, 128, 16, 0, false, none, {"llvm.x86.sse2.pmadd.wd", "", false}, none, none},
    {Isa::X86, 256, 16, 32, false, none, {"llvm.x86.avx2.pmadd.wd", "", false}, none, none},
    // LLVM merges pmaddwd with an addition where there is VNNI.
    {Isa::X86,
     512,
     32,
     1,
     true,
     {"llvm.x86.avx512bf16.dpbf16ps.512", "+avx512bf16", true},
     {"llvm.x86.avx512.pmaddw.d.512", "", false},
     none,
     none},
    {Isa::Aarch64,
     128,
     32,
     0,
     false,
     {"llvm.aarch64.neon.bfdot.v4f32.v8bf16", "+bf16", true},
     none,
     {"llvm.aarch64.neon.sdot.v4i32.v16i8", "+dotprod", true},
     {"llvm.aarch64.neon.udot.v4i32.v16i8", "+dotprod", true}},
};

const VectorUnit *findVectorUnit(Isa isa, unsigned bits) {
  const VectorUnit *found =
      find_if(table, [&](const VectorUnit &unit) { return unit.isa == isa && unit.bits == bits; });
  return found == std::end(table) ? nullptr : found;
}

} // namespace tilewright
