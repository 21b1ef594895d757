// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpp/values/Annotations.h"

using namespace clang;

namespace tilewright::cpp {

static const AnnotateAttr *findAnnotation(const Decl *decl, StringRef name) {
  for (const auto *attribute : decl->specific_attrs<AnnotateAttr>())
    if (StringRef text = attribute->getAnnotation(); text.consume_front("tilewright.") && text == name)
      return attribute;
  return nullptr;
}

// Instances of a template inherit its marks, but a class that nothing needed to be complete has not been instantiated.
static const AnnotateAttr *findClassAnnotation(QualType type, StringRef name) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return nullptr;
  if (const auto *found = findAnnotation(record, name))
    return found;
  const auto *instance = dyn_cast<ClassTemplateSpecializationDecl>(record);
  return instance ? findAnnotation(instance->getSpecializedTemplate()->getTemplatedDecl(), name) : nullptr;
}

bool isAnnotated(const Decl *decl, StringRef name) {
  return findAnnotation(decl, name);
}

StringRef valueKind(QualType type) {
  const AnnotateAttr *mark = findClassAnnotation(type, "value");
  if (!mark || mark->args_size() != 1)
    return {};
  const auto *text = dyn_cast<StringLiteral>((*mark->args_begin())->IgnoreParenImpCasts());
  if (const auto *constant = dyn_cast<ConstantExpr>(*mark->args_begin()))
    text = dyn_cast<StringLiteral>(constant->getSubExpr()->IgnoreParenImpCasts());
  return text ? text->getString() : StringRef();
}

bool isRange(QualType type) {
  return findClassAnnotation(type, "range");
}

} // namespace tilewright::cpp
