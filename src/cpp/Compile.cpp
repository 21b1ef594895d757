// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/Compile.h"
#include "cpp/Invocation.h"
#include "cpp/Kernels.h"
#include "cpp/Launches.h"
#include "clang/Frontend/FrontendActions.h"
#include "llvm/Support/FileSystem.h"

using namespace clang;

namespace tilewright::cpp {

namespace {

class KernelConsumer : public ASTConsumer {
public:
  KernelConsumer(const CompileOptions &options, mlir::ModuleOp module, bool &isComplete)
      : options(options), module(module), isComplete(isComplete) {}

  void Initialize(ASTContext &ast) override { launches.emplace(ast.getSourceManager(), ast.getLangOpts()); }

  // The host's code has them.
  bool shouldSkipFunctionBody(Decl *function) override { return launches->isIn(function); }

  void HandleTranslationUnit(ASTContext &ast) override {
    if (!ast.getDiagnostics().hasErrorOccurred() && !options.syntaxOnly)
      isComplete = addKernels(ast, module, options.contracts);
  }

private:
  const CompileOptions &options;
  mlir::ModuleOp module;
  bool &isComplete;
  std::optional<Launches> launches;
};

class KernelAction : public ASTFrontendAction {
public:
  KernelAction(const CompileOptions &options, mlir::ModuleOp module, bool &isComplete)
      : options(options), module(module), isComplete(isComplete) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    return std::make_unique<KernelConsumer>(options, module, isComplete);
  }

private:
  const CompileOptions &options;
  mlir::ModuleOp module;
  bool &isComplete;
};

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
  Invocation invocation{options.arguments, file, {}, options.diagnostics};
  if (!options.kernels.empty()) {
    invocation.input = "/tilewright/kernels.cpp";
    invocation.files[invocation.input] = requestText(path, options.kernels);
  }
  invocation.arguments.insert(invocation.arguments.begin(), "-Wno-undefined-internal");
  if (!run(invocation, std::make_unique<KernelAction>(options, *module, isComplete)) || !isComplete)
    return nullptr;
  return module;
}

} // namespace tilewright::cpp
