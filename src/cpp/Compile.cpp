// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/Compile.h"
#include "cpp/Kernels.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"

using namespace clang;

namespace tilewright::cpp {

namespace {

class KernelConsumer : public ASTConsumer {
public:
  KernelConsumer(const CompileOptions &options, mlir::ModuleOp module, bool &isComplete)
      : options(options), module(module), isComplete(isComplete) {}

  void HandleTranslationUnit(ASTContext &ast) override {
    if (!ast.getDiagnostics().hasErrorOccurred() && !options.syntaxOnly)
      isComplete = addKernels(ast, module, options.contracts);
  }

private:
  const CompileOptions &options;
  mlir::ModuleOp module;
  bool &isComplete;
};

class KernelAction : public ASTFrontendAction {
public:
  KernelAction(const CompileOptions &options, mlir::ModuleOp module, bool &isComplete)
      : options(options), module(module), isComplete(isComplete) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &, StringRef) override {
    return std::make_unique<KernelConsumer>(options, module, isComplete);
  }

private:
  const CompileOptions &options;
  mlir::ModuleOp module;
  bool &isComplete;
};

// Where <cuda_tile.h> is: in the tree, or beside the library.
std::string headerFolder() {
  SmallString<128> self(llvm::sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&headerFolder)));
  SmallString<128> folder = llvm::sys::path::parent_path(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(folder, "include", "tilewright");
  return llvm::sys::fs::exists(folder + "/cuda_tile.h") ? folder.str().str() : TILEWRIGHT_CPP_HEADERS;
}

// A file that includes the source and names instances, so that Clang makes them.
std::string requestText(StringRef file, ArrayRef<std::string> kernels) {
  std::string text = ("#include \"" + file + "\"\n").str();
  for (auto [i, kernel] : llvm::enumerate(kernels))
    text += ("#line " + llvm::Twine(i + 1) + " \"<kernels>\"\n[[maybe_unused]] static auto *tilewright_kernel_" +
             llvm::Twine(i) + " = &" + kernel + ";\n")
                .str();
  return text;
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> compile(const std::string &file, const CompileOptions &options,
                                          mlir::MLIRContext *context) {
  context->loadDialect<cuda_tile::CudaTileDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context));
  bool isComplete = options.syntaxOnly;

  SmallString<128> path(file);
  llvm::sys::fs::make_absolute(path);
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  files->pushOverlay(memory);
  std::string input = file;
  if (!options.kernels.empty()) {
    input = "/tilewright/kernels.cpp";
    memory->addFile(input, 0, llvm::MemoryBuffer::getMemBufferCopy(requestText(path, options.kernels), input));
  }

  // The name of the compiler tells where its own headers are.
  std::vector<std::string> arguments = {TILEWRIGHT_CPP_CLANG, "-fsyntax-only", "-xc++", "-std=c++20"};
  arguments.push_back("-isystem" + headerFolder());
  arguments.push_back("-Wno-undefined-internal");
  llvm::append_range(arguments, options.arguments);
  arguments.push_back(input);
  auto manager = llvm::makeIntrusiveRefCnt<FileManager>(FileSystemOptions(), files);
  tooling::ToolInvocation invocation(arguments, std::make_unique<KernelAction>(options, *module, isComplete),
                                     manager.get());
  if (!invocation.run() || !isComplete)
    return nullptr;
  return module;
}

} // namespace tilewright::cpp
