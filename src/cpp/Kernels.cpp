// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries: what a kernel may be, its parameters, and what is done with an entry once its body has been evaluated.
#include "cpp/Kernels.h"
#include "cpp/Finish.h"
#include "cpp/evaluate/Evaluator.h"
#include "cpp/evaluate/Hints.h"
#include "cpp/values/Annotations.h"

using namespace clang;

namespace tilewright::cpp {

namespace {

class KernelFinder : public RecursiveASTVisitor<KernelFinder> {
public:
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool VisitFunctionDecl(FunctionDecl *function) {
    if (isKernel(function) && !function->isDependentContext() && function->doesThisDeclarationHaveABody())
      kernels.insert(function);
    return true;
  }
  llvm::SetVector<FunctionDecl *> kernels;
};

class KernelBuilder {
public:
  KernelBuilder(ASTContext &ast, cuda_tile::ModuleOp module, bool contracts)
      : ast(ast), module(module), contracts(contracts), layout(ast, module.getContext()), names(ast) {}

  bool add(const FunctionDecl *kernel) {
    if (!isLegal(kernel))
      return false;
    SmallVector<mlir::Type> types;
    for (const ParmVarDecl *parameter : kernel->parameters())
      types.push_back(typeOf(parameter));
    if (llvm::is_contained(types, mlir::Type()))
      return false;
    auto builder = mlir::OpBuilder::atBlockEnd(&module.getBody().front());
    auto entry = cuda_tile::EntryOp::create(builder, builder.getUnknownLoc(), names.getName(kernel),
                                            builder.getFunctionType(types, {}));
    if (entry.getBody().empty())
      entry.getBody().emplaceBlock();
    mlir::Block &body = entry.getBody().front();
    for (auto [type, parameter] : llvm::zip_equal(types, kernel->parameters()))
      if (body.getNumArguments() < types.size())
        body.addArgument(type, mlir::NameLoc::get(builder.getStringAttr(parameter->getName())));
    if (auto hints = readHints(ast, module.getContext(), kernel->getAttrs(), HintPlace::Kernel))
      entry.setOptimizationHintsAttr(hints);
    if (!Evaluator(ast, entry).run(kernel))
      return false;
    SmallVector<int64_t> distinct;
    for (auto [i, parameter] : llvm::enumerate(kernel->parameters()))
      if (parameter->getType().isRestrictQualified())
        distinct.push_back(i);
    finishEntry(entry, distinct, contracts);
    return true;
  }

private:
  void report(SourceLocation at, const llvm::Twine &message) {
    DiagnosticsEngine &diagnostics = ast.getDiagnostics();
    diagnostics.Report(at, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << message.str();
  }

  bool isLegal(const FunctionDecl *kernel) {
    auto refuse = [&](StringRef why) {
      report(kernel->getLocation(), "the kernel '" + kernel->getNameAsString() + "' " + why);
      return false;
    };
    if (!kernel->getReturnType()->isVoidType())
      return refuse("has to return void");
    if (isa<CXXMethodDecl>(kernel))
      return refuse("cannot be a member of a class");
    if (kernel->isVariadic())
      return refuse("cannot have variadic arguments");
    const auto *type = kernel->getType()->castAs<FunctionProtoType>();
    if (type->hasExceptionSpec())
      return refuse("cannot have an exception specification");
    return true;
  }

  // Memory's type of a scalar; null after a diagnostic.
  mlir::Type typeOf(const ParmVarDecl *parameter) {
    QualType type = parameter->getType();
    mlir::Type element = type->isReferenceType() ? cuda_tile::PtrType::get(layout.memoryType(type->getPointeeType()))
                         : type->isBooleanType() ? layout.memoryType(type)
                                                 : layout.elementType(type);
    if (element)
      return cuda_tile::TileType::get({}, element);
    report(parameter->getLocation(), "the parameter '" + parameter->getName() + "' of a kernel has type '" +
                                         type.getAsString() + "', but kernels take numbers, enumerations and pointers");
    return {};
  }

  ASTContext &ast;
  cuda_tile::ModuleOp module;
  bool contracts;
  Layout layout;
  ASTNameGenerator names;
};

} // namespace

bool addKernels(ASTContext &ast, mlir::ModuleOp module, bool contracts) {
  KernelFinder finder;
  finder.TraverseDecl(ast.getTranslationUnitDecl());
  auto builder = mlir::OpBuilder::atBlockEnd(module.getBody());
  auto tiles = cuda_tile::ModuleOp::create(builder, builder.getUnknownLoc(), "kernels");
  if (tiles.getBody().empty())
    tiles.getBody().emplaceBlock();
  KernelBuilder kernels(ast, tiles, contracts);
  bool isComplete = true;
  for (const FunctionDecl *kernel : finder.kernels)
    isComplete &= kernels.add(kernel);
  if (!isComplete || ast.getDiagnostics().hasErrorOccurred())
    return false;
  // A fault of the front end, if the program passed Clang and the checks of operations.
  mlir::ScopedDiagnosticHandler handler(module.getContext(), [&](mlir::Diagnostic &diagnostic) {
    DiagnosticsEngine &diagnostics = ast.getDiagnostics();
    diagnostics.Report(diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0")) << diagnostic.str();
    return mlir::success();
  });
  return mlir::succeeded(simplify(module)) && mlir::succeeded(mlir::verify(module));
}

} // namespace tilewright::cpp
