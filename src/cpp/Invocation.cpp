// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/Invocation.h"
#include "cpp/HintSyntax.h"
#include "clang/Basic/FileManager.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <dlfcn.h>

using namespace clang;

namespace tilewright::cpp {

std::string clangProgram() {
  return TILEWRIGHT_CPP_CLANG;
}

std::string headerFolder() {
  Dl_info info;
  llvm::SmallString<128> library;
  if (dladdr(reinterpret_cast<void *>(&headerFolder), &info) && info.dli_fname)
    llvm::sys::fs::real_path(info.dli_fname, library);
  StringRef folder = llvm::sys::path::parent_path(library);
  for (StringRef prefix : {folder, llvm::sys::path::parent_path(folder)}) {
    llvm::SmallString<128> include(prefix);
    llvm::sys::path::append(include, "include");
    if (llvm::sys::fs::exists(include + "/tilewright/cuda_tile.h"))
      return include.str().str();
  }
  return TILEWRIGHT_CPP_HEADERS;
}

bool run(const Invocation &invocation, std::unique_ptr<FrontendAction> action) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const auto &file : invocation.files)
    memory->addFile(file.first(), 0, llvm::MemoryBuffer::getMemBufferCopy(file.second, file.first()));
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  if (auto folder = files->getCurrentWorkingDirectory())
    memory->setCurrentWorkingDirectory(*folder);
  files->pushOverlay(memory);
  if (auto source = files->getBufferForFile(invocation.input))
    if (std::optional<std::string> text = annotateHints((*source)->getBuffer())) {
      auto annotated = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
      annotated->setCurrentWorkingDirectory(*memory->getCurrentWorkingDirectory());
      annotated->addFile(invocation.input, 0, llvm::MemoryBuffer::getMemBufferCopy(*text, invocation.input));
      files->pushOverlay(annotated);
    }

  // The name of the compiler tells where its own headers are.
  std::vector<std::string> arguments = {clangProgram(), "-fsyntax-only", "-xc++", "-std=c++20"};
  arguments.push_back("-isystem" + headerFolder());
  // Before a toolkit, which has a header of that name; as one of the system by what it says itself.
  arguments.push_back("-I" + headerFolder() + "/tilewright");
  llvm::append_range(arguments, invocation.arguments);
  arguments.push_back(invocation.input);
  auto manager = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), files);
  tooling::ToolInvocation clang(arguments, std::move(action), manager.get());
  if (invocation.diagnostics)
    clang.setDiagnosticConsumer(invocation.diagnostics);
  return clang.run();
}

} // namespace tilewright::cpp
