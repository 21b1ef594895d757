// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tile IR as files hold it: bytecode, known by its first bytes whatever the file is called, or text.
#ifndef TILEWRIGHT_PIPELINE_TILEIRFILE_H
#define TILEWRIGHT_PIPELINE_TILEIRFILE_H

#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/ir/CudaTile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace tilewright {

struct TileIrFile {
  llvm::StringRef bytes;
  llvm::StringRef name; // for messages
};

// Reads and verifies either form; null after diagnostics. The builtin module has the contents of the file, a
// cuda_tile.module for Tile IR. Text may also be the entries and globals alone, as NVIDIA's tileirdisasm prints them.
mlir::OwningOpRef<mlir::ModuleOp> readTileIr(const TileIrFile &file, mlir::MLIRContext *context);

struct TextOptions {
  bool debugInfo = false;  // with locations
  bool moduleLines = true; // without: as tileirdisasm prints it
};

// Reads the one cuda_tile.module of a file and hands it to `write`. Runs guarded, in a context of its own; an error is
// the text of all diagnostics.
llvm::Expected<std::string>
processTileIr(const TileIrFile &file,
              llvm::function_ref<mlir::LogicalResult(cuda_tile::ModuleOp, llvm::raw_ostream &)> write);

// Bytecode with whatever locations it can have: those without a scope get one.
mlir::LogicalResult writeTileIr(cuda_tile::ModuleOp module, cuda_tile::BytecodeVersion version, llvm::raw_ostream &os);

llvm::Expected<std::string> disassemble(const TileIrFile &file, const TextOptions &options);
// The bytecode of a version such as "13.3"; of the newest if empty.
llvm::Expected<std::string> assemble(const TileIrFile &file, llvm::StringRef version);

} // namespace tilewright

#endif // TILEWRIGHT_PIPELINE_TILEIRFILE_H
