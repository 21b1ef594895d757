// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_TRANSFORMS_PASSES
#define TILEWRIGHT_TILEAS_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def TileasPlanCta : Pass<"tileas-plan-cta", "::mlir::func::FuncOp"> {
  let summary = "decides how many warps run a block";
  let description = [{
    Gives the function `tileas.warps`, a power of two: as many as leave a thread 16 to 32 elements of the largest tile, 4 at
    least for tiles of some size and 8 at most where that leaves no more than 128; a hint `num_worker_warps_per_cta` is kept where
    it is a power of two of at most 32. A remark answers it, and `num_cta_in_cga`: there are no clusters.
  }];
}

def TileasLegalizeReduce : Pass<"tileas-legalize-reduce", "::mlir::func::FuncOp"> {
  let summary = "reductions end within a warp";
  let description = [{
    A `tileaa.reduce` whose dimension several warps share becomes two: each warp reduces its part, the partial results
    change their layout to one where every warp has them all, and are reduced again. See `tileas.split_warps` for an
    example. Other reductions stay.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasMaterializeConvertLayout : Pass<"tileas-materialize-convert-layout", "::mlir::func::FuncOp"> {
  let summary = "conversions between warps go through buffers";
  let description = [{
    A `tileas.convert_layout` for which registers and shuffles do not suffice, or are dearer, becomes a write to a new
    buffer and a read from it; the buffer's layout is that of `layout::planConversion`, with the fewest bank conflicts.
    The others stay, for tileas-to-nvvm.

    Where the buffers of whole tiles need more shared memory than a block has, tiles go through it in parts that are each
    in registers of its own: `tileaa.extract`, the conversion of the part, `tileaa.insert`. Where that is too much too,
    what is in a buffer for several operations is written to one for each.

    ```
    %y = tileas.convert_layout %x   -->   %b = tileas.alloc : !tileas.buffer<...>
                                          tileas.write %x, %b
                                          %y = tileas.read %b
    ```
  }];
  let options = [Option<"alwaysSwizzle", "always-swizzle", "bool", "false",
                        "units of 16 bytes also change places where the buffer has no bank conflicts without">,
                 Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasLegalizeElementwise : Pass<"tileas-legalize-elementwise", "::mlir::func::FuncOp"> {
  let summary = "elementwise work as what the architecture has instructions for";
  let description = [{
    Functions become arithmetic (tileaa/transforms/functions), conversions and roundings that the architecture lacks
    become work on bits, as by tileaa-legalize-elementwise. What it has stays: `tileaa.float` of f32 and f64 by any
    rounding or with `flush`, `tileaa.convert` of floats of eight bits on sm_89 and newer and to tf32 on sm_90, `exp`, `exp2` and `rsqrt` of
    f32, and `tanh`, `sqrt` and division that may be rough (`afn`); nvidia-scalar-instructions writes those. An `exp` that may be rough becomes
    `tileaa.float exp2` with `flush`.

    Types keep their layouts. At this level each operation is still one, and not one per register.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">,
                 Option<"libdevice", "libdevice", "bool", "false", "precise functions of f32 stay, for call-libdevice">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileasDynamicPersistent : Pass<"tileas-dynamic-persistent", "::mlir::func::FuncOp"> {
  let summary = "as many blocks as the GPU runs at a time take the grid's blocks among themselves";
  let description = [{
    A kernel whose warpgroups multiply in loops that are as long in every block becomes a loop over blocks: its agents
    then load for the next block while they store for this one. It gets three parameters, the extents of the grid as it
    was asked for, and `tileas.blocks_per_sm`, by which the launcher chooses how many are launched.

    ```
    %x, %y, %z = tileaa.block_id             %b, ... = tileaa.block_id          // of those that are launched
    ...                               -->    %n, ... = tileaa.num_blocks
                                             scf.for %i = %b to %gx * %gy * %gz step %n {
                                               %x = %i mod %gx ...
    ```
    With `whole-grid` the launcher knows nothing of that and launches all blocks: as many as there are multiprocessors
    take the work of all, and the others, which have `tileas.first_blocks` to see it by, leave at once.

    What comes before the products in each block, as the rows that a gather is of, is not exchanged between threads: small tiles
    that change their layout are loaded and computed in both, so that nobody waits while nothing multiplies.

    Left alone: kernels with loops whose length depends on the block, which hardware hands out better, one at a time;
    kernels with several loops of products, which ptxas then serializes (C7519); kernels whose blocks may wait for each other (atomics, fences); kernels that print or assert.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"", "architecture, as in sm_90">,
                 Option<"wholeGrid", "whole-grid", "bool", "false", "for launchers that launch the grid as it was asked for">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileasLegalizeTmemCopy : Pass<"tileas-legalize-tmem-copy", "::mlir::func::FuncOp"> {
  let summary = "sums of products by tcgen05 are in tensor memory";
  let description = [{
    A product by the atom `tcgen05` gets tensor memory from the function's beginning to its end. One whose sums only the
    next iteration wants adds to them there, and the loop carries them no more; what was added to before is stored first,
    but zeros are not: the first product does not add. Who wants the sums loads them after the loop, or after the product.

    ```
    %r = scf.for %i = %0 to %n iter_args(%s = %zeros) {      %t = tileas.tmem_alloc
      %d = tileas.mma <tcgen05 ...> %a, %b, %s               scf.for %i = %0 to %n {
      scf.yield %d                                    -->      tileas.tmem_mma %a, %b, %t if %i != %0
    }                                                        }
                                                             tileas.tmem_wait %t
                                                             %r = tileas.tmem_load %t
                                                             ...
                                                             tileas.tmem_dealloc %t
    ```
    A loop that may have no iteration stores zeros before it if it has none. Postcondition: no `tileas.mma` is by `tcgen05`.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileasMaterializeAsync : Pass<"tileas-materialize-async", "::mlir::func::FuncOp"> {
  let summary = "loads that feed products come ahead of them, by an agent of their own";
  let description = [{
    Where warpgroups multiply out of shared memory and the tensor memory accelerator can make the copies, the function
    becomes two agents. The producer's loops are copies of the function's with nothing in them but the loads; the
    consumers' find the tiles in the stages of a pipeline.

    ```
    scf.for {                                   agents {  scf.for {
      %a = tileaa.load_view %x[...]               tileas.consumer_wait %p
      %m = tileas.alloc                           %m = tileas.consumer_read %p[0]
      tileas.write %a, %m              -->        %d = tileas.mma %m, ...
      %d = tileas.mma %m, ...                     tileas.consumer_release %p
    }                                           } }, { scf.for {
                                                  tileas.producer_acquire %p
                                                  tileas.tma_load %desc[...] into %p[0]
                                                  tileas.producer_commit %p
                                                } }
    ```
    What is loaded before a loop and read inside of it has a pipeline of one stage. Loops one after another share
    pipelines of the same buffers.

    An operand that is loaded through addresses is copied by all threads of the producer's warps (cp.async), which compute
    addresses and masks from numbers and from what they load themselves, with the tiles' layouts in as many warps as they are:

    ```
    tileas.producer_acquire %p
    tileas.async_load_ptr %addresses mask %m into %p[0]     // by each of 128 threads
    tileas.tma_load %desc[...] into %p[1]                   // by the first
    tileas.producer_commit %p                               // full with the last of all these copies
    ```
    A load stays as it is where its view is not described by the kernel's parameters, its address or strides are not known to
    be multiples of 16 bytes, it is padded with anything but zeros, or what it depends on (bounds, offsets,
    conditions) is computed from tiles or read from memory; a remark says which. Where one operand is gathered and a producer
    cannot (no 4 bytes are known to lie one after another, or where they are is computed from what threads exchange), or cannot bring the
    other, the threads that multiply copy both, by tileas-unspecialized-pipeline; and so they do where the hint `allow_tma`
    forbids the accelerator for an operand of a loop's product. `stages` is how many there are at most, more where the hint
    `latency` of a load wants it so many iterations ahead; as many are made as shared memory has room for. `allow_tma` of
    loads is answered here, `latency` of what the producer loads.
    The producer keeps 24 registers a thread, 72 where it gathers; the consumers get the rest of those the block is launched with.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"", "architecture, as in sm_90">,
                 Option<"numStages", "num-stages", "int64_t", "8", "the most stages of a pipeline">,
                 Option<"ownDescs", "own-descs", "bool", "false",
                        "for kernels that encode tensor maps themselves: those without a loop of products are left alone">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasUnspecializedPipeline : Pass<"tileas-unspecialized-pipeline", "::mlir::func::FuncOp"> {
  let summary = "loads that feed products come ahead of them, by the threads that multiply";
  let description = [{
    In an `scf.for` whose products multiply what it loads, and where no agent does it, the threads of the block start copies
    (cp.async) of later iterations' tiles into the stages of a pipeline before they multiply those of this one. Products by
    `mma_sync` read their fragments from the stage as they need them; what is computed from a tile first reads it.

    ```
    scf.for %i = %0 to %n {                     tileas.async_load %x[...0] into %p[0, 0] if %n > 0
      %a = tileaa.load_view %x[...i]            tileas.async_commit
      %f = tileas.convert_layout %a      -->    scf.for %i = %0 to %n iter_args(%now = 0, %next = 1, %left = %n) {
      %d = tileas.mma %f, ...                     tileas.async_wait %p, 0
    }                                             tileas.async_load %x[...i + 1] into %p[%next, 0] if %left > 1
                                                  tileas.async_commit
                                                  %b = tileas.stage %p[%now, 0]
                                                  %d = tileas.mma %b, ...
                                                }
    ```
    `stages` is how many there are at most; as many are made as shared memory has room for: half of the SM's where a second
    block has registers there and three stages have room, else all that a block may have. The tile lies in a stage so that
    fragments are read without bank conflicts. The hint `latency` of a load, so many iterations ahead, raises both limits; it
    is answered here for all that threads load.

    A load of which no 4 bytes are known to begin at a multiple of 4 and to be inside of the array all or none goes through
    registers: it is made at the begin of an iteration and written to the next stage at its end. A product of warpgroups whose
    sums only the next one wants is left running, and stages are filled one iteration later.

    A load stays as it is where it is padded with anything but zeros, comes after something that the loop writes, is at a place
    that is computed from tiles or read from memory, or would need more registers than a thread has; a remark says which. The
    loop may have any number of iterations, also none.

    Postcondition: copies into a stage start after a wait that all threads came to when they had read it, and no copy is on its
    way when the loop is over.
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">,
                 Option<"numStages", "num-stages", "int64_t", "4", "the most stages of a pipeline">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect"];
}

def TileasRecomputeForScheduling : Pass<"tileas-recompute-for-scheduling", "::mlir::func::FuncOp"> {
  let summary = "addresses and masks of an epilogue are computed behind the loop";
  let description = [{
    Tiles of integers that are computed from scalars and the numbers of elements, before a loop that multiplies, and that are
    used behind it, as where results go and whether they do, are computed there again: registers that hold them in the
    loop are those of its sums. The iota says `tileas.again`, so that nobody finds that it is the same and keeps it.

    ```
    %i = tileaa.iota                           %i = tileaa.iota
    %p = arith.addi %base, %i                  %p = arith.addi %base, %i
    %x = tileaa.load_ptr %p                    %x = tileaa.load_ptr %p
    %y = scf.for ... {                 -->     %y = scf.for ... {
      tileas.mma ...                             tileas.mma ...
    }                                          }
    tileaa.store_ptr %p, %y                    %j = tileaa.iota {tileas.again}
                                               %q = arith.addi %base, %j
                                               tileaa.store_ptr %q, %y
    ```
    Left alone: what the loop uses, too; what takes more than 32 operations, a division, a float or what was loaded or
    exchanged between threads; everything where a thread has no more than 8 registers of any of them.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect"];
}

def TileasStoreByTma : Pass<"tileas-store-by-tma", "::mlir::func::FuncOp"> {
  let summary = "results go to memory through shared memory, by the tensor memory accelerator";
  let description = [{
    A tile whose layout had to be changed to be stored well, as a product's, is written to a buffer as it is, from where
    one thread starts copies. Elements outside of the array are the hardware's to leave out. A store that other accesses
    come after, or whose array the launcher cannot describe, or whose hint `allow_tma` forbids it, stays; a remark says so. The hints of
    stores are answered here.

    A tile of several boxes of which each is in registers of its own goes box by box through two buffers.

    ```
    %y = tileas.convert_layout %x              %b = tileas.alloc, %c = tileas.alloc
    tileaa.store_view %y, %v[%i, %j]    -->    tileas.tma_store_wait %b, %c but 1
                                               %p = tileaa.extract %x[0, 0]
                                               tileas.write %p, %b
                                               tileas.tma_store %b, %desc[%i, %j]
                                               tileas.tma_store_wait %b, %c but 1
                                               %q = tileaa.extract %x[0, 64]
                                               tileas.write %q, %c
                                               ...
                                               tileas.tma_store_wait %b, %c but 0       // where the kernel ends
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_90a\"", "architecture, as in sm_90">,
                 Option<"preferTma", "prefer-tma", "bool", "false", "stores whose tiles need no other layout, too">,
                 Option<"delayWait", "delay-wait", "bool", "false",
                        "a buffer for each part where they fit, so that no part waits for another">,
                 Option<"ownDescs", "own-descs", "bool", "false",
                        "for kernels that encode tensor maps themselves: those without a loop of products are left alone">];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasAttachTmaDescArgs : Pass<"tileas-attach-tma-desc-args", "::mlir::func::FuncOp"> {
  let summary = "tensor maps become parameters that the launcher encodes";
  let description = [{
    Each `tileas.make_tiled_tma_desc` becomes a parameter behind the kernel's own, and the function gets `tileas.tma_descs`:
    for each what the launcher has to encode, as numbers and places of parameters. Equal ones share a parameter.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasWriteTmaDescs : Pass<"tileas-write-tma-descs", "::mlir::func::FuncOp"> {
  let summary = "tensor maps are encoded by the kernel, where no launcher does it";
  let description = [{
    Each `tileas.make_tiled_tma_desc` goes to the top of the function with what it describes, and all of them are written
    there, once for a block, and released at its end. Equal ones become one.

    ```
    %v = tileaa.make_view %p ...                        %v = tileaa.make_view %p ...
    ...                                          -->    %d = tileas.make_tiled_tma_desc %v ...
    %d = tileas.make_tiled_tma_desc %v ...              %s = tileas.alloc : !tileas.buffer<256xi8, ...>
    ...                                                 tileas.write_tma_descs %d by %s
                                                        ...
                                                        tileas.release_tma_descs %d
    ```
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasLegalizeScan : Pass<"tileas-legalize-scan", "::mlir::func::FuncOp"> {
  let summary = "scans end within a warp";
  let description = [{
    A `tileaa.scan` whose dimension several warps share, where the warp's number is the highest bits of the place along it,
    becomes pieces: each warp scans its own and reduces it to a total, every thread gets the totals of all warps and scans
    them exclusively (`tileas.exclusive`: each element gets what came before it), and what came before a warp's piece is
    combined with each of its elements. Where warps share the dimension otherwise, or a body does not work on each element
    alone, the tile gets a layout with whole lines in each warp, and the result the old one again.

    ```
    %s = tileaa.scan %x : 1024    -->    %p = tileaa.reshape %x : 4x256         // a row for each warp
                                         %i = tileaa.scan %p along 1
                                         %t = tileaa.reduce %p along 1          // the totals
                                         %b = tileaa.scan %t' along 0 {tileas.exclusive}
                                         %s = tileaa.reshape (%b' + %i)
    ```
    Postcondition: along the dimension of each scan, every bit of a place is one bit of the register or the lane.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasUnrollRegisterLoops : Pass<"tileas-unroll-register-loops", "::mlir::func::FuncOp"> {
  let summary = "loops over the parts of a tile that a thread has in registers";
  let description = [{
    Registers have no numbers that are computed. A loop of at most 16 iterations, as many as it says, that takes or puts the
    part of a tile which the iteration is for, is written out where each part is in registers of its own; else
    tileas-legalize-slices takes parts from shared memory and chooses each element to put.

    ```
    scf.for %i = 0 to 2 {                              %a = tileaa.extract %x[%c0, 0]
      %o = arith.muli %i, 8                      -->   "use"(%a)
      %p = tileaa.extract %x[%o, 0]                    %b = tileaa.extract %x[%c8, 0]
      "use"(%p)                                        "use"(%b)
    }
    ```
    Left alone: loops with other loops in them, or of more than 512 operations when written out, and those that load what
    they multiply, which is copied ahead in loops only.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect", "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def TileasLegalizeSlices : Pass<"tileas-legalize-slices", "::mlir::func::FuncOp"> {
  let summary = "parts of tiles are taken and put where a thread has them";
  let description = [{
    - `tileaa.cat`: both tiles get one layout, and the result that layout with one more bit of the register between them.
    - `tileaa.insert`: the part gets the layout of the whole, as if it were repeated over it; each thread then chooses by
      the place of an element, wherever the part goes.
    - `tileaa.extract`: stays where offsets are known and a thread has its elements of all parts, in registers that only
      differ by the part. Otherwise the tile goes into a buffer, once for all of its parts, and the part is read from there.

    ```
    %y = tileaa.extract %x[%i, %c0]    -->    %b = tileas.alloc
                                              tileas.write %x, %b
                                              %y = tileas.read %b[%i, %c0]
    ```
    Offsets are multiples of the part's extents.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasLegalizeAtomics : Pass<"tileas-legalize-atomics", "::mlir::func::FuncOp"> {
  let summary = "all threads learn what one found";
  let description = [{
    An atomic, or a load with an ordering, looks at each element once: in the thread that holds it and no copy of it, for a
    scalar in the first of the block. Where others have copies of the result, which is used, they read it from a buffer:

    ```
    %old = tileaa.atomic_rmw ... : i32    -->    %old = tileaa.atomic_rmw ... : i32
                                                 %t = tileaa.reshape %old : i32 -> tensor<1xi32, #everywhere>
                                                 tileas.write %t, %b      // stored once
                                                 %u = tileas.read %b
                                                 %all = tileaa.reshape %u : tensor<1xi32, #everywhere> -> i32
    ```
    Control flow that depends on such a value is then the same in all threads.
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

def TileasAllocateShared : Pass<"tileas-allocate-shared", "::mlir::func::FuncOp"> {
  let summary = "buffers get their places in shared memory";
  let description = [{
    Every `tileas.alloc` gets its `offset` and every `tileaa.alloca` the attribute `tileas.offset`, in bytes from the
    beginning of the block's shared memory; the function gets the bytes of all in `tileas.shared_bytes`. Two buffers
    share memory unless both are needed at the same time: a buffer is, from its first access to its last one, through
    whole loops where it was made before them. Where memory that others had is written, tileas-insert-barriers makes
    threads wait.

    A buffer begins at a multiple of 128 bytes, one that the tensor memory accelerator or a product accesses at a
    multiple of 1024. More than the architecture has is an error of the program.

    ```
    %a = tileas.alloc : ...  // 4 KB      -->   %a = tileas.alloc at 0 : ...
    tileas.write %x, %a                         ...
    %y = tileas.read %a                         ...
    %b = tileas.alloc : ...                     %b = tileas.alloc at 0 : ...
    ```
  }];
  let options = [Option<"arch", "arch", "std::string", "\"sm_80\"", "architecture, as in sm_90">];
}

def TileasInsertBarriers : Pass<"tileas-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "threads wait where one accesses what another did";
  let description = [{
    Puts a `tileas.barrier` before an access that has to come after one of other threads, where none stands between:

    - of buffers whose bytes overlap, if one of the two writes, unless both are stages of one pipeline, whose waits order them;
    - of global memory, if one of the two writes and the later comes after the earlier by its token, unless each thread
      meets its own elements only: the same box of the same view, in the same layout without copies;
    - before an access with `release`, of any global memory that was accessed before it; after one with `acquire`, of
      any that is accessed then. A fence is both.

    Iterations of a loop follow each other, and sides of a branch do not. Before it buffers have their places
    (tileas-allocate-shared).

    ```
    tileas.write %x, %b         -->    tileas.write %x, %b
    %y = tileas.read %b                tileas.barrier
                                       %y = tileas.read %b
    ```
  }];
  let dependentDialects = ["::tilewright::tileas::TileasDialect"];
}

#endif
