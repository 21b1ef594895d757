// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_REDUCE_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_REDUCE_TD

include "cuda_tile/ir/Ops/Base.td"

// The region combines two elements of each operand: arguments are lhs0, rhs0, lhs1, rhs1, ...
class CudaTile_FoldingOp<string mnemonic, bits<16> opcode, dag flags>
    : CudaTile_Op<mnemonic, opcode, "13.1", "reduce",
        [RecursiveMemoryEffects, RecursivelySpeculatable, NamesResultsAndArguments, SingleBlock]> {
  let arguments = !con((ins Variadic<CudaTile_Tile>:$operands, I32Attr:$dim), flags, (ins ArrayAttr:$identities));
  let results = (outs Variadic<CudaTile_Tile>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}
def CudaTile_ReduceOp : CudaTile_FoldingOp<"reduce", 0x58, (ins)> {
  let summary = "reduction of a dimension";
  let description = "The function must be associative; the order in which elements are combined is unspecified.";
}
def CudaTile_ScanOp : CudaTile_FoldingOp<"scan", 0x5E, (ins BoolAttr:$reverse)> {
  let summary = "inclusive scan along a dimension";
}

#endif
