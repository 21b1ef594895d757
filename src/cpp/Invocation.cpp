// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/Invocation.h"
#include "clang/Basic/FileManager.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace tilewright::cpp {

std::string clangProgram() {
  return TILEWRIGHT_CPP_CLANG;
}

std::string headerFolder() {
  llvm::SmallString<128> self(llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&headerFolder)));
  llvm::SmallString<128> folder = llvm::sys::path::parent_path(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(folder, "include");
  return llvm::sys::fs::exists(folder + "/tilewright/cuda_tile.h") ? folder.str().str() : TILEWRIGHT_CPP_HEADERS;
}

bool run(const Invocation &invocation, std::unique_ptr<FrontendAction> action) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto &file : invocation.files)
    memory->addFile(file.first(), 0, llvm::MemoryBuffer::getMemBufferCopy(file.second, file.first()));
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  files->pushOverlay(memory);

  // The name of the compiler tells where its own headers are.
  std::vector<std::string> arguments = {clangProgram(), "-fsyntax-only", "-xc++", "-std=c++20"};
  arguments.push_back("-isystem" + headerFolder());
  arguments.push_back("-isystem" + headerFolder() + "/tilewright");
  llvm::append_range(arguments, invocation.arguments);
  arguments.push_back(invocation.input);
  auto manager = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), files);
  tooling::ToolInvocation clang(arguments, std::move(action), manager.get());
  if (invocation.diagnostics)
    clang.setDiagnosticConsumer(invocation.diagnostics);
  return clang.run();
}

} // namespace tilewright::cpp
