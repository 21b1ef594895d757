// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/Compile.h"
#include "cpp/HintSyntax.h"
#include "cpp/Invocation.h"
#include "cpp/Kernels.h"
#include "cpp/Launches.h"
#include "clang/Frontend/FrontendActions.h"
#include "llvm/Support/FileSystem.h"

using namespace clang;

namespace tilewright::cpp {

namespace {

struct Result {
  mlir::ModuleOp module;
  bool isComplete = false;
  std::vector<std::string> symbols;
};

// Of the variable that is initialized with the address of an instance.
std::string requestName(size_t number) {
  return "tilewright_kernel_" + std::to_string(number);
}

// The symbol of the function whose address a variable has.
std::string symbolOf(ASTContext &ast, StringRef variable) {
  for (NamedDecl *found : ast.getTranslationUnitDecl()->lookup(&ast.Idents.get(variable)))
    if (auto *address = dyn_cast_or_null<UnaryOperator>(cast<VarDecl>(found)->getInit()->IgnoreImpCasts()))
      if (auto *function = dyn_cast<DeclRefExpr>(address->getSubExpr()->IgnoreParens()))
        return ASTNameGenerator(ast).getName(function->getDecl());
  return "";
}

class KernelConsumer : public ASTConsumer {
public:
  KernelConsumer(const CompileOptions &options, Result &result) : options(options), result(result) {}

  void Initialize(ASTContext &ast) override { launches.emplace(ast.getSourceManager(), ast.getLangOpts()); }

  // The host's code has them.
  bool shouldSkipFunctionBody(Decl *function) override { return launches->isIn(function); }

  void HandleTranslationUnit(ASTContext &ast) override {
    if (ast.getDiagnostics().hasErrorOccurred() || options.syntaxOnly)
      return;
    result.isComplete = addKernels(ast, result.module, options.contracts);
    for (size_t i = 0; i < options.kernels.size(); ++i)
      result.symbols.push_back(symbolOf(ast, requestName(i)));
  }

private:
  const CompileOptions &options;
  Result &result;
  std::optional<Launches> launches;
};

class KernelAction : public ASTFrontendAction {
public:
  KernelAction(const CompileOptions &options, Result &result) : options(options), result(result) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef) override {
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    return std::make_unique<KernelConsumer>(options, result);
  }
  bool BeginSourceFileAction(CompilerInstance &compiler) override {
    annotateHintsOfIncludes(compiler);
    return true;
  }

private:
  const CompileOptions &options;
  Result &result;
};

// A file that includes the source and names instances, so that Clang makes them.
std::string requestText(StringRef file, ArrayRef<std::string> kernels) {
  std::string text = ("#include \"" + file + "\"\n").str();
  for (auto [i, kernel] : llvm::enumerate(kernels))
    text += ("#line " + llvm::Twine(i + 1) + " \"<kernels>\"\n[[maybe_unused]] static auto *" + requestName(i) +
             " = &" + kernel + ";\n")
                .str();
  return text;
}

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> compile(const std::string &file, const CompileOptions &options,
                                          mlir::MLIRContext *context, std::vector<std::string> *symbols) {
  context->loadDialect<cuda_tile::CudaTileDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context));
  Result result{*module, options.syntaxOnly, {}};

  SmallString<128> path(file);
  llvm::sys::fs::make_absolute(path);
  Invocation invocation{options.arguments, file, options.files, options.diagnostics};
  if (!options.kernels.empty()) {
    invocation.input = "/tilewright/kernels.cpp";
    invocation.files[invocation.input] = requestText(path, options.kernels);
  }
  invocation.arguments.insert(invocation.arguments.begin(), {"-D__TILEWRIGHT_TILE_CODE__", "-Wno-undefined-internal"});
  if (!run(invocation, std::make_unique<KernelAction>(options, result)) || !result.isComplete)
    return nullptr;
  if (symbols)
    *symbols = std::move(result.symbols);
  return module;
}

} // namespace tilewright::cpp
