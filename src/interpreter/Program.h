// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file of Tile IR prepared for interpretation: the module with a context of its own, and the memory of its globals.
#ifndef TILEWRIGHT_INTERPRETER_PROGRAM_H
#define TILEWRIGHT_INTERPRETER_PROGRAM_H

#include "interpreter/Interpreter.h"
#include "mlir/IR/MLIRContext.h"
#include "pipeline/TileIrFile.h"
#include "runtime/Image.h"
#include <memory>
#include <mutex>

namespace tilewright::interpreter {

class Program {
public:
  // Bytecode or text with one cuda_tile.module. An error is the text of all diagnostics.
  static llvm::Expected<std::shared_ptr<Program>> read(const TileIrFile &file);
  // A copy of a verified module, with its locations.
  static std::shared_ptr<Program> copy(std::shared_ptr<mlir::MLIRContext> context, mlir::ModuleOp module);

  // The entry of that name; the only one for an empty name. Null if there is none.
  const EntryInfo *find(llvm::StringRef name) const;
  llvm::ArrayRef<EntryInfo> allEntries() const { return entries; }

  // One launch at a time: launches share the globals, and are sequential as on a stream.
  llvm::Expected<LaunchResult> launch(llvm::StringRef entry, std::array<int64_t, 3> grid, llvm::ArrayRef<void *> args,
                                      const Options &options);

private:
  Program() = default;

  void prepare(cuda_tile::ModuleOp tileModule);

  std::shared_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<Interpreter> interpreter;
  std::vector<EntryInfo> entries;
  std::mutex mutex;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_PROGRAM_H
