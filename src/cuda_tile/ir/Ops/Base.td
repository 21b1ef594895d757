// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_BASE_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_BASE_TD

// Interfaces and formats shared by the op families.
include "cuda_tile/ir/DebugInfo.td"
include "cuda_tile/ir/Types.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// Names results in the text after what they are: %tile, %pview, %cst_1_i32.
def NamesResults : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;
// Names block arguments too: %loopIdx, %iterArg0, %reduce_lhs; inside, operations go without `cuda_tile.`.
def NamesResultsAndArguments
    : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames", "getAsmBlockArgumentNames", "getDefaultDialect"]>;
// Memory effects that depend on an attribute or on the enclosing operation.
def HasComputedEffects : DeclareOpInterfaceMethods<MemoryEffectsOpInterface>;

def CudaTile_InboundsAttr : DefaultValuedAttr<DenseBoolArrayAttr, "{}">;

// Both operands and the result are of one type, written once.
class CudaTile_BinaryFormat<string flags> {
  string format = "$lhs `,` $rhs " # flags # " attr-dict `:` custom<Ty>(type($result))";
}
class CudaTile_UnaryFormat<string flags> {
  string format = "$source " # flags # " attr-dict `:` custom<Ty>(type($result))";
}
class CudaTile_ConversionFormat<string flags> {
  string format = "$from " # flags # " attr-dict `:` custom<Ty>(type($from)) `->` custom<Ty>(type($to))";
}

#endif
