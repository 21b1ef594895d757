// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_MEMORY
#define TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_MEMORY

include "cuda_tile/ir/Ops/Base.td"

def CudaTile_OffsetOp : CudaTile_Op<"offset", 0x51, "13.1", "memory",
    [Pure, AllTypesMatch<["ptr", "result"]>, SameOperandsAndResultShape]> {
  let summary = "pointers plus a number of elements";
  let arguments = (ins CudaTile_PtrTile:$ptr, CudaTile_IntTile:$offset);
  let results = (outs CudaTile_PtrTile:$result);
  let assemblyFormat = [{
    $ptr `,` $offset attr-dict `:` custom<Ty>(type($ptr)) `,` custom<Ty>(type($offset)) `->` custom<Ty>(type($result))
  }];
}
def CudaTile_AllocaOp : CudaTile_Op<"alloca", 0x71, "13.3", "memory", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory that lives as long as the tile block";
  let description = "`global` memory may be used by other tile blocks. An allocation that fails traps.";
  let arguments = (ins I64Attr:$num_elem, I64Attr:$alignment, UnitAttr:$global);
  let results = (outs CudaTile_ScalarPtr:$result);
  let assemblyFormat = [{
    `num_elem` `=` custom<Integer>($num_elem) `,` `alignment` `=` custom<Integer>($alignment)
    (`global` $global^)? attr-dict `:` custom<Ty>(type($result))
  }];
  let hasVerifier = 1;
}
def CudaTile_GlobalOp : CudaTile_Op<"global", 0x31, "13.1", "memory", [DeclareOpInterfaceMethods<Symbol, ["getVisibility", "setVisibility"]>]> {
  let summary = "memory with an initial value that lives as long as the module";
  let section = "Global";
  let arguments = (ins SymbolNameAttr:$sym_name, CudaTile_DenseElementsAttr:$value,
      DefaultValuedAttr<I64Attr, "0">:$alignment,
      AddedIn<"13.3", DefaultValuedAttr<CudaTile_SymbolVisibilityAttr, "SymbolVisibility::Public">>:$symbol_visibility,
      AddedIn<"13.3", UnitAttr>:$constant);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def CudaTile_GetGlobalOp : CudaTile_Op<"get_global", 0x2C, "13.1", "memory",
    [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "pointer to the first element of a global";
  let arguments = (ins FlatSymbolRefAttr:$name);
  let results = (outs CudaTile_ScalarPtr:$result);
  let assemblyFormat = "$name attr-dict `:` custom<Ty>(type($result))";
}

// A memory operation starts after its token and after nothing else. Weak accesses need no
// scope; ordered ones need one.
class CudaTile_AccessOp<string mnemonic, bits<16> opcode, string version = "13.1", list<Trait> traits = []>
    : CudaTile_Op<mnemonic, opcode, version, "memory", traits # [AttrSizedOperandSegments, HasComputedEffects]> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def CudaTile_LoadPtrTkoOp : CudaTile_AccessOp<"load_ptr_tko", 0x3D, "13.1", [NamesResults]> {
  let summary = "gather through a tile of pointers";
  let description = "Elements whose mask is false are not read; they give the padding value, or an undefined one.";
  let arguments = (ins CudaTile_PtrTile:$source, Optional<CudaTile_BoolTile>:$mask,
      Optional<CudaTile_Tile>:$paddingValue, Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
      OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
      OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints);
  let results = (outs CudaTile_Tile:$result, CudaTile_TokenType:$result_token);
}
def CudaTile_StorePtrTkoOp : CudaTile_AccessOp<"store_ptr_tko", 0x65> {
  let summary = "scatter through a tile of pointers";
  let description = "Elements whose mask is false are not written.";
  let arguments = (ins CudaTile_PtrTile:$destination, CudaTile_Tile:$value, Optional<CudaTile_BoolTile>:$mask,
      Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
      OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
      OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints);
  let results = (outs CudaTile_TokenType:$result_token);
}
def CudaTile_LoadViewTkoOp : CudaTile_AccessOp<"load_view_tko", 0x3E, "13.1", [NamesResults]> {
  let summary = "load of one tile of a view";
  let description = [{
    Elements outside of the tensor give the view's padding value, or an undefined one. `inbounds` promises,
    per dimension of the view, that there are none; empty promises nothing.
    An index outside of the index space is undefined.
  }];
  let arguments = (ins CudaTile_TileView:$view, Variadic<CudaTile_IndexTile>:$index,
      Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
      OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
      OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints,
      AddedIn<"13.4", CudaTile_InboundsAttr>:$inbounds);
  let results = (outs CudaTile_Tile:$tile, CudaTile_TokenType:$result_token);
}
def CudaTile_StoreViewTkoOp : CudaTile_AccessOp<"store_view_tko", 0x66> {
  let summary = "store of one tile of a view";
  let description = "Elements outside of the tensor are not written; `inbounds` as in `load_view_tko`.";
  let arguments = (ins CudaTile_Tile:$tile, CudaTile_TileView:$view, Variadic<CudaTile_IndexTile>:$index,
      Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics,
      OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
      OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints,
      AddedIn<"13.4", CudaTile_InboundsAttr>:$inbounds);
  let results = (outs CudaTile_TokenType:$result_token);
}

#endif
