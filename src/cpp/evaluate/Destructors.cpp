// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of objects that have a destructor: in the opposite order of their making, where control leaves their scope.
#include "cpp/evaluate/Evaluator.h"

using namespace clang;

namespace tilewright::cpp {

void Evaluator::inScope(llvm::function_ref<void()> evaluateScope) {
  size_t outer = destroyed.size();
  evaluateScope();
  if (isAlive)
    destroyDownTo(outer);
  destroyed.resize(outer);
}

void Evaluator::destroyLater(const Place &object) {
  if (object.type.isDestructedType() == QualType::DK_cxx_destructor)
    destroyed.push_back(object);
}

void Evaluator::destroyDownTo(size_t count) {
  for (size_t i = destroyed.size(); i > count && isAlive; --i)
    destroy(Place(destroyed[i - 1]));
}

void Evaluator::destroy(const Place &object) {
  if (object.type.isDestructedType() != QualType::DK_cxx_destructor)
    return;
  if (const auto *array = dyn_cast_or_null<ConstantArrayType>(ast.getAsArrayType(object.type))) {
    Place element = object;
    element.type = array->getElementType();
    for (uint64_t i = array->getZExtSize(); i > 0; --i) {
      element.slot = object.slot + (i - 1) * leafCount(element.type);
      destroy(element);
    }
    return;
  }
  CXXRecordDecl *record = object.type->getAsCXXRecordDecl();
  if (const CXXDestructorDecl *destructor = record->getDestructor(); !destructor->isDefaulted())
    callFunction(destructor, object, {});
  SmallVector<const FieldDecl *> fields(record->fields());
  for (const FieldDecl *field : llvm::reverse(fields))
    if (!field->getType()->isReferenceType())
      destroy(fieldOf(object, field));
  for (const CXXBaseSpecifier &base : llvm::reverse(record->bases()))
    destroy(baseOf(object, base.getType()->getAsCXXRecordDecl()));
}

} // namespace tilewright::cpp
