// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a kernel comes from: files, subprograms and scopes, and the location an operation has in them.
#ifndef TILEWRIGHT_CUDA_TILE_IR_DEBUGINFO_TD
#define TILEWRIGHT_CUDA_TILE_IR_DEBUGINFO_TD

include "cuda_tile/ir/Attrs.td"

class CudaTile_DebugAttr<string name, string attrMnemonic> : CudaTile_Attr<name, attrMnemonic> {
  let genMnemonicAlias = 1;
  let assemblyFormat = "`<` struct(params) `>`";
}

def CudaTile_DIFileAttr : CudaTile_DebugAttr<"DIFile", "di_file"> {
  let summary = "source file";
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$directory);
  let assemblyFormat = "`<` $name `in` $directory `>`";
}
def CudaTile_DICompileUnitAttr : CudaTile_DebugAttr<"DICompileUnit", "di_compile_unit"> {
  let summary = "compilation unit";
  let parameters = (ins "::tilewright::cuda_tile::DIFileAttr":$file);
}
def CudaTile_DISubprogramAttr : CudaTile_DebugAttr<"DISubprogram", "di_subprogram"> {
  let summary = "function of the source, under the name of its entry";
  let parameters = (ins "::tilewright::cuda_tile::DIFileAttr":$file, "unsigned":$line, "::mlir::StringAttr":$name,
                        "::mlir::StringAttr":$linkageName, "::tilewright::cuda_tile::DICompileUnitAttr":$compileUnit,
                        "unsigned":$scopeLine);
}
def CudaTile_DILexicalBlockAttr : CudaTile_DebugAttr<"DILexicalBlock", "di_lexical_block"> {
  let summary = "block inside of a subprogram or of another block";
  let parameters = (ins "::tilewright::cuda_tile::DILocalScopeAttr":$scope, "::tilewright::cuda_tile::DIFileAttr":$file,
                        "unsigned":$line, "unsigned":$column);
}

def CudaTile_DILocAttr : LocationAttrDef<CudaTile_Dialect, "DILoc"> {
  let mnemonic = "di_loc";
  let summary = "location in a scope";
  let description = [{Inlined operations have a `callsite` of two such locations, as in MLIR.}];
  let parameters = (ins "::mlir::FileLineColLoc":$sourceLoc, "::tilewright::cuda_tile::DILocalScopeAttr":$scope);
  let assemblyFormat = "`<` $sourceLoc `in` $scope `>`";
}

#endif
