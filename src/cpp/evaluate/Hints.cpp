// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/evaluate/Hints.h"

using namespace clang;

namespace tilewright::cpp {

namespace {

struct Key {
  StringRef name;
  HintPlace place;
  int64_t least, most;
  bool isPowerOfTwo = false;
};
const Key keys[] = {
    {"num_cta_in_cga", HintPlace::Kernel, 1, 16, true},
    {"num_worker_warps_per_cta", HintPlace::Kernel, 1, 32, true},
    {"occupancy", HintPlace::Kernel, 1, 32},
    {"latency", HintPlace::Statement, 1, 10},
    {"allow_tma", HintPlace::Statement, 0, 1},
};
// As in __CUDA_ARCH__; 0 stands for all.
const int64_t architectures[] = {0, 800, 860, 870, 880, 890, 900, 1000, 1030, 1100, 1200, 1210};

const AnnotateAttr *hintOf(const Attr *attribute) {
  const auto *annotation = dyn_cast<AnnotateAttr>(attribute);
  return annotation && annotation->getAnnotation().starts_with("cutile.hint.") ? annotation : nullptr;
}

class HintReader {
public:
  HintReader(ASTContext &ast, mlir::MLIRContext *context, HintPlace place) : ast(ast), builder(context), place(place) {}

  void read(const AnnotateAttr *hint) {
    at = hint->getLocation();
    llvm::ArrayRef<Expr *> arguments(hint->args_begin(), hint->args_end());
    std::optional<llvm::APSInt> architecture = number(arguments.empty() ? nullptr : arguments.front());
    if (!architecture)
      return report(DiagnosticsEngine::Error, "a hint begins with an architecture, an integer constant such as 900, or "
                                              "0 for all");
    if (!llvm::is_contained(architectures, architecture->getExtValue()))
      return warn("the architecture " + llvm::Twine(architecture->getExtValue()) + " of this hint is not known");
    arguments = arguments.drop_front();
    for (; arguments.size() >= 2; arguments = arguments.drop_front(2))
      readValue(architecture->getExtValue(), arguments[0], arguments[1]);
  }

  cuda_tile::OptimizationHintsAttr get() {
    SmallVector<mlir::NamedAttribute> all;
    for (auto &[architecture, values] : hints) {
      std::string name = architecture ? "sm_" + std::to_string(architecture / 10) : "default";
      all.push_back(builder.getNamedAttr(name, values.getDictionary(builder.getContext())));
    }
    return all.empty() ? cuda_tile::OptimizationHintsAttr()
                       : cuda_tile::OptimizationHintsAttr::get(builder.getContext(), builder.getDictionaryAttr(all));
  }

private:
  void report(DiagnosticsEngine::Level level, const llvm::Twine &message) {
    DiagnosticsEngine &diagnostics = ast.getDiagnostics();
    diagnostics.Report(at, diagnostics.getCustomDiagID(level, "%0")) << message.str();
  }
  void warn(const llvm::Twine &message) { report(DiagnosticsEngine::Warning, message + "; it has no effect"); }

  std::optional<llvm::APSInt> number(const Expr *expr) {
    return expr && !expr->isValueDependent() ? expr->getIntegerConstantExpr(ast) : std::nullopt;
  }

  void readValue(int64_t architecture, const Expr *name, const Expr *value) {
    const auto *text = dyn_cast<StringLiteral>(name->IgnoreImplicit());
    StringRef key = text ? text->getString() : StringRef();
    const Key *known = llvm::find_if(keys, [&](const Key &candidate) { return candidate.name == key; });
    if (key.empty())
      return report(DiagnosticsEngine::Error, "a hint has values with a key, as in 'latency = 4'");
    if (known == std::end(keys))
      return warn("the hint '" + key + "' is not known");
    if (known->place != place)
      return warn("the hint '" + key + "' belongs to " +
                  (place == HintPlace::Kernel ? "a statement with loads or stores" : "the declaration of a kernel"));
    std::optional<llvm::APSInt> constant = number(value);
    if (!constant)
      return report(DiagnosticsEngine::Error, "the value of the hint '" + key + "' has to be an integer constant");
    int64_t chosen = constant->getExtValue();
    if (chosen < known->least || chosen > known->most || (known->isPowerOfTwo && !llvm::isPowerOf2_64(chosen)))
      return warn("the hint '" + key + "' has the value " + llvm::Twine(chosen) + ", expected " +
                  (known->isPowerOfTwo ? "a power of two" : "an integer") + " from " + llvm::Twine(known->least) +
                  " to " + llvm::Twine(known->most));
    mlir::NamedAttrList &values = hints[architecture];
    if (values.get(key))
      report(DiagnosticsEngine::Warning, "the hint '" + key + "' stands here twice; the last one counts");
    mlir::Attribute attribute = builder.getI32IntegerAttr(chosen);
    if (key == "allow_tma")
      attribute = builder.getBoolAttr(chosen);
    values.set(key, attribute);
  }

  ASTContext &ast;
  mlir::Builder builder;
  HintPlace place;
  SourceLocation at;
  std::map<int64_t, mlir::NamedAttrList> hints;
};

} // namespace

cuda_tile::OptimizationHintsAttr readHints(ASTContext &ast, mlir::MLIRContext *context,
                                           ArrayRef<const Attr *> attributes, HintPlace place) {
  HintReader reader(ast, context, place);
  for (const Attr *attribute : attributes)
    if (const AnnotateAttr *hint = hintOf(attribute))
      reader.read(hint);
  return reader.get();
}

cuda_tile::OptimizationHintsAttr hintsOfPointers(cuda_tile::OptimizationHintsAttr hints) {
  if (!hints)
    return hints;
  SmallVector<mlir::NamedAttribute> all;
  for (mlir::NamedAttribute architecture : hints.getValue()) {
    mlir::NamedAttrList values(mlir::cast<mlir::DictionaryAttr>(architecture.getValue()));
    values.erase("allow_tma");
    if (!values.empty())
      all.emplace_back(architecture.getName(), values.getDictionary(hints.getContext()));
  }
  return all.empty() ? cuda_tile::OptimizationHintsAttr()
                     : cuda_tile::OptimizationHintsAttr::get(hints.getContext(),
                                                             mlir::DictionaryAttr::get(hints.getContext(), all));
}

void warnOfUselessHints(ASTContext &ast, ArrayRef<const Attr *> attributes) {
  DiagnosticsEngine &diagnostics = ast.getDiagnostics();
  for (const Attr *attribute : attributes)
    if (const AnnotateAttr *hint = hintOf(attribute))
      diagnostics.Report(hint->getLocation(), diagnostics.getCustomDiagID(DiagnosticsEngine::Warning, "%0"))
          << "hints belong to an expression, a declaration, a return or a kernel; this one has no effect";
}

} // namespace tilewright::cpp
