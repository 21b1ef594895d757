// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPU_IR_DIALECT
#define TILEWRIGHT_CPU_IR_DIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def Cpu_Dialect : Dialect {
  let name = "cpu";
  let cppNamespace = "::tilewright::cpu";
  let summary = "operations of tile programs for CPUs that linalg and vector lack";
  let description = [{
    Operations of other dialects have these attributes; any other of the namespace is refused:

    | attribute | of | is |
    |---|---|---|
    | `cpu.plan` | a function | `#cpu.plan`: the decisions that all passes look at |
    | `cpu.scratch_bytes` | a function | the bytes of scratch that its buffers take, once they have offsets |
    | `cpu.joined` | a function | an i64: the blocks along x that it runs at once (cpu-join-blocks) |
    | `cpu.fetch` | a `linalg.generic` | `#cpu.fetch`: its last inputs are prefetched, or indices of rows that are; its results do not depend on them |
    | `cpu.stream` | a `linalg.generic` | a unit: its result is written past the cache, where it fills cache lines |
    | `cpu.end` | a `linalg.generic` | an i64: the dimension along which its results are not needed from a place on, which is the first input |
    | `cpu.bounds` | a `linalg.generic` | a unit: it iterates over a box only. Its first inputs are where that begins and ends along each dimension |
    | `cpu.effect_only` | a `linalg.generic` | a unit: its results mean nothing and are not written |
    | `cpu.steps` | a `memref.alloc` | the iterations whose tiles it holds side by side (cpu-merge-depth) |
    | `cpu.kept` | a `memref.alloc` | a unit: its contents stay for the next tile block (cpu-keep-tiles) |
    | `cpu.state` | a `memref.alloc` | a unit: words in the first bytes of scratch, which are zero when a thread begins a launch |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

def Cpu_PlanAttr : AttrDef<Cpu_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "the decisions of the CPU path for a kernel";
  let description = [{
    - `byte_words`: bytes that `cpu.mma` on vectors multiplies as one word: 4, 2 as 16-bit integers, or 1 as 32-bit ones
    - `depth`: k extent of one pass over the accumulator of `cpu.mma`, at most
    - `isa`: the instruction set of the target, `x86` or `aarch64`
    - `joined_blocks`: neighbouring blocks along x that one body handles, where they can share one
    - `kept_bytes`: scratch for packed tiles that blocks share; with 0 each block packs its own
    - `loop_vectors`: vectors that an elementwise loop works on at once
    - `micro_tile_m`, `micro_tile_n`: rows of the register block of `cpu.mma`, and its columns in 32-bit elements
    - `mma_unit`: the unit that multiplies tiles of bf16 and of bytes: `vector`, `amx`, or `amx_model`, the code for AMX with loops
      in the place of its instructions
    - `pair_dot`: `cpu.mma` of bf16 on vectors multiplies pairs
    - `prefetch_tiles`: how many passes ahead the operands of `cpu.mma` are prefetched
    - `stream_bytes`: arrays from this size on are written past the cache; 0 for none
    - `vector_bits`: of a vector register

    A missing one is that of the weakest machine.

    ```
    #cpu.plan<byte_words = 2, depth = 128, isa = x86, joined_blocks = 1, kept_bytes = 4194304, loop_vectors = 4,
              micro_tile_m = 4, micro_tile_n = 64, mma_unit = amx, pair_dot = false, prefetch_tiles = 1, stream_bytes = 2097152,
              vector_bits = 512>
    ```
  }];
  let parameters = (ins "::tilewright::cpu::Plan":$plan);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Cpu_FetchAttr : AttrDef<Cpu_Dialect, "Fetch"> {
  let mnemonic = "fetch";
  let summary = "the inputs of a loop that it only prefetches";
  let description = [{
    The last `count` inputs are tiles of a later tile block, and the body does not use them. One with the map of another
    input holds that one's indices in the next block, whose rows the loop prefetches. With `half` there is one,
    and the loop prefetches its first half, 0, or its second, 1; another loop prefetches the other one.

    ```
    #cpu.fetch<2>  #cpu.fetch<1, half = 0>
    ```
  }];
  let parameters = (ins "int64_t":$count, OptionalParameter<"std::optional<int64_t>">:$half);
  let assemblyFormat = "`<` $count (`,` `half` `=` $half^)? `>`";
  let genVerifyDecl = 1;
}

#endif
