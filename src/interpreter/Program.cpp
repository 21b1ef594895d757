// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Program.h"

#include "pipeline/Pipeline.h"
#include "pipeline/entry/EntryInterface.h"
#include "support/Diagnostics.h"
#include "support/Guard.h"

using namespace mlir;

namespace tilewright::interpreter {

llvm::Expected<std::shared_ptr<Program>> Program::read(const TileIrFile &file) {
  std::shared_ptr<Program> program(new Program());
  DialectRegistry registry;
  registerPipelineDialects(registry);
  program->context = std::make_shared<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  llvm::Error error = runGuarded([&]() -> llvm::Error {
    DiagnosticCollector diagnostics(program->context.get(), {file.name, file.bytes});
    program->module = readTileIr(file, program->context.get());
    if (!program->module)
      return llvm::createStringError(diagnostics.errors());
    auto modules = llvm::to_vector(program->module->getOps<cuda_tile::ModuleOp>());
    if (modules.size() != 1)
      return llvm::createStringError(file.name + ": error: found " + llvm::Twine(modules.size()) +
                                     " Tile IR modules, expected one");
    program->prepare(modules.front());
    return llvm::Error::success();
  });
  if (error)
    return error;
  return program;
}

std::shared_ptr<Program> Program::copy(std::shared_ptr<MLIRContext> context, ModuleOp module) {
  std::shared_ptr<Program> program(new Program());
  program->context = std::move(context);
  program->module = module.clone();
  program->prepare(*program->module->getOps<cuda_tile::ModuleOp>().begin());
  return program;
}

void Program::prepare(cuda_tile::ModuleOp tileModule) {
  entries = describeEntries(*module);
  interpreter.emplace(tileModule);
}

const EntryInfo *Program::find(llvm::StringRef name) const {
  if (name.empty())
    return entries.size() == 1 ? &entries.front() : nullptr;
  auto found = llvm::find_if(entries, [&](const EntryInfo &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

llvm::Expected<LaunchResult> Program::launch(llvm::StringRef entry, std::array<int64_t, 3> grid,
                                             llvm::ArrayRef<void *> args, const Options &options) {
  std::lock_guard<std::mutex> lock(mutex);
  return interpreter->launch(entry, grid, args, options);
}

} // namespace tilewright::interpreter
