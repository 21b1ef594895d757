// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_CONTROL_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_CONTROL_TD

include "cuda_tile/ir/Ops/Base.td"

def CudaTile_ForOp : CudaTile_Op<"for", 0x29, "13.1", "control",
    [RecursiveMemoryEffects, NamesResultsAndArguments, AllTypesMatch<["lowerBound", "upperBound", "step"]>,
     SingleBlockImplicitTerminator<"ContinueOp">]> {
  let summary = "loop over lowerBound, lowerBound + step, ... below upperBound";
  let description = "The step must be positive. The body ends in `continue`; its arguments are the index and the carried values.";
  let arguments = (ins CudaTile_ScalarInt:$lowerBound, CudaTile_ScalarInt:$upperBound, CudaTile_ScalarInt:$step,
      Variadic<CudaTile_AnyValue>:$initValues, AddedIn<"13.2", UnitAttr>:$unsignedCmp);
  let results = (outs Variadic<CudaTile_AnyValue>:$resultValues);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getInductionVar() { return getBody().getArgument(0); }
    ::mlir::Block::BlockArgListType getIterArgs() { return getBody().getArguments().drop_front(); }
  }];
}
def CudaTile_LoopOp : CudaTile_Op<"loop", 0x41, "13.1", "control",
    [RecursiveMemoryEffects, NamesResultsAndArguments, SingleBlock]> {
  let summary = "loop until `break`";
  let description = "`continue` passes the carried values on, `break` gives the results.";
  let arguments = (ins Variadic<CudaTile_AnyValue>:$initValues);
  let results = (outs Variadic<CudaTile_AnyValue>:$resultValues);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}
def CudaTile_IfOp : CudaTile_Op<"if", 0x32, "13.1", "control",
    [RecursiveMemoryEffects, RecursivelySpeculatable, SingleBlock, NoRegionArguments, NamesResultsAndArguments]> {
  let summary = "execution of one of two regions";
  let description = "A region ends in `yield`, or leaves: `break`, `continue`, `return`. Without results the else region may be empty.";
  let arguments = (ins CudaTile_ScalarBool:$condition);
  let results = (outs Variadic<CudaTile_AnyValue>:$resultValues);
  let regions = (region SizedRegion<1>:$thenRegion, AnyRegion:$elseRegion);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
}

// A jump out of an `if` is an effect of that `if`; at the end of its own loop it is not.
class CudaTile_TerminatorOp<string mnemonic, bits<16> opcode, list<Trait> traits>
    : CudaTile_Op<mnemonic, opcode, "13.1", "control", traits # [Terminator]> {
  let arguments = (ins Variadic<CudaTile_AnyValue>:$operands);
  let builders = [OpBuilder<(ins), [{ /* no values */ }]>];
  let assemblyFormat = "attr-dict ($operands^ `:` custom<Tys>(type($operands)))?";
}
def CudaTile_YieldOp : CudaTile_TerminatorOp<"yield", 0x6D, [Pure, ReturnLike, ParentOneOf<["IfOp", "ReduceOp", "ScanOp"]>]> {
  let summary = "results of a region";
}
def CudaTile_ContinueOp : CudaTile_TerminatorOp<"continue", 0x11, [HasComputedEffects]> {
  let summary = "next iteration of the innermost loop";
  let hasVerifier = 1;
}
def CudaTile_BreakOp : CudaTile_TerminatorOp<"break", 0xA, [HasComputedEffects]> {
  let summary = "end of the innermost `loop`";
  let hasVerifier = 1;
}
def CudaTile_ReturnOp : CudaTile_TerminatorOp<"return", 0x5C, [HasComputedEffects]> {
  let summary = "end of the kernel";
  let hasVerifier = 1;
}

#endif
