// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_MMA_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_MMA_TD

include "cuda_tile/ir/Ops/Base.td"

class CudaTile_MmaOp<string mnemonic, bits<16> opcode, string version>
    : CudaTile_Op<mnemonic, opcode, version, "mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let description = "Operands are MxK, KxN and MxN, or the same with one more leading dimension, the batch.";
  let results = (outs CudaTile_NumberTile:$result);
  let hasVerifier = 1;
}
def CudaTile_MmaFOp : CudaTile_MmaOp<"mmaf", 0x49, "13.1"> {
  let summary = "matrix product of floats plus accumulator";
  let arguments = (ins CudaTile_AnyFloatTile:$lhs, CudaTile_AnyFloatTile:$rhs, CudaTile_FloatTile:$acc,
                       AddedIn<"13.3", UnitAttr>:$fast_acc);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`fast_acc` $fast_acc^)? attr-dict
    `:` custom<Ty>(type($lhs)) `,` custom<Ty>(type($rhs)) `,` custom<Ty>(type($acc))
  }];
}
def CudaTile_MmaIOp : CudaTile_MmaOp<"mmai", 0x4A, "13.1"> {
  let summary = "matrix product of integers plus accumulator";
  let arguments = (ins CudaTile_IntTile:$lhs, CudaTile_IntTile:$rhs, CudaTile_IntTile:$acc,
                       CudaTile_SignednessAttr:$signedness_lhs, CudaTile_SignednessAttr:$signedness_rhs);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc custom<Word>($signedness_lhs) custom<Word>($signedness_rhs) attr-dict
    `:` custom<Ty>(type($lhs)) `,` custom<Ty>(type($rhs)) `,` custom<Ty>(type($acc))
  }];
}
def CudaTile_MmaFScaledOp : CudaTile_MmaOp<"mmaf_scaled", 0x72, "13.3"> {
  let summary = "block-scaled matrix product of floats plus accumulator";
  let arguments = (ins CudaTile_AnyFloatTile:$lhs, CudaTile_AnyFloatTile:$rhs, CudaTile_FloatTile:$acc,
                       CudaTile_AnyFloatTile:$lhs_scale, CudaTile_AnyFloatTile:$rhs_scale);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc `,` $lhs_scale `,` $rhs_scale attr-dict
    `:` custom<Ty>(type($lhs)) `,` custom<Ty>(type($rhs)) `,` custom<Ty>(type($acc))
    `,` custom<Ty>(type($lhs_scale)) `,` custom<Ty>(type($rhs_scale))
  }];
}

#endif
