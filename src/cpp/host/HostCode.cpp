// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Clang compiles the source as CUDA's host code, without the bodies of kernels, so that it knows kernel<<<grid>>>(...).
// No function has a mark of CUDA but the kernels: all else is plain C++.
#include "cpp/host/HostCode.h"
#include "cpp/Clang.h"
#include "cpp/host/Stubs.h"
#include "cpp/values/Annotations.h"
#include "clang/CodeGen/BackendUtil.h"
#include "clang/CodeGen/CodeGenAction.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/TargetSelect.h"

using namespace clang;

namespace tilewright::cpp {

namespace {

/// The kernels of a translation unit and the operations on tiles, by their symbols.
struct HostKernels {
  KernelSymbols symbols;
  std::vector<std::string> instances;
};

class KernelCollector : public ASTConsumer, public RecursiveASTVisitor<KernelCollector> {
public:
  explicit KernelCollector(HostKernels &found) : found(found) {}

  bool shouldSkipFunctionBody(Decl *function) override {
    const FunctionDecl *kernel = function->getAsFunction();
    return kernel && isKernel(kernel);
  }

  // Code is generated for what has a body.
  bool HandleTopLevelDecl(DeclGroupRef group) override {
    for (Decl *declaration : group)
      addEmptyBodies(declaration);
    return true;
  }

  void HandleTranslationUnit(ASTContext &ast) override {
    mangler.reset(ast.createMangleContext());
    TraverseDecl(ast.getTranslationUnitDecl());
  }

  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitFunctionDecl(FunctionDecl *function) {
    if (function->isDependentContext())
      return true;
    if (isKernel(function)) {
      std::string stub = symbolOf(GlobalDecl(function, KernelReferenceKind::Stub), "__device_stub__");
      if (found.symbols.kernels.insert({stub, symbolOf(GlobalDecl(function, KernelReferenceKind::Kernel), "")})
              .second &&
          function->getTemplateSpecializationKind() == TSK_ImplicitInstantiation)
        found.instances.push_back(spell(*function));
    } else if (isOperation(function)) {
      found.symbols.operations.push_back(symbolOf(function, ""));
    }
    return true;
  }

private:
  static void addEmptyBodies(Decl *declaration) {
    if (isa<NamespaceDecl, LinkageSpecDecl>(declaration)) {
      for (Decl *inner : cast<DeclContext>(declaration)->decls())
        addEmptyBodies(inner);
    } else if (FunctionDecl *function = declaration->getAsFunction();
               function && function->hasSkippedBody() && isKernel(function)) {
      SourceLocation end = function->getEndLoc();
      function->setBody(CompoundStmt::Create(function->getASTContext(), {}, FPOptionsOverride(), end, end));
    }
  }

  // `prefix` is that of names without mangling.
  std::string symbolOf(GlobalDecl declaration, StringRef prefix) {
    std::string symbol;
    llvm::raw_string_ostream os(symbol);
    const auto *function = cast<FunctionDecl>(declaration.getDecl());
    if (mangler->shouldMangleDeclName(function))
      mangler->mangleName(declaration, os);
    else
      os << prefix << function->getName();
    return symbol;
  }

  // As a program of the same file names it.
  static std::string spell(const FunctionDecl &kernel) {
    PrintingPolicy policy = kernel.getASTContext().getPrintingPolicy();
    policy.FullyQualifiedName = true;
    policy.SuppressUnwrittenScope = true;
    policy.PrintAsCanonical = true;
    std::string name;
    llvm::raw_string_ostream os(name);
    kernel.getNameForDiagnostic(os, policy, /*Qualified=*/true);
    return name;
  }

  HostKernels &found;
  std::unique_ptr<MangleContext> mangler;
};

class HostAction : public EmitLLVMOnlyAction {
public:
  HostAction(llvm::LLVMContext &context, const std::string &output, const MakeBundle &makeBundle, bool &isComplete)
      : EmitLLVMOnlyAction(&context), output(output), makeBundle(makeBundle), isComplete(isComplete) {}

  bool BeginInvocation(CompilerInstance &compiler) override {
    compiler.getLangOpts().CUDA = true;
    compiler.getLangOpts().CUDAHostDeviceConstexpr = false;
    compiler.getTargetOpts().SDKVersion = llvm::VersionTuple(12);
    compiler.getFrontendOpts().SkipFunctionBodies = true;
    compiler.getCodeGenOpts().DisableLLVMPasses = true; // until kernels have their bodies
    return EmitLLVMOnlyAction::BeginInvocation(compiler);
  }

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef file) override {
    std::vector<std::unique_ptr<ASTConsumer>> consumers;
    consumers.push_back(std::make_unique<KernelCollector>(kernels));
    consumers.push_back(EmitLLVMOnlyAction::CreateASTConsumer(compiler, file));
    return std::make_unique<MultiplexConsumer>(std::move(consumers));
  }

  void EndSourceFileAction() override {
    EmitLLVMOnlyAction::EndSourceFileAction();
    CompilerInstance &compiler = getCompilerInstance();
    std::unique_ptr<llvm::Module> module = takeModule();
    if (!module || compiler.getDiagnostics().hasErrorOccurred())
      return;
    std::optional<std::string> bundle = makeBundle(kernels.instances);
    if (!bundle) {
      compiler.getDiagnosticOpts().ShowCarets = false; // nor a count of errors that others have told
      return;
    }
    compiler.getCodeGenOpts().DisableLLVMPasses = false;
    defineStubs(*module, kernels.symbols, *bundle);
    auto os = compiler.createOutputFile(output, /*Binary=*/true, /*RemoveFileOnSignal=*/true, /*UseTemporary=*/true);
    if (!os)
      return;
    emitBackendOutput(compiler, compiler.getCodeGenOpts(), compiler.getTarget().getDataLayoutString(), module.get(),
                      Backend_EmitObj, compiler.getVirtualFileSystemPtr(), std::move(os));
    isComplete = !compiler.getDiagnostics().hasErrorOccurred();
    compiler.clearOutputFiles(/*EraseFiles=*/!isComplete);
  }

private:
  const std::string &output;
  const MakeBundle &makeBundle;
  bool &isComplete;
  HostKernels kernels;
};

} // namespace

bool compileHost(const Invocation &invocation, const std::string &output, const MakeBundle &makeBundle) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  llvm::LLVMContext context;
  bool isComplete = false;
  return run(invocation, std::make_unique<HostAction>(context, output, makeBundle, isComplete)) && isComplete;
}

} // namespace tilewright::cpp
