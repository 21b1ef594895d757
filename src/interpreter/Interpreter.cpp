// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Interpreter.h"

#include "interpreter/Context.h"
#include "interpreter/memory/Memory.h"
#include "support/CrashSignals.h"

using namespace mlir;

namespace tilewright::interpreter {

// A frame holds every value of the entry, as nothing is plainer. No kernel for a GPU comes near this.
constexpr uint64_t maxFrameBytes = uint64_t(4) << 30;

// The entry to run: by name, or the only one.
static llvm::Expected<cuda_tile::EntryOp> findEntry(cuda_tile::ModuleOp module, llvm::StringRef name) {
  auto entries = llvm::to_vector(module.getOps<cuda_tile::EntryOp>());
  auto list = [&] {
    return llvm::join(llvm::map_range(entries, [](cuda_tile::EntryOp entry) { return entry.getSymName().str(); }),
                      ", ");
  };
  if (name.empty() && entries.size() == 1)
    return entries.front();
  if (name.empty())
    return llvm::createStringError("the module has " + llvm::Twine(entries.size()) + " entries (" + list() +
                                   "), name the one to run");
  for (cuda_tile::EntryOp entry : entries)
    if (entry.getSymName() == name)
      return entry;
  return llvm::createStringError("the module has no entry '" + name + "', it has: " + list());
}

static llvm::Error runBlock(cuda_tile::EntryOp entry, Context &context, llvm::ArrayRef<Value> arguments) {
  for (auto [parameter, value] : llvm::zip_equal(entry.getBody().getArguments(), arguments))
    context.set(parameter, value);
  if (context.monitor)
    context.monitor->beginBlock(context.block);
  if (llvm::Error error = context.run(entry.getBody()))
    return error;
  if (context.monitor) {
    context.monitor->endBlock();
    for (const OwnedMemory &memory : context.allocas)
      context.monitor->released(memory.address(), memory.bytes());
  }
  return llvm::Error::success();
}

llvm::Expected<LaunchResult> Interpreter::launch(llvm::StringRef name, std::array<int64_t, 3> grid,
                                                 llvm::ArrayRef<void *> args, const Options &options) {
  auto entry = findEntry(module, name);
  if (!entry)
    return entry.takeError();
  Block &body = entry->getBody().front();
  if (args.size() != body.getNumArguments())
    return llvm::createStringError("entry '" + entry->getSymName() + "' has " + llvm::Twine(body.getNumArguments()) +
                                   " parameters, got " + llvm::Twine(args.size()) + " arguments");
  llvm::SmallVector<Value> arguments;
  for (auto [parameter, data] : llvm::zip_equal(body.getArguments(), args)) {
    Tile scalar(llvm::cast<cuda_tile::TileType>(parameter.getType()));
    scalar.bits.front() = readBytes(static_cast<const char *>(data), storageBytes(scalar.element));
    arguments.push_back(std::move(scalar));
  }
  for (const Globals::Global &global : globals.all())
    if (!global.memory.address())
      return errorAt(global.op, "there is no memory of " + llvm::Twine(global.memory.bytes()) +
                                    " bytes at a multiple of " +
                                    llvm::Twine(cuda_tile::GlobalOp(global.op).getAlignment()));
  Places places(*entry);
  if (places.frameBytes() > maxFrameBytes)
    return errorAt(*entry, "the tiles of the entry take " + llvm::Twine(places.frameBytes()) +
                               " bytes while a block runs, expected at most " + llvm::Twine(maxFrameBytes));
  CrashSignals signals;
  LaunchResult result;
  int64_t steps = 0;
  if (options.monitor) {
    options.monitor->beginLaunch(*entry, arguments, grid);
    for (const Globals::Global &global : globals.all())
      options.monitor->allocated(global.op, global.memory.address(), global.memory.bytes());
  }
  for (int64_t z = 0; z < grid[2]; ++z)
    for (int64_t y = 0; y < grid[1]; ++y)
      for (int64_t x = 0; x < grid[0]; ++x) {
        Context context(places, options, globals, result, steps);
        context.grid = grid;
        context.block = {x, y, z};
        if (llvm::Error error = runBlock(*entry, context, arguments))
          return error;
        if (result.failure)
          return result;
      }
  if (options.monitor)
    options.monitor->endLaunch();
  return result;
}

} // namespace tilewright::interpreter
