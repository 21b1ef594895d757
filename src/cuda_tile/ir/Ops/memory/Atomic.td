// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_ATOMIC
#define TILEWRIGHT_CUDA_TILE_IR_OPS_MEMORY_ATOMIC

include "cuda_tile/ir/Ops/memory/Memory.td"

class CudaTile_AtomicOp<string mnemonic, bits<16> opcode, string version, list<Trait> traits = []>
    : CudaTile_Op<mnemonic, opcode, version, "atomic",
                  traits # [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def CudaTile_AtomicCASTkoOp : CudaTile_AtomicOp<"atomic_cas_tko", 0x7, "13.1", [NamesResults]> {
  let summary = "compare and swap; returns the old value";
  let description = "Floats compare by their bits. A masked element gives its `cmp` value.";
  let arguments = (ins CudaTile_PtrTile:$pointers, CudaTile_NumberTile:$cmp, CudaTile_NumberTile:$val,
      Optional<CudaTile_BoolTile>:$mask, Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics, CudaTile_MemoryScopeAttr:$memory_scope);
  let results = (outs CudaTile_NumberTile:$result, CudaTile_TokenType:$result_token);
}
def CudaTile_AtomicRMWTkoOp : CudaTile_AtomicOp<"atomic_rmw_tko", 0x8, "13.1", [NamesResults]> {
  let summary = "read, modify and write; returns the old value";
  let description = "The result of a masked element is undefined. `addf` rounds to nearest even; bf16 since 13.3.";
  let arguments = (ins CudaTile_PtrTile:$pointers, CudaTile_NumberTile:$arg,
      Optional<CudaTile_BoolTile>:$mask, Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics, CudaTile_MemoryScopeAttr:$memory_scope,
      CudaTile_AtomicRMWModeAttr:$mode);
  let results = (outs CudaTile_NumberTile:$result, CudaTile_TokenType:$result_token);
}
def CudaTile_AtomicRedViewTkoOp : CudaTile_AtomicOp<"atomic_red_view_tko", 0x75, "13.3"> {
  let summary = "elementwise atomic reduction of a tile into a view, without a result";
  let arguments = (ins CudaTile_TileView:$view, Variadic<CudaTile_IndexTile>:$index, CudaTile_NumberTile:$value,
      Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics, CudaTile_MemoryScopeAttr:$memory_scope,
      CudaTile_AtomicRMWModeAttr:$mode, AddedIn<"13.5", CudaTile_InboundsAttr>:$inbounds);
  let results = (outs CudaTile_TokenType:$result_token);
}

// Views whose memory is a multicast object: one address stands for a copy on each device.
def CudaTile_MultimemLoadReduceViewTkoOp : CudaTile_AtomicOp<"multimem_load_reduce_view_tko", 0x7B, "13.5", [NamesResults]> {
  let summary = "a tile reduced over all copies";
  let arguments = (ins CudaTile_TileView:$view, Variadic<CudaTile_IndexTile>:$index, Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics, OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
      DefaultValuedAttr<CudaTile_MultimemReductionKindAttr, "MultimemReductionKind::ADD">:$reduction,
      CudaTile_InboundsAttr:$inbounds);
  let results = (outs CudaTile_NumberTile:$reduced_values, CudaTile_TokenType:$result_token);
}
def CudaTile_MultimemReduceViewTkoOp : CudaTile_AtomicOp<"multimem_reduce_view_tko", 0x7C, "13.5"> {
  let summary = "reduction of a tile into every copy";
  let arguments = (ins CudaTile_TileView:$view, CudaTile_NumberTile:$tile, Variadic<CudaTile_IndexTile>:$index,
      Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics, CudaTile_MemoryScopeAttr:$memory_scope,
      DefaultValuedAttr<CudaTile_MultimemReductionKindAttr, "MultimemReductionKind::ADD">:$reduction,
      CudaTile_InboundsAttr:$inbounds);
  let results = (outs CudaTile_TokenType:$result_token);
}
def CudaTile_MultimemStoreViewTkoOp : CudaTile_AtomicOp<"multimem_store_view_tko", 0x7D, "13.5"> {
  let summary = "store of a tile to every copy";
  let arguments = (ins CudaTile_TileView:$view, CudaTile_Tile:$tile, Variadic<CudaTile_IndexTile>:$index,
      Optional<CudaTile_TokenType>:$token,
      CudaTile_MemoryOrderingSemanticsAttr:$memory_ordering_semantics, OptionalAttr<CudaTile_MemoryScopeAttr>:$memory_scope,
      CudaTile_InboundsAttr:$inbounds);
  let results = (outs CudaTile_TokenType:$result_token);
}

#endif
