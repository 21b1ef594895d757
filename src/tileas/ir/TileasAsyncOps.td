// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warp-specialized agents, and the pipelines through which a producer passes tiles to consumers.
#ifndef TILEWRIGHT_TILEAS_IR_ASYNCOPS
#define TILEWRIGHT_TILEAS_IR_ASYNCOPS

include "tileas/ir/TileasInterfaces.td"
include "tileas/ir/TileasOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

//===-- agents ------------------------------------------------------------===//

def AgentsOp : Tileas_Op<"agents", [RecursiveMemoryEffects, NoTerminator, SingleBlock]> {
  let summary = "warp-specialized regions that run concurrently in one CTA";
  let description = [{
    Region i is run by `warps[i]` warps, the first region by the first ones. Inside a region its warps are numbered
    from zero and a barrier synchronizes them only; before the regions start there is a barrier of the whole CTA. A
    producer that only starts hardware copies is run by one thread. A producer that copies from addresses, or writes
    tiles, is run by all threads of its warps, of which the first starts hardware copies. `registers` is the number of registers of
    each thread of a region after registers are redistributed (setmaxnreg), in all no more than the CTA was launched
    with (see RegisterPool.h), or zero if they are not.

    In a cluster the barrier before the regions is of all CTAs of the cluster, and so is another one behind them: none
    ends while others copy or arrive in its shared memory.

    ```
    tileas.agents warps = [8, 4], registers = [240, 24] {
      ...                                     // consumers: wait, multiply, release, store
    }, {
      ...                                     // the producer: acquire, load, commit
    }
    ```
    Precondition: it is the last operation of the function; no thread executes anything after it.
  }];
  let arguments = (ins DenseI32ArrayAttr:$warps, DenseI32ArrayAttr:$registers);
  let regions = (region SizedRegion<1>:$consumer, SizedRegion<1>:$producer);
  let assemblyFormat = "`warps` `=` $warps `,` `registers` `=` $registers $consumer `,` $producer attr-dict";
  let extraClassDeclaration = [{
    // Whether all threads of the producer's warps run it, not only the first.
    bool isProducedTogether();
  }];
  let hasVerifier = 1;
}

//===-- pipelines ---------------------------------------------------------===//

// A ring of stages, each with the same buffers. A stage is empty or full: acquire waits until the producer's stage is
// empty, wait until the consumer's is full. Each agent has its own stage, which starts at 0 and advances with
// `producer_commit` and `consumer_release`. It is implicit until tileas-carry-pipeline-state makes it a value:
//
//   %s0 = tileas.consumer_start %p
//   %end = scf.for ... iter_args(%s = %s0) {
//     tileas.consumer_wait %p at %s
//     %m = tileas.consumer_read %p[0] at %s
//     ...
//     %next = tileas.consumer_release %p at %s
//     scf.yield %next
//   }
class Tileas_PipelineOp<string mnemonic>
    : Tileas_Op<mnemonic, [MemoryEffects<[MemRead<Tileas_Shared>, MemWrite<Tileas_Shared>]>,
                           Tileas_PipelineStep]> {
  let arguments = (ins Tileas_PipelineType:$pipeline, Optional<Tileas_PipelineStateType>:$state);
  let assemblyFormat = "$pipeline (`at` $state^)? attr-dict `:` type($pipeline)";
  let builders = [OpBuilder<(ins "::mlir::Value":$pipeline), [{
    build($_builder, $_state, pipeline, ::mlir::Value());
  }]>];
}
class Tileas_AdvanceOp<string mnemonic> : Tileas_PipelineOp<mnemonic> {
  let results = (outs Optional<Tileas_PipelineStateType>:$next);
  let assemblyFormat = "$pipeline (`at` $state^)? attr-dict `:` type($pipeline) (`->` type($next)^)?";
  let builders = [OpBuilder<(ins "::mlir::Value":$pipeline), [{
    build($_builder, $_state, ::mlir::Type(), pipeline, ::mlir::Value());
  }]>];
  let hasVerifier = 1;
}
class Tileas_StartOp<string mnemonic> : Tileas_Op<mnemonic, [Pure]> {
  let arguments = (ins Tileas_PipelineType:$pipeline);
  let results = (outs Tileas_PipelineStateType:$state);
  let assemblyFormat = "$pipeline attr-dict `:` type($pipeline)";
}

def CreatePipelineOp : Tileas_Op<"create_pipeline", [MemoryEffects<[MemAlloc<Tileas_Shared>]>]> {
  let summary = "create a pipeline: a ring of stages in shared memory";
  let description = [{
    A stage is empty again when each of the `consumers` (warpgroups) has released it. A pipeline of 0 consumers is
    not warp-specialized: all threads of the CTA start copies into its stages and read them, and name the stage as
    an operand. With `byOne` one thread reads for all consumers, by asynchronous products; a released stage is empty
    when they have completed. `offset` is its offset in bytes, once tileas-allocate-shared has assigned one.

    With `cluster` copies may go into the stages of all so many CTAs of the cluster, each of which has the pipeline at
    the same offset: a stage is empty when the consumers of all of them have released theirs, and all of them go
    through the pipeline equally often.
  }];
  let arguments = (ins I64Attr:$consumers, OptionalAttr<I64Attr>:$offset, UnitAttr:$byOne,
                       DefaultValuedAttr<I64Attr, "1">:$cluster);
  let results = (outs Tileas_PipelineType:$pipeline);
  let assemblyFormat = [{
    `of` $consumers (`byOne` $byOne^)? (`cluster` $cluster^)? (`at` $offset^)? attr-dict `:` type($pipeline)
  }];
}

def ProducerStartOp : Tileas_StartOp<"producer_start"> {
  let summary = "the producer's state before its first stage, which is empty";
}
def ConsumerStartOp : Tileas_StartOp<"consumer_start"> {
  let summary = "the consumers' state before their first stage";
}
def ProducerAcquireOp : Tileas_PipelineOp<"producer_acquire"> {
  let summary = "wait until the producer's stage is empty";
}
def ProducerCommitOp : Tileas_AdvanceOp<"producer_commit"> {
  let summary = "mark the stage full once its copies complete; advance to the next";
}
def ProducerWriteOp : Tileas_Op<"producer_write", [MemoryEffects<[MemWrite<Tileas_Shared>]>, Tileas_PipelineStep]> {
  let summary = "write a tile to a buffer of the producer's stage";
  let description = [{
    All threads of the producer write their elements, and `producer_commit` arrives for each of them.

    ```
    tileas.producer_acquire %p
    %t, %u = tileaa.load_view %v[%i, %j] dims [0, 1] -> tensor<128x128xi8, #rows>
    tileas.producer_write %t into %p[1]                      // of the buffer, whose columns are contiguous
    tileas.producer_commit %p
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile, Tileas_PipelineType:$pipeline, I64Attr:$index,
                       Optional<Tileas_PipelineStateType>:$state);
  let assemblyFormat = [{
    $tile `into` $pipeline `[` $index `]` (`at` $state^)? attr-dict `:` type($tile) `,` type($pipeline)
  }];
  let extraClassDeclaration = [{
    BufferType getBufferType() { return getPipeline().getType().getBuffers()[getIndex()]; }
  }];
  let hasVerifier = 1;
}
def ConsumerWaitOp : Tileas_PipelineOp<"consumer_wait"> {
  let summary = "wait until the consumer's stage is full";
}
def ConsumerReleaseOp : Tileas_AdvanceOp<"consumer_release"> {
  let summary = "mark the stage as read by this consumer; advance to the next";
}

def ConsumerReadOp : Tileas_Op<"consumer_read", [MemoryEffects<[MemRead<Tileas_Shared>]>,
                                                 Tileas_PipelineStep]> {
  let summary = "a buffer of the consumer's stage, valid until its release";
  let arguments = (ins Tileas_PipelineType:$pipeline, I64Attr:$index, Optional<Tileas_PipelineStateType>:$state);
  let results = (outs Tileas_BufferType:$buffer);
  let assemblyFormat = "$pipeline `[` $index `]` (`at` $state^)? attr-dict `:` type($pipeline) `->` type($buffer)";
}

//===-- sums of a cluster -------------------------------------------------===//

def CreateExchangeOp : Tileas_Op<"create_exchange", [MemoryEffects<[MemAlloc<Tileas_Shared>]>]> {
  let summary = "create a buffer for tiles of another CTA of the cluster";
  let description = [{
    Each CTA of a cluster has it at the same offset, `offset` in bytes once tileas-allocate-shared has assigned one, and
    mbarriers behind it. Another CTA writes it while threads of this one do something else, so that no other buffer
    shares its memory.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Tileas_ExchangeType:$exchange);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($exchange)";
}

def ClusterSumOp : Tileas_Op<"cluster_sum", [AllTypesMatch<["tile", "sum"]>,
                                             MemoryEffects<[MemRead<Tileas_Shared>, MemWrite<Tileas_Shared>]>]> {
  let summary = "the sum of tiles of CTAs of a cluster, a power of two apart";
  let description = [{
    A CTA whose rank is a multiple of twice the distance adds the tile of the CTA so far behind it to its own: it waits
    until its buffer is full and adds, its own element first. The other one waits until that buffer is empty, writes its
    tile there and keeps what it has, and so do CTAs that have passed their tile before. One of these for each power of
    two below the CTAs of the cluster, the least first, give the CTA of rank 0 the sum of all; they share an exchange,
    as a CTA has read a tile before the next one is written. `round` is how often the CTA has come here before; only its
    parity counts.

    ```
    %x = tileas.create_exchange : !tileas.exchange<<64x128xf32, #shared>>
    scf.for %i = %number to %all step %count {
      ...                                                   // each of four CTAs adds up other products
      %pairs = tileas.cluster_sum %part through %x round %r : tensor<64x128xf32, #acc>, !tileas.exchange<...>
      %sums = tileas.cluster_sum %pairs through %x round %r distance 2 : ...
    ```
    Consumers execute it, and all CTAs come there equally often.
  }];
  let arguments = (ins AnyStaticShapeTensor:$tile, Tileas_ExchangeType:$exchange, I32:$round,
                       DefaultValuedAttr<I64Attr, "1">:$distance);
  let results = (outs AnyStaticShapeTensor:$sum);
  let assemblyFormat = [{
    $tile `through` $exchange `round` $round (`distance` $distance^)? attr-dict `:` type($tile) `,` type($exchange)
  }];
  let extraClassDeclaration = [{
    /// The number of the step, from 0.
    unsigned getStep() { return llvm::Log2_64(getDistance()); }
  }];
  let hasVerifier = 1;
}

//===-- copies by the threads of the CTA ----------------------------------===//

// Into a pipeline of 0 consumers, except for a producer's (see `tileas.async_load_ptr`). The copies that a thread starts
// form groups, which complete in order:
//
//   tileas.async_load %x[%i, %k] dims [0, 1] into %p[%next, 0] if %more by #copy
//   tileas.async_commit
//   tileas.async_wait %p, 2                       // all groups but the last two
//   %a = tileas.stage %p[%now, 0]
//
// A stage must not be read between the start of copies into it and a wait for their group, and copies into it must start
// after a wait that all threads reached once they had read it. Passes that create these operations have to ensure that;
// tileas-insert-barriers does so for other buffers in the same memory.

def AsyncLoadOp : Tileas_Op<"async_load", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite<Tileas_Shared>]>]> {
  let summary = "start copies of a tile of a view into a buffer of a stage";
  let description = [{
    View, offsets, token, `dimMap` and `inbounds` are those of `tileaa.load_view`; elements out of bounds are zero.
    Nothing is copied if `condition` is false. `layout` assigns elements to threads. A copy has 4, 8 or 16 bytes;
    where fewer contiguous bytes are known to be aligned, threads load and store them synchronously.
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

def AsyncLoadPtrOp : Tileas_Op<"async_load_ptr", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite<Tileas_Shared>]>,
                                                   Tileas_PipelineStep]> {
  let summary = "start copies from a tile of addresses into a buffer of a stage";
  let description = [{
    Where `mask` is false nothing is read and the element is zero. Nothing is copied if `condition` is false. The
    layout of the addresses assigns elements to threads. A copy has 4, 8 or 16 bytes: as many elements are known to
    have contiguous addresses and equal masks.

    Without a stage it belongs to a producer and copies into its stage of a pipeline with consumers. The copies of
    each thread arrive at the stage's mbarrier, so that `tileas.producer_commit` takes the place of the wait.
  }];
  let arguments = (ins StaticShapeTensorOf<[I64]>:$addresses, Optional<StaticShapeTensorOf<[I1]>>:$mask,
                       Optional<Tileaa_TokenType>:$token, Tileas_PipelineType:$pipeline, Optional<I32>:$stage, I64Attr:$index, Optional<I1>:$condition,
                       Optional<Tileas_PipelineStateType>:$state);
  let assemblyFormat = [{
    $addresses (`mask` $mask^)? (`after` $token^)? `into` $pipeline `[` custom<BufferOfStage>($stage, $index) `]` (`if` $condition^)?
    (`at` $state^)?
    attr-dict `:` type($addresses) (`,` type($mask)^)? `->` type($pipeline)
  }];
  let extraClassDeclaration = [{
    bool isByProducer() { return !getStage(); }
  }];
  let hasVerifier = 1;
}

def AsyncCommitOp : Tileas_Op<"async_commit", [MemoryEffects<[MemRead<Tileas_Shared>, MemWrite<Tileas_Shared>]>]> {
  let summary = "close the group of copies started since the last commit";
  let description = [{
    The group may be empty.
  }];
  let assemblyFormat = "attr-dict";
}

def AsyncWaitOp : Tileas_Op<"async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait for all groups but the newest `pending`, then a CTA barrier";
  let description = [{
    Each thread also waits for its warpgroup's asynchronous products but the newest `products`. The stages of the
    completed ones may then be overwritten.

    With `own` there is no barrier: each thread waits for the copies that it started itself. It may then read the
    bytes that it copied, and no others, and may fill a stage again once it has read its own bytes there.

    ```
    tileas.async_wait %p, 2 own
    %s = tileas.stage %p[%now, 0]
    %t = tileas.read %s : tensor<1x4096xf32, #copy>               // the layout of the copies into the stage
    tileas.async_load %x[%later, %zero] into %p[%now, 0] if %more by #copy
    ```
  }];
  let arguments = (ins Tileas_PipelineType:$pipeline, I64Attr:$pending, OptionalAttr<I64Attr>:$products,
                       UnitAttr:$own);
  let assemblyFormat = "$pipeline `,` $pending (`products` $products^)? (`own` $own^)? attr-dict `:` type($pipeline)";
  let builders = [OpBuilder<(ins "::mlir::Value":$pipeline, "int64_t":$pending, "::mlir::IntegerAttr":$products), [{
    build($_builder, $_state, pipeline, $_builder.getI64IntegerAttr(pending), products, /*own=*/::mlir::UnitAttr());
  }]>];
  let extraClassDeclaration = [{
    /// Whether all threads meet here.
    bool isBarrier() { return !getOwn(); }
  }];
  let hasVerifier = 1;
}

def StageOp : Tileas_Op<"stage", [Pure]> {
  let summary = "a buffer of a stage";
  let arguments = (ins Tileas_PipelineType:$pipeline, I32:$stage, I64Attr:$index);
  let results = (outs Tileas_BufferType:$buffer);
  let assemblyFormat = "$pipeline `[` $stage `,` $index `]` attr-dict `:` type($pipeline) `->` type($buffer)";
}

//===-- copies by the tensor memory accelerator ---------------------------===//

def MakeTmaDescOp : Tileas_Op<"make_tiled_tma_desc", [Pure]> {
  let summary = "a tensor map: an array and the boxes in which TMA copies it";
  let description = [{
    It is encoded before the kernel's work begins, so the view's base, extents and strides are kernel parameters or
    constants. `box` has the extents of a box along each dimension of the view; `swizzle` is the span in bytes of
    the swizzle in shared memory (16 for none). tileas-attach-tma-desc-args makes the tensor map a kernel parameter;
    tileas-write-tma-descs has the kernel encode it (`write_tma_descs`). `stored` marks a tensor map for copies to the array. Loaded
    elements are rounded to `format`, tf32, if that is given, ties to even (all 2^32 values measured on an H200: the
    bits of `cvt.rn.tf32.f32`).
  }];
  let arguments = (ins Tileaa_ViewType:$view, DenseI64ArrayAttr:$box, I64Attr:$swizzle, OptionalAttr<TypeAttr>:$format,
                       UnitAttr:$stored);
  let results = (outs Tileas_TmaDescType:$desc);
  let assemblyFormat = "$view `box` $box `swizzle` $swizzle (`as` $format^)? (`stored` $stored^)? attr-dict `:` type($view)";
}

def WriteTmaDescsOp : Tileas_Op<"write_tma_descs", [MemoryEffects<[MemRead, MemWrite, MemWrite<Tileas_Shared>]>]> {
  let summary = "encode tensor maps, before their first use; all threads reach it";
  let description = [{
    One for each view, with the fields in `maps`. The hardware reads tensor maps from global memory only: each is looked
    up in a table of the module, where the first CTA writes it; while it is not there, a CTA writes it at a place of its
    own, until `release_tma_descs`. `scratch` has 136 bytes for each, where it is encoded first.
  }];
  let arguments = (ins Variadic<Tileaa_ViewType>:$views, TypedArrayAttrBase<Tileas_TensorMapAttr, "fields">:$maps,
                       Tileas_BufferType:$scratch);
  let results = (outs Variadic<Tileas_TmaDescType>:$descs);
  let assemblyFormat = "$views $maps `by` $scratch attr-dict `:` type($scratch) `,` type($views) `->` type($descs)";
  let extraClassDeclaration = [{
    TensorMapAttr getMap(unsigned index) { return ::llvm::cast<TensorMapAttr>(getMaps()[index]); }
  }];
  let hasVerifier = 1;
}

def ReleaseTmaDescsOp : Tileas_Op<"release_tma_descs", [MemoryEffects<[MemRead<Tileas_Shared>, MemWrite]>]> {
  let summary = "free the CTA's own places of tensor maps after their last use";
  let arguments = (ins Variadic<Tileas_TmaDescType>:$descs);
  let assemblyFormat = "$descs attr-dict";
}

def TmaLoadOp : Tileas_Op<"tma_load", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite<Tileas_Shared>]>,
                                        Tileas_PipelineStep]> {
  let summary = "start TMA copies of a tile into a buffer of the producer's stage";
  let description = [{
    `offsets` is the tile's corner in the view, in elements. `splitDim` is the dimension of the view along which the
    tile consists of several boxes, which are consecutive in the buffer. Each of them may consist of `rowBoxes` along
    `rowDim`, also consecutive.

    Where `shared` is true, the CTAs of the cluster load the same tile: each copies an equal share of the boxes to all
    of them, the one of rank 0 the first. It is the same in all CTAs; the pipeline has their number as `cluster`.

    ```
    tileas.tma_load %b[%k, %n] into %p[1] split 1 by 4 shared %same : ...           boxes 0 and 1 from rank 0
    tileas.tma_load %a[%m, %k] into %p[0] split 1 by 1 rows 2 along 0 shared %same : ...
    ```
  }];
  let arguments = (ins Tileas_TmaDescType:$desc, Variadic<Index>:$offsets, Tileas_PipelineType:$pipeline, I64Attr:$index,
                       I64Attr:$splitDim, I64Attr:$boxes, DefaultValuedAttr<I64Attr, "0">:$rowDim,
                       DefaultValuedAttr<I64Attr, "1">:$rowBoxes, Optional<I1>:$shared,
                       Optional<Tileas_PipelineStateType>:$state);
  let assemblyFormat = [{
    $desc `[` $offsets `]` `into` $pipeline `[` $index `]` `split` $splitDim `by` $boxes
    (`rows` $rowBoxes^ `along` $rowDim)? (`shared` $shared^)? (`at` $state^)? attr-dict `:` type($pipeline)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$desc, "::mlir::ValueRange":$offsets, "::mlir::Value":$pipeline,
                                 "int64_t":$index, "int64_t":$splitDim, "int64_t":$boxes), [{
    build($_builder, $_state, desc, offsets, pipeline, index, splitDim, boxes, /*rowDim=*/0, /*rowBoxes=*/1,
          /*shared=*/Value(), /*state=*/Value());
  }]>];
  let extraClassDeclaration = [{
    int64_t getAllBoxes() { return getBoxes() * getRowBoxes(); }
  }];
  let hasVerifier = 1;
}

def TmaStoreOp : Tileas_Op<"tma_store", [MemoryEffects<[MemWrite, MemRead<Tileas_Shared>]>]> {
  let summary = "start TMA copies of a tile from a buffer to memory";
  let arguments = (ins Tileas_BufferType:$buffer, Tileas_TmaDescType:$desc, Variadic<Index>:$offsets, I64Attr:$splitDim,
                       I64Attr:$boxes);
  let assemblyFormat = [{
    $buffer `,` $desc `[` $offsets `]` `split` $splitDim `by` $boxes attr-dict `:` type($buffer)
  }];
}

def TmaStoreWaitOp : Tileas_Op<"tma_store_wait", [MemoryEffects<[MemRead<Tileas_Shared>, MemWrite]>]> {
  let summary = "wait until all TMA stores but the newest `pending` have read `buffers`";
  let arguments = (ins Variadic<Tileas_BufferType>:$buffers, I64Attr:$pending);
  let assemblyFormat = "$buffers `but` $pending attr-dict `:` type($buffers)";
}

#endif
