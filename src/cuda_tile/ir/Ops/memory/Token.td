// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_TOKEN
#define TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_TOKEN

include "cuda_tile/ir/Ops/Base.td"

class CudaTile_TokenOp<string mnemonic, bits<16> opcode, string version, list<Trait> traits>
    : CudaTile_Op<mnemonic, opcode, version, "token", traits> {
  let results = (outs CudaTile_TokenType:$result_token);
}
def CudaTile_MakeTokenOp : CudaTile_TokenOp<"make_token", 0x44, "13.1", [Pure]> {
  let summary = "a token without dependences";
  let results = (outs CudaTile_TokenType:$result);
  let assemblyFormat = "attr-dict `:` custom<Ty>(type($result))";
}
def CudaTile_JoinTokensOp : CudaTile_TokenOp<"join_tokens", 0x3C, "13.1", [Pure]> {
  let summary = "a token that depends on two or more tokens";
  let arguments = (ins Variadic<CudaTile_TokenType>:$tokens);
  let results = (outs CudaTile_TokenType:$result);
  let assemblyFormat = "$tokens attr-dict `:` custom<Ty>(type($result))";
  let hasVerifier = 1;
}
def CudaTile_MemoryFenceAliasTkoOp : CudaTile_TokenOp<"memory_fence_alias_tko", 0x7A, "13.4", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fence between accesses of the same memory by different addresses";
  let arguments = (ins CudaTile_TokenType:$token);
  let assemblyFormat = "$token attr-dict";
}
class CudaTile_GridDependencyOp<string mnemonic, bits<16> opcode>
    : CudaTile_TokenOp<mnemonic, opcode, "13.4", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins Optional<CudaTile_TokenType>:$token);
  let assemblyFormat = "(`token` `=` $token^)? attr-dict `->` custom<Ty>(type($result_token))";
}
def CudaTile_GdcLaunchDependentsTkoOp : CudaTile_GridDependencyOp<"gdc_launch_dependents_tko", 0x77> {
  let summary = "let the dependent grid start; does not order memory accesses";
}
def CudaTile_GdcWaitTkoOp : CudaTile_GridDependencyOp<"gdc_wait_tko", 0x78> {
  let summary = "wait for the preceding grid and make its writes visible";
}

#endif
