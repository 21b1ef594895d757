// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_ASYNC_PASSES
#define TILEWRIGHT_TILEAS_ASYNC_PASSES

include "mlir/Pass/PassBase.td"

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

#endif
