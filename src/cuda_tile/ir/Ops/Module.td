// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CUDA_TILE_IR_OPS_MODULE_TD
#define TILEWRIGHT_CUDA_TILE_IR_OPS_MODULE_TD

include "cuda_tile/ir/Ops/Base.td"

def CudaTile_ModuleOp : CudaTile_Op<"module", 0x4B, "13.1", "module",
    [Symbol, SymbolTable, IsolatedFromAbove, NoRegionArguments, NoTerminator, SingleBlock,
     OpAsmOpInterface]> {
  let summary = "entries and globals that are compiled together";
  let section = "the file itself";
  let arguments = (ins SymbolNameAttr:$sym_name, AddedIn<"13.3", OptionalAttr<StrAttr>>:$producer);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name)>];
  let assemblyFormat = "$sym_name (`producer` $producer^)? attr-dict-with-keyword $body";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getDefaultDialect() { return "cuda_tile"; }
  }];
}
def CudaTile_EntryOp : CudaTile_Op<"entry", 0x16, "13.1", "module",
    [FunctionOpInterface, IsolatedFromAbove, SingleBlockImplicitTerminator<"ReturnOp">,
     OpAsmOpInterface]> {
  let summary = "kernel";
  let section = "Func";
  let description = "Parameters are scalars and pointers; block arguments of the body are the parameters.";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
      AddedIn<"13.5", OptionalAttr<DictArrayAttr>>:$arg_attrs, OptionalAttr<DictArrayAttr>:$res_attrs,
      OptionalAttr<CudaTile_OptimizationHintsAttr>:$optimization_hints);
  let regions = (region SizedRegion<1>:$body);
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::FunctionType":$type)>];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static ::llvm::StringRef getDefaultDialect() { return "cuda_tile"; }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return &getBody(); }
  }];
}
def CudaTile_PreviewCallOp : CudaTile_Op<"preview$call", 0x4002, "preview", "module", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "call of a foreign function of a linked library";
  let arguments = (ins Variadic<CudaTile_AnyValue>:$operands, StrAttr:$callee, ArrayAttr:$const_args,
      OptionalAttr<ArrayAttr>:$arg_attrs, OptionalAttr<ArrayAttr>:$res_attrs);
  let results = (outs Variadic<CudaTile_AnyValue>:$results);
  let assemblyFormat = [{
    $callee `(` $operands `)` attr-dict `:` custom<Signature>(type($operands), type($results))
  }];
}

#endif
