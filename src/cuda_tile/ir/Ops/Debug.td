// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_DEBUG_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_DEBUG_TD

include "cuda_tile/ir/Ops/Base.td"

def CudaTile_AssertOp : CudaTile_Op<"assert", 0x5, "13.1", "debug", [MemoryEffects<[MemWrite]>]> {
  let summary = "end the kernel with a message unless all elements are true";
  let arguments = (ins CudaTile_BoolTile:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` custom<Ty>(type($condition))";
}
def CudaTile_PrintTkoOp : CudaTile_Op<"print_tko", 0x55, "13.1", "debug",
    [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "print tiles with a C format string";
  let arguments = (ins Variadic<CudaTile_Tile>:$args, AddedIn<"13.2", Optional<CudaTile_TokenType>>:$token, StrAttr:$str);
  let results = (outs Res<CudaTile_TokenType, "", [Since<"13.2">]>:$result_token);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
