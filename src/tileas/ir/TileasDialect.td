// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_TILEAS_IR_DIALECT
#define TILEWRIGHT_TILEAS_IR_DIALECT

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"

def Tileas_Dialect : Dialect {
  let name = "tileas";
  let cppNamespace = "::tilewright::tileas";
  let summary = "tile programs with layouts, for the threads of one CTA";
  let description = [{
    The level on which a program is mapped to a GPU. Functions, control flow and operations on tiles are those of the
    level above (`func`, `scf`, `arith`, `math`, `tileaa`), but every tile has a layout, which assigns each element to a
    register of a thread. This dialect adds operations that move tiles between layouts and memories.

    Operations of other dialects have these attributes; any other of the namespace is refused:

    | attribute | of | is |
    |---|---|---|
    | `tileas.target` | the module | `#tileas.target`: the architecture that all passes look at, and the launch ABI |
    | `tileas.cta` | a function | `#tileas.cta`: the warps of its CTA and of every layout in it, threads, shared memory |
    | `tileas.tma_descs` | a function | an array with a `#tileas.tma_desc` for each of its last parameters |
    | `tileas.record_tracks` | a function | an array of texts: the agents of a CTA that write records, by their tracks |
    | `tileas.record_sites` | a function | an array of `#tileas.record_site`, by the words of records |
    | `tileas.host_sites` | the module | an array of `#tileas.host_site`, by the numbers in records |
    | `tileas.plan` | a function | an array of `#tileas.decision`: what is decided, and what a plan file asks for |
    | `tileas.number` | a loop, product, reduction, load or store | its number among those of its kind, in decisions on it |
    | `tileas.schedule` | a loop | `#tileas.schedule`: products that its steps start, waits and work |
    | `tileas.cost` | an operation of a loop | `#tileas.cost`: what its schedule is made from |
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = "void registerAttributes();";
  let dependentDialects = ["::tilewright::tileaa::TileaaDialect"];
}

def Tileas_LayoutAttr : AttrDef<Tileas_Dialect, "Layout", [VerifiableTensorEncoding]> {
  let mnemonic = "layout";
  let summary = "a linear layout: the registers or memory of each element of a tile";
  let description = [{
    A linear layout in the notation of docs/layouts.md. The layout of a tile in registers maps `register`, `lane` and
    `warp` to coordinates, that of a buffer in shared memory `offset`, in elements.

    ```
    #tileas.layout<"{register: (0,1), lane: (0,2) (0,4) (1,0) (2,0) (4,0)} -> 8x8">
    ```
  }];
  let parameters = (ins "::tilewright::layout::LinearLayout":$layout);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::llvm::LogicalResult verifyEncoding(::llvm::ArrayRef<int64_t> shape, ::mlir::Type elementType,
                                         ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError) const;
  }];
}

def Tileas_AtomKind : I32Enum<"AtomKind", "the kind of an mma instruction", [
  I32EnumCase<"Fma", 0, "fma">,
  I32EnumCase<"MmaSync", 1, "mma_sync">,
  I32EnumCase<"Wgmma", 2, "wgmma">,
  I32EnumCase<"Tcgen05", 3, "tcgen05">
]> {
  let cppNamespace = "::tilewright::tileas";
}

def Tileas_AtomAttr : AttrDef<Tileas_Dialect, "Atom"> {
  let mnemonic = "atom";
  let summary = "an mma instruction and its shape";
  let description = [{
    `fma` is scalar arithmetic of each thread and has no shape.

    ```
    #tileas.atom<fma>  #tileas.atom<mma_sync m16n8k16>  #tileas.atom<wgmma m64n256k16>
    ```
  }];
  let parameters = (ins "::tilewright::tileas::AtomKind":$kind, DefaultValuedParameter<"int64_t", "1">:$m,
                        DefaultValuedParameter<"int64_t", "1">:$n, DefaultValuedParameter<"int64_t", "1">:$k);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tileas_TensorMapAttr : AttrDef<Tileas_Dialect, "TensorMap"> {
  let mnemonic = "tensor_map";
  let summary = "the fields of a tensor map that its array does not give";
  let description = [{
    Those of `tileas.make_tiled_tma_desc`; `element` is its format, or the array's element type.

    ```
    #tileas.tensor_map<box [64, 32] swizzle 128 of bf16>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$box, "int64_t":$swizzle, "::mlir::Type":$element,
                        DefaultValuedParameter<"bool", "false">:$stored);
  let assemblyFormat = "`<` `box` `[` $box `]` `swizzle` $swizzle `of` $element (`stored` $stored^)? `>`";
}

def Tileas_LaunchAbi : I32Enum<"LaunchAbi", "the parameters of a kernel that a launcher has to provide", [
  I32EnumCase<"Tilewright", 0, "tilewright">,
  I32EnumCase<"Portable", 1, "portable">
]> {
  let cppNamespace = "::tilewright::tileas";
}

def Tileas_TargetAttr : AttrDef<Tileas_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "the architecture that a module is for, and its launch ABI";
  let description = [{
    By the ABI `tilewright`, the default, the launcher encodes tensor maps, chooses the number of CTAs of a persistent
    kernel and reads what kernels write for the host. By `portable` kernels have the parameters of their entries only,
    and do that by themselves.

    ```
    #tileas.target<"sm_90a">  #tileas.target<"sm_90a", abi = portable>
    ```
  }];
  let parameters = (ins StringRefParameter<"">:$name,
                        DefaultValuedParameter<"::tilewright::tileas::LaunchAbi", "LaunchAbi::Tilewright">:$abi);
  let assemblyFormat = "`<` $name (`,` `abi` `=` $abi^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    const nvidia::Architecture &getArchitecture() const;
    bool isPortable() const { return getAbi() == LaunchAbi::Portable; }
  }];
}

def Tileas_CtaAttr : AttrDef<Tileas_Dialect, "Cta"> {
  let mnemonic = "cta";
  let summary = "the CTA of a function";
  let description = [{
    - `warps`: those of every layout of the function, a power of two. tileas-plan-cta gives them.
    - `threads`: of the CTA, where agents make them more.
    - `shared_bytes`: of shared memory, once tileas-allocate-shared has assigned it.
    - `blocks_per_sm`: the function is persistent: so many CTAs of each multiprocessor take the blocks of the grid
      among themselves. The three parameters behind the kernel's own are the extents of the grid.
    - `first_blocks`: it is persistent, and its launcher launches the whole grid: blocks with a number of
      `tileas.multiprocessors` or more have nothing to do.
    - `cluster`: so many CTAs, adjacent along x, are launched as a cluster and work in step; 1 where it is missing. The
      kernel takes the extents of the grid as parameters, as the launcher rounds the grid up.
    - `split`: so many CTAs of a cluster work on a tile block, which is all of them; 1 where it is missing. The launcher
      launches so many for each tile block.
    - `resident`: so many CTAs of a multiprocessor share its registers, where agents hand some over; 1 where it is
      missing. The assembler is told, as the threads of a CTA begin with an equal share of what one CTA has.
    - `host_place`: the offset in shared memory at which the first thread tells the others where their record for the
      host is. Only a function with prints or asserts has it.

    ```
    #tileas.cta<warps = 8, threads = 384, shared_bytes = 82032, blocks_per_sm = 1>
    ```
  }];
  let parameters = (ins "int64_t":$warps, OptionalParameter<"std::optional<int64_t>">:$threads,
                        OptionalParameter<"std::optional<int64_t>">:$shared_bytes,
                        OptionalParameter<"std::optional<int64_t>">:$blocks_per_sm,
                        DefaultValuedParameter<"bool", "false">:$first_blocks,
                        OptionalParameter<"std::optional<int64_t>">:$host_place,
                        DefaultValuedParameter<"int64_t", "1">:$cluster,
                        DefaultValuedParameter<"int64_t", "1">:$resident,
                        DefaultValuedParameter<"int64_t", "1">:$split);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static CtaAttr ofWarps(::mlir::MLIRContext *context, int64_t warps);
    CtaAttr withThreads(int64_t threads) const;
    CtaAttr withSharedBytes(std::optional<int64_t> bytes) const;
    CtaAttr withBlocksPerSm(int64_t blocks) const;
    CtaAttr withFirstBlocks(bool only) const;
    CtaAttr withHostPlace(int64_t offset) const;
    CtaAttr withCluster(int64_t blocks) const;
    CtaAttr withResident(int64_t blocks) const;
    /// A cluster of so many, which all work on a tile block.
    CtaAttr withSplit(int64_t blocks) const;
  }];
}

def Tileas_ScheduleVerb : I32Enum<"ScheduleVerb", "what a step of a software-pipelined loop does", [
  I32EnumCase<"Start", 0, "start">,
  I32EnumCase<"Wait", 1, "wait">,
  I32EnumCase<"Do", 2, "do">,
  I32EnumCase<"Work", 3, "work">
]> {
  let cppNamespace = "::tilewright::tileas";
}

def Tileas_ScheduleAttr : AttrDef<Tileas_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "the schedule of a software-pipelined loop";
  let description = [{
    The products that a step of the loop starts, the waits for them and the work between, in this order and with their
    iterations, in the words of a plan (tileas/ir/ScheduleItem.h). `cycles` and `serial_cycles` are those of a step, by the schedule and in program order,
    as tileas-generate-schedule estimates them.

    ```
    #tileas.schedule<"start product.0, start product.1(i-1), wait product.0, work, wait product.1", cycles = 1200, serial_cycles = 2100>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::tilewright::tileas::ScheduleItem">:$items,
                        OptionalParameter<"std::optional<int64_t>">:$cycles,
                        OptionalParameter<"std::optional<int64_t>">:$serial_cycles);
  let assemblyFormat = [{
    `<` custom<ScheduleText>($items) (`,` `cycles` `=` $cycles^ `,` `serial_cycles` `=` $serial_cycles)? `>`
  }];
  let genVerifyDecl = 1;
}

def Tileas_Unit : I32Enum<"Unit", "a unit of a multiprocessor that executes an operation", [
  I32EnumCase<"Thread", 0, "thread">,
  I32EnumCase<"Tensor", 1, "tensor">,
  I32EnumCase<"Special", 2, "special">,
  I32EnumCase<"Memory", 3, "memory">
]> {
  let cppNamespace = "::tilewright::tileas";
}

def Tileas_CostAttr : AttrDef<Tileas_Dialect, "Cost"> {
  let mnemonic = "cost";
  let summary = "the cost of an operation of a loop, in cycles of one warpgroup";
  let description = [{
    The unit that executes it, how long it occupies the thread (`issue`) and the unit (`cycles`), and its latency, as
    tileas-prepare-for-scheduling estimates them.

    ```
    #tileas.cost<unit = tensor, issue = 32, cycles = 512, latency = 576>
    ```
  }];
  let parameters = (ins EnumParameter<Tileas_Unit>:$unit, "int64_t":$issue, "int64_t":$cycles, "int64_t":$latency);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Tileas_HostSiteKind : I32Enum<"HostSiteKind", "why a kernel writes a record for the host", [
  I32EnumCase<"Print", 0, "print">,
  I32EnumCase<"Assert", 1, "assert">
]> {
  let cppNamespace = "::tilewright::tileas";
}

def Tileas_HostSiteAttr : AttrDef<Tileas_Dialect, "HostSite"> {
  let mnemonic = "host_site";
  let summary = "a print or an assert, for the host that reads its records";
  let description = [{
    The format of a print, or the message of an assert and its place, and the types of the tiles in a record.

    ```
    #tileas.host_site<print "%d %f\0A" : tensor<64xui32>, f32>
    #tileas.host_site<assert "index" at "k.py" 12 : tensor<4xi1>>
    ```
  }];
  let parameters = (ins EnumParameter<Tileas_HostSiteKind>:$kind, StringRefParameter<"">:$text,
                        StringRefParameter<"", "\"\"">:$file, DefaultValuedParameter<"int64_t", "0">:$line,
                        OptionalArrayRefParameter<"::mlir::Type">:$tiles);
  let assemblyFormat = "`<` $kind $text custom<SitePlace>($file, $line) (`:` $tiles^)? `>`";
}

def Tileas_RecordSiteAttr : AttrDef<Tileas_Dialect, "RecordSite"> {
  let mnemonic = "record_site";
  let summary = "a part of an agent's work, for the reader of its records";
  let description = [{
    The kind of work, as `wait`, `copy` or `product`, and where in the source.

    ```
    #tileas.record_site<"product" at "k.py" 12>
    ```
  }];
  let parameters = (ins StringRefParameter<"">:$kind, StringRefParameter<"", "\"\"">:$file,
                        DefaultValuedParameter<"int64_t", "0">:$line);
  let assemblyFormat = "`<` $kind custom<SitePlace>($file, $line) `>`";
}

def Tileas_TmaDescAttr : AttrDef<Tileas_Dialect, "TmaDesc"> {
  let mnemonic = "tma_desc";
  let summary = "a tensor map that the launcher encodes for a parameter";
  let description = [{
    An array by its base, and its shape and strides by dimension, in elements: constants, or the values of parameters
    of the kernel, as `arg 1`. `box` and `swizzle` are those of `tileas.make_tiled_tma_desc`.

    ```
    #tileas.tma_desc<base = arg 0, shape = [arg 1, 64], strides = [arg 2, 1], box = [64, 64], element = bf16, swizzle = 128>
    ```
  }];
  let parameters = (ins "::tilewright::tileas::LaunchValue":$base,
                        ArrayRefParameter<"::tilewright::tileas::LaunchValue">:$shape,
                        ArrayRefParameter<"::tilewright::tileas::LaunchValue">:$strides,
                        ArrayRefParameter<"int64_t">:$box, "::mlir::Type":$element, "int64_t":$swizzle);
  let assemblyFormat = [{
    `<` `base` `=` $base `,` `shape` `=` `[` $shape `]` `,` `strides` `=` `[` $strides `]` `,` `box` `=` `[` $box `]` `,`
    `element` `=` $element `,` `swizzle` `=` $swizzle `>`
  }];
  let genVerifyDecl = 1;
}

def Tileas_Part : I32Enum<"Part", "a kernel, or a part of it that is decided on", [
  I32EnumCase<"Kernel", 0, "kernel">,
  I32EnumCase<"Loop", 1, "loop">,
  I32EnumCase<"Product", 2, "product">,
  I32EnumCase<"Load", 3, "load">,
  I32EnumCase<"Store", 4, "store">,
  I32EnumCase<"Reduction", 5, "reduction">
]> {
  let cppNamespace = "::tilewright::tileas";
}

def Tileas_DecisionKind : I32Enum<"DecisionKind", "a decision on a kernel or a part of it", [
  I32EnumCase<"Warps", 0, "warps">,
  I32EnumCase<"Persistent", 1, "persistent">,
  I32EnumCase<"Producer", 2, "producer">,
  I32EnumCase<"Atom", 3, "atom">,
  I32EnumCase<"Stages", 4, "stages">,
  I32EnumCase<"Way", 5, "way">,
  I32EnumCase<"Lhs", 6, "lhs">,
  I32EnumCase<"TileOrder", 7, "tile_order">,
  I32EnumCase<"Occupancy", 8, "occupancy">,
  I32EnumCase<"ProducerRegisters", 9, "producer_registers">,
  I32EnumCase<"Slice", 10, "slice">,
  I32EnumCase<"Cache", 11, "cache">,
  I32EnumCase<"Cluster", 12, "cluster">,
  I32EnumCase<"Form", 13, "form">,
  I32EnumCase<"Split", 14, "split">
]> {
  let cppNamespace = "::tilewright::tileas";
}

def Tileas_DecisionAttr : AttrDef<Tileas_Dialect, "Decision"> {
  let mnemonic = "decision";
  let summary = "a decision on a kernel or a part of it";
  let description = [{
    The decided value, or nothing until a pass decides; the value that a plan file asks for and the line that does; the
    place of the part in the program; and the reason. The kinds and their values are a table (tileas/ir/Decisions.cpp).

    ```
    #tileas.decision<loop 0 stages = 4 at "k.py:12" because "as many as passes use at most">
    #tileas.decision<kernel 0 warps = 8 asked 8 by "k.plan.toml:2">
    ```
  }];
  let parameters = (ins "::tilewright::tileas::Part":$part, "int64_t":$number,
                        "::tilewright::tileas::DecisionKind":$kind, "std::optional<int64_t>":$value,
                        "std::optional<int64_t>":$asked, StringRefParameter<"">:$askedBy, StringRefParameter<"">:$place,
                        StringRefParameter<"">:$reason);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class Tileas_Type<string name, string typeMnemonic> : TypeDef<Tileas_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tileas_BufferType : Tileas_Type<"Buffer", "buffer"> {
  let summary = "a tile in shared memory";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::tilewright::tileas::LayoutAttr":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Each element of a type narrower than a byte takes a byte.
    int64_t getBytes() const;
  }];
}

def Tileas_PipelineType : Tileas_Type<"Pipeline", "pipeline"> {
  let summary = "a ring of stages in shared memory, each with the same buffers";
  let parameters = (ins "int64_t":$stages, ArrayRefParameter<"::tilewright::tileas::BufferType">:$buffers);
  let assemblyFormat = "`<` $stages `x` `[` $buffers `]` `>`";
  let extraClassDeclaration = [{
    /// The offset of a buffer in its stage, aligned to 1024 bytes for swizzles.
    int64_t getBufferOffset(unsigned index) const;
    int64_t getStageBytes() const { return getBufferOffset(getBuffers().size()); }
    /// The stages are followed by two mbarriers of 8 bytes for each.
    int64_t getBytes() const { return getStages() * (getStageBytes() + 16); }
  }];
}

def Tileas_ExchangeType : Tileas_Type<"Exchange", "exchange"> {
  let summary = "a buffer through which a CTA of a cluster passes tiles to another one";
  let parameters = (ins "::tilewright::tileas::BufferType":$buffer);
  let assemblyFormat = "`<` $buffer `>`";
  let extraClassDeclaration = [{
    /// Sums of a cluster are added in so many steps at most: one for each power of two below its CTAs.
    static constexpr int64_t mostSteps = 3;
    static constexpr int64_t barrierBytes = 8;
    /// The buffer is followed by an mbarrier for each step, and another one.
    int64_t getBytes() const { return getBuffer().getBytes() + (mostSteps + 1) * barrierBytes; }
  }];
}

def Tileas_PipelineStateType : Tileas_Type<"PipelineState", "pipeline_state"> {
  let summary = "an agent's stage of a pipeline, and the parity of its round";
}

def Tileas_TmaDescType : Tileas_Type<"TmaDesc", "tma_desc"> {
  let summary = "a tensor map (TMA descriptor)";
}

#endif
