// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Executable.h"

#include "runtime/HostSymbols.h"
#include "target/cpu/Backends.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace tilewright {
namespace {

Expected<std::unique_ptr<orc::LLJIT>> createJit() {
  initializeBackends();
  // Kernels have no static constructors and throw nothing: no platform support is needed.
  auto jit =
      orc::LLJITBuilder().setPlatformSetUp(orc::setUpInactivePlatform).setLinkProcessSymbolsByDefault(false).create();
  if (!jit)
    return jit.takeError();

  orc::SymbolMap symbols;
  for (const HostSymbol &symbol : hostSymbols())
    symbols[(*jit)->mangleAndIntern(symbol.name)] = {orc::ExecutorAddr::fromPtr(symbol.address),
                                                     JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  if (Error error = (*jit)->getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))))
    return error;
  return jit;
}

} // namespace

Executable::Executable() = default;
Executable::~Executable() = default;

Expected<std::shared_ptr<Executable>> Executable::load(Image image) {
  std::shared_ptr<Executable> executable(new Executable());
  auto jit = createJit();
  if (!jit)
    return jit.takeError();
  executable->jit = std::move(*jit);
  executable->remarkText = std::move(image.remarks);

  if (Error error = executable->jit->addObjectFile(MemoryBuffer::getMemBufferCopy(image.object, "tilewright")))
    return error;
  for (EntryInfo &info : image.entries) {
    auto address = executable->jit->lookup(info.name);
    if (!address)
      return address.takeError();
    Entry &entry = executable->loaded.emplace_back();
    entry.function = address->toPtr<tilewright_kernel>();
    entry.scratchBytes = info.scratchBytes;
    entry.info = std::move(info);
  }
  return executable;
}

const Executable::Entry *Executable::find(StringRef name) const {
  if (name.empty())
    return loaded.size() == 1 ? &loaded.front() : nullptr;
  for (const Entry &entry : loaded)
    if (entry.info.name == name)
      return &entry;
  return nullptr;
}

} // namespace tilewright
