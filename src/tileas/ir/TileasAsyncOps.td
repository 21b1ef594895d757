// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agents, and the pipelines through which they hand tiles to each other.
#ifndef TILEWRIGHT_TILEAS_IR_ASYNCOPS
#define TILEWRIGHT_TILEAS_IR_ASYNCOPS

include "tileas/ir/TileasOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===-- agents ------------------------------------------------------------===//

def AgentsOp : Tileas_Op<"agents", [RecursiveMemoryEffects, NoTerminator, SingleBlock]> {
  let summary = "warps of the block that do different work at the same time";
  let description = [{
    Region i is run by `warps[i]` warps, the first region by the first ones; a region's warps number from zero, and a barrier
    inside is theirs alone; before they part, all meet at one. A producer, of one region only, is run by one thread of its
    warps: it starts copies that the hardware makes. One that copies from addresses is run by all of them; what the hardware
    copies is then started by the first. `registers` is what each thread of a region has, where registers change hands: in all no
    more than the block was launched with (see RegisterPool.h). Zero where they stay.

    ```
    tileas.agents warps = [8, 4], registers = [240, 24] {
      ...                                     // consumers: wait, multiply, release, store
    }, {
      ...                                     // the producer: acquire, load, commit
    }
    ```
    What comes after is run by nobody: it stands at a function's end.
  }];
  let arguments = (ins DenseI32ArrayAttr:$warps, DenseI32ArrayAttr:$registers);
  let regions = (region SizedRegion<1>:$consumer, SizedRegion<1>:$producer);
  let assemblyFormat = "`warps` `=` $warps `,` `registers` `=` $registers $consumer `,` $producer attr-dict";
  let extraClassDeclaration = [{
    // Whether all threads of the producer's warps run it.
    bool isProducedTogether();
  }];
  let hasVerifier = 1;
}

//===-- pipelines ---------------------------------------------------------===//

// A ring of stages, each with the same buffers. Each agent has its own place in the ring, which begins at stage 0 and
// goes on by one with `producer_commit` and `consumer_release`. A stage is empty or full: acquire waits until the
// producer's stage is empty, wait until the consumer's is full.
class Tileas_PipelineOp<string mnemonic> : Tileas_Op<mnemonic, [MemoryEffects<[MemRead<Tileas_Shared>, MemWrite<Tileas_Shared>]>]> {
  let arguments = (ins Tileas_PipelineType:$pipeline);
  let assemblyFormat = "$pipeline attr-dict `:` type($pipeline)";
}

def CreatePipelineOp : Tileas_Op<"create_pipeline", [MemoryEffects<[MemAlloc<Tileas_Shared>]>]> {
  let summary = "a ring of stages in shared memory; `offset` is its place in bytes once it has one";
  let description = [{
    A stage is empty again when each of the consumers, warpgroups, has released it. One of 0 has no agents: all threads of
    the block start copies into its stages and read them, and which stage that is they say themselves. `byOne`: one thread
    reads for all consumers, by products that it starts; a stage that it releases is empty when they have ended.
  }];
  let arguments = (ins I64Attr:$consumers, OptionalAttr<I64Attr>:$offset, UnitAttr:$byOne);
  let results = (outs Tileas_PipelineType:$pipeline);
  let assemblyFormat = "`of` $consumers (`byOne` $byOne^)? (`at` $offset^)? attr-dict `:` type($pipeline)";
}

def ProducerAcquireOp : Tileas_PipelineOp<"producer_acquire"> {
  let summary = "waits until the producer's stage is empty";
}
def ProducerCommitOp : Tileas_PipelineOp<"producer_commit"> {
  let summary = "the stage is full when all copies into it have come; on to the next";
}
def ConsumerWaitOp : Tileas_PipelineOp<"consumer_wait"> {
  let summary = "waits until the consumer's stage is full";
}
def ConsumerReleaseOp : Tileas_PipelineOp<"consumer_release"> {
  let summary = "the consumer has read the stage; on to the next";
}

def ConsumerReadOp : Tileas_Op<"consumer_read", [MemoryEffects<[MemRead<Tileas_Shared>]>]> {
  let summary = "a buffer of the consumer's stage, until it is released";
  let arguments = (ins Tileas_PipelineType:$pipeline, I64Attr:$index);
  let results = (outs Tileas_BufferType:$buffer);
  let assemblyFormat = "$pipeline `[` $index `]` attr-dict `:` type($pipeline) `->` type($buffer)";
}

//===-- copies by the threads of the block --------------------------------===//

// Into a pipeline of 0, but for a producer's (see `tileas.async_load_ptr`). The copies that a thread starts are in
// groups, which come in their order:
//
//   tileas.async_load %x[%i, %k] dims [0, 1] into %p[%next, 0] if %more by #copy
//   tileas.async_commit
//   tileas.async_wait %p, 2                       // all groups but the last two
//   %a = tileas.stage %p[%now, 0]
//
// A stage is not read from the start of copies into it until a wait for their group, and copies into it start only
// after a wait that all threads came to when they had read it. Who makes these operations sees to it;
// tileas-insert-barriers does for other buffers in the same memory.

def AsyncLoadOp : Tileas_Op<"async_load", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite<Tileas_Shared>]>]> {
  let summary = "starts copies of a tile of a view into a buffer of a stage, if `condition` holds";
  let description = [{
    View, offsets, token, `dimMap` and `inbounds` are those of `tileaa.load_view`; elements outside of the view are zero.
    `layout` says which thread copies what. Copies have 4, 8 or 16 bytes; where fewer neighbours are known to begin
    together, threads load and store them here and now.
  }];
  let arguments = (ins Tileaa_ViewType:$view, Variadic<Index>:$offsets, Optional<Tileaa_TokenType>:$token,
                       Tileas_PipelineType:$pipeline, I32:$stage, I64Attr:$index, Optional<I1>:$condition,
                       DenseI64ArrayAttr:$dimMap, OptionalAttr<DenseBoolArrayAttr>:$inbounds, Tileas_LayoutAttr:$layout);
  let assemblyFormat = [{
    $view `[` $offsets `]` (`after` $token^)? `dims` $dimMap `into` $pipeline `[` $stage `,` $index `]`
    (`if` $condition^)? `by` $layout attr-dict `:` type($view) `,` type($pipeline)
  }];
  let hasVerifier = 1;
}

def AsyncLoadPtrOp : Tileas_Op<"async_load_ptr", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite<Tileas_Shared>]>]> {
  let summary = "starts copies of the elements at a tile of addresses into a buffer of a stage, if `condition` holds";
  let description = [{
    Where `mask` is false nothing is read and the element is zero. The addresses' layout says which thread copies what. Copies
    have 4, 8 or 16 bytes, so as many addresses are known to lie one after another and to be masked alike.

    Without a stage it is a producer's, into its stage of a pipeline that has consumers: `tileas.producer_commit` stands for the
    wait, as each thread's copies arrive at the stage by themselves.
  }];
  let arguments = (ins StaticShapeTensorOf<[I64]>:$addresses, Optional<StaticShapeTensorOf<[I1]>>:$mask,
                       Optional<Tileaa_TokenType>:$token, Tileas_PipelineType:$pipeline, Optional<I32>:$stage, I64Attr:$index, Optional<I1>:$condition);
  let assemblyFormat = [{
    $addresses (`mask` $mask^)? (`after` $token^)? `into` $pipeline `[` custom<BufferOfStage>($stage, $index) `]` (`if` $condition^)?
    attr-dict `:` type($addresses) (`,` type($mask)^)? `->` type($pipeline)
  }];
  let extraClassDeclaration = [{
    bool isByProducer() { return !getStage(); }
  }];
  let hasVerifier = 1;
}

def AsyncCommitOp : Tileas_Op<"async_commit", [MemoryEffects<[MemRead<Tileas_Shared>, MemWrite<Tileas_Shared>]>]> {
  let summary = "the copies started since the last commit are a group, which may be empty";
  let assemblyFormat = "attr-dict";
}

def AsyncWaitOp : Tileas_Op<"async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits for all groups but the newest `pending`, and for all threads of the block: a barrier";
  let description = [{
    Each thread waits for products that its warpgroup left running, too, but for the newest `products`: then nobody reads the
    stages of the others any more.
  }];
  let arguments = (ins Tileas_PipelineType:$pipeline, I64Attr:$pending, OptionalAttr<I64Attr>:$products);
  let assemblyFormat = "$pipeline `,` $pending (`products` $products^)? attr-dict `:` type($pipeline)";
}

def StageOp : Tileas_Op<"stage", [Pure]> {
  let summary = "a buffer of a stage";
  let arguments = (ins Tileas_PipelineType:$pipeline, I32:$stage, I64Attr:$index);
  let results = (outs Tileas_BufferType:$buffer);
  let assemblyFormat = "$pipeline `[` $stage `,` $index `]` attr-dict `:` type($pipeline) `->` type($buffer)";
}

//===-- copies by the tensor memory accelerator ---------------------------===//

def MakeTmaDescOp : Tileas_Op<"make_tiled_tma_desc", [Pure]> {
  let summary = "describes an array, and boxes of it, to the hardware that copies them";
  let description = [{
    It is encoded before the kernel's work begins, so the view's base, extents and strides are parameters of the kernel or
    constants. `box` has the extents of a box along each dimension of the view; `swizzle` is the span in bytes (16 for none) of
    what it looks like in shared memory. tileas-attach-tma-desc-args makes it a parameter, tileas-write-tma-descs has the kernel
    encode it. `stored` says that copies go to the array, not from it. What is copied by it is rounded to `format`, tf32, if
    that is given, ties to even (all 2^32 numbers measured on an H200: the bits of `cvt.rn.tf32.f32`).
  }];
  let arguments = (ins Tileaa_ViewType:$view, DenseI64ArrayAttr:$box, I64Attr:$swizzle, OptionalAttr<TypeAttr>:$format,
                       UnitAttr:$stored);
  let results = (outs Tileas_TmaDescType:$desc);
  let assemblyFormat = "$view `box` $box `swizzle` $swizzle (`as` $format^)? (`stored` $stored^)? attr-dict `:` type($view)";
}

def WriteTmaDescsOp : Tileas_Op<"write_tma_descs", [MemoryEffects<[MemRead, MemWrite, MemWrite<Tileas_Shared>]>]> {
  let summary = "the block encodes tensor maps, before the first copies by them; all of its threads are there";
  let description = [{
    They are made in `scratch`, 128 bytes for each and as many besides, and copied to a place of the module's that is the
    block's until `release_tma_descs`: the hardware takes tensor maps from global memory alone.
  }];
  let arguments = (ins Variadic<Tileas_TmaDescType>:$descs, Tileas_BufferType:$scratch);
  let assemblyFormat = "$descs `by` $scratch attr-dict `:` type($scratch)";
}

def ReleaseTmaDescsOp : Tileas_Op<"release_tma_descs", [MemoryEffects<[MemRead<Tileas_Shared>, MemWrite]>]> {
  let summary = "the place of the block's tensor maps may be another's: all copies by them have been made";
  let arguments = (ins Variadic<Tileas_TmaDescType>:$descs);
  let assemblyFormat = "$descs attr-dict";
}

def TmaLoadOp : Tileas_Op<"tma_load", [MemoryEffects<[MemRead, MemWrite<Tileas_Shared>]>]> {
  let summary = "starts copies of the boxes of a tile into a buffer of the producer's stage";
  let description = [{
    `offsets` is the tile's corner in the view, in elements. `splitDim` of the view is the one along which the tile is
    several boxes, one after another in the buffer.
  }];
  let arguments = (ins Tileas_TmaDescType:$desc, Variadic<Index>:$offsets, Tileas_PipelineType:$pipeline, I64Attr:$index,
                       I64Attr:$splitDim, I64Attr:$boxes);
  let assemblyFormat = [{
    $desc `[` $offsets `]` `into` $pipeline `[` $index `]` `split` $splitDim `by` $boxes attr-dict `:` type($pipeline)
  }];
}

def TmaStoreOp : Tileas_Op<"tma_store", [MemoryEffects<[MemWrite, MemRead<Tileas_Shared>]>]> {
  let summary = "starts copies of the boxes of a tile in a buffer to memory";
  let arguments = (ins Tileas_BufferType:$buffer, Tileas_TmaDescType:$desc, Variadic<Index>:$offsets, I64Attr:$splitDim,
                       I64Attr:$boxes);
  let assemblyFormat = [{
    $buffer `,` $desc `[` $offsets `]` `split` $splitDim `by` $boxes attr-dict `:` type($buffer)
  }];
}

def TmaStoreWaitOp : Tileas_Op<"tma_store_wait", [MemoryEffects<[MemRead<Tileas_Shared>, MemWrite]>]> {
  let summary = "waits until all stores but the newest `pending` have read their buffers, of which these are";
  let arguments = (ins Variadic<Tileas_BufferType>:$buffers, I64Attr:$pending);
  let assemblyFormat = "$buffers `but` $pending attr-dict `:` type($buffers)";
}

#endif
