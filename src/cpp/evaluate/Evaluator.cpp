// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as a whole, its places in the source, and objects.
#include "cpp/evaluate/Evaluator.h"
#include "cpp/values/Annotations.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using clang::QualType;

namespace tilewright::cpp {

bool Evaluator::run(const clang::FunctionDecl *kernel) {
  try {
    Frame called;
    called.function = kernel;
    Target end{Target::Kernel};
    called.target = &end;
    targets.push_back(&end);
    enter(called);
    At place(*this, kernel->getLocation());
    for (auto [parameter, argument] : llvm::zip_equal(kernel->parameters(), entry.getBody().getArguments())) {
      QualType type = parameter->getType();
      if (type->isReferenceType()) {
        Place referred{type->getPointeeType(), argument};
        called.variables[parameter] = referred;
        continue;
      }
      // Memory has a byte of a bool, and so do arguments.
      Value value = argument;
      if (type->isBooleanType())
        value =
            emitter.compare(cuda_tile::ComparisonPredicate::NotEqual, value, emitter.zero(tileTypeOf(value)), false);
      called.variables[parameter] = materialize({Leaf(value)}, type);
    }
    execute(kernel->getBody());
    if (isAlive)
      emitter.build<cuda_tile::ReturnOp>();
    endDeadBlock();
    return true;
  } catch (const Refusal &) {
    return false;
  }
}

// ---- diagnostics and locations ---------------------------------------------------------------------------

void Evaluator::refuse(const llvm::Twine &message) {
  refuse(at, message);
}

void Evaluator::refuse(clang::SourceLocation location, const llvm::Twine &message) {
  clang::DiagnosticsEngine &diagnostics = ast.getDiagnostics();
  diagnostics.Report(location, diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error, "%0")) << message.str();
  unsigned note = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Note, "called from here, in '%0'");
  for (Frame *inner = frame; inner && inner->caller; inner = inner->caller)
    if (inner->scope)
      diagnostics.Report(inner->calledAt, note) << inner->caller->function->getNameAsString();
  throw Refusal();
}

Location Evaluator::locationIn(const Frame &place, clang::SourceLocation location) {
  clang::PresumedLoc presumed = ast.getSourceManager().getPresumedLoc(location);
  MLIRContext *context = entry.getContext();
  if (presumed.isInvalid() || !place.scope)
    return UnknownLoc::get(context);
  auto line = FileLineColLoc::get(context, presumed.getFilename(), presumed.getLine(), presumed.getColumn());
  return cuda_tile::DILocAttr::get(context, line, cast<cuda_tile::DILocalScopeAttr>(Attribute(place.scope)));
}

// A function of the library is the expression that calls it.
void Evaluator::updateLocation() {
  Frame *inner = frame;
  while (inner && !inner->scope)
    inner = inner->caller;
  if (!inner)
    return;
  Location location = locationIn(*inner, at);
  for (; inner->caller; inner = inner->caller)
    if (inner->scope && inner->caller->scope)
      location = CallSiteLoc::get(location, locationIn(*inner->caller, inner->calledAt));
  emitter.setLocation(location);
}

Evaluator::At::At(Evaluator &evaluator, clang::SourceLocation location)
    : evaluator(evaluator), before(evaluator.at), locationBefore(evaluator.emitter.getLocation()) {
  if (location.isInvalid() || !evaluator.frame || !evaluator.frame->scope)
    return;
  location = evaluator.ast.getSourceManager().getExpansionLoc(location);
  if (location == before)
    return;
  evaluator.at = location;
  evaluator.updateLocation();
}

Evaluator::At::~At() {
  evaluator.at = before;
  evaluator.emitter.setLocation(locationBefore);
}

void Evaluator::enter(Frame &called) {
  const clang::SourceManager &sources = ast.getSourceManager();
  called.caller = frame;
  called.calledAt = at;
  clang::SourceLocation begins = called.function->getLocation();
  clang::PresumedLoc presumed = sources.getPresumedLoc(sources.getExpansionLoc(begins));
  if (presumed.isValid() && !sources.isInSystemHeader(sources.getExpansionLoc(begins))) {
    MLIRContext *context = entry.getContext();
    auto string = [&](StringRef text) { return StringAttr::get(context, text); };
    auto file = cuda_tile::DIFileAttr::get(context, string(llvm::sys::path::filename(presumed.getFilename())),
                                           string(llvm::sys::path::parent_path(presumed.getFilename())));
    std::string symbol = entry.getSymName().str();
    if (frame)
      symbol = clang::ASTNameGenerator(ast).getName(called.function);
    called.scope = cuda_tile::DISubprogramAttr::get(
        context, file, presumed.getLine(), string(called.function->getNameAsString()), string(symbol),
        cuda_tile::DICompileUnitAttr::get(context, file), presumed.getLine());
  }
  frame = &called;
  if (!called.caller)
    entry->setLoc(locationIn(called, begins));
}

// ---- objects ---------------------------------------------------------------------------------------------

unsigned Evaluator::leafCount(QualType type) {
  std::optional<unsigned> count = layout.numLeaves(type);
  if (!count)
    refuse("tile code cannot have an object of type '" + type.getAsString() +
           "': unions, classes with virtual functions and arrays without an extent are not allowed");
  return *count;
}

Place Evaluator::allocate(QualType type) {
  leafCount(type);
  SmallVector<Type> types;
  layout.appendLeafTypes(type, types);
  Place result{type};
  result.slot = slots.allocate(types);
  return result;
}

Place Evaluator::materialize(Leaves leaves, QualType type) {
  Place result = allocate(type);
  store(result, leaves);
  return result;
}

Value Evaluator::addressAt(const Place &object, int64_t bytes, QualType type) {
  auto scalar = [&](Type element) { return cuda_tile::TileType::get({}, element); };
  Value address = object.address;
  auto wanted = scalar(cuda_tile::PtrType::get(layout.memoryType(type)));
  if (bytes) {
    auto byte = scalar(cuda_tile::PtrType::get(emitter.builder.getI8Type()));
    if (address.getType() != byte)
      address = emitter.create("ptr_to_ptr", address, byte);
    Value offset = emitter.integer(bytes, scalar(emitter.builder.getI64Type()));
    address = emitter.create("offset", {address, offset}, byte);
  }
  return address.getType() == wanted ? address : emitter.create("ptr_to_ptr", address, wanted);
}

Leaves Evaluator::load(const Place &object) {
  QualType type = object.type.getNonReferenceType();
  Leaves result;
  if (!object.isInMemory()) {
    for (unsigned i = 0, count = leafCount(type); i < count; ++i)
      result.push_back(object.index ? loadChosen(object, i) : slots[object.slot + i]);
    return result;
  }
  if (layout.isLeaf(type)) {
    if (!layout.elementType(type))
      refuse("an object of type '" + type.getAsString() + "' cannot be read from memory");
    result.push_back(emitter.load(addressAt(object, 0, type), type));
    return result;
  }
  if (const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl()) {
    leafCount(type);
    for (const clang::CXXBaseSpecifier &base : record->bases())
      result.append(load(baseOf(object, base.getType()->getAsCXXRecordDecl())));
    for (const clang::FieldDecl *field : record->fields())
      result.append(load(fieldOf(object, field)));
    return result;
  }
  refuse("an object of type '" + type.getAsString() + "' cannot be read from memory as a whole");
}

void Evaluator::store(const Place &object, const Leaves &leaves) {
  QualType type = object.type.getNonReferenceType();
  if (!object.isInMemory()) {
    for (auto [i, leaf] : llvm::enumerate(leaves))
      if (object.index)
        storeChosen(object, i, leaf);
      else
        slots.write(object.slot + i, leaf);
    return;
  }
  if (layout.isLeaf(type) && layout.elementType(type))
    return emitter.store(addressAt(object, 0, type), valueOf(leaves.front()), type);
  if (const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl(); record && leafCount(type) == leaves.size()) {
    auto rest = llvm::ArrayRef(leaves);
    auto storePart = [&](const Place &part) {
      unsigned count = leafCount(part.type);
      store(part, Leaves(rest.take_front(count)));
      rest = rest.drop_front(count);
    };
    for (const clang::CXXBaseSpecifier &base : record->bases())
      storePart(baseOf(object, base.getType()->getAsCXXRecordDecl()));
    for (const clang::FieldDecl *field : record->fields())
      storePart(fieldOf(object, field));
    return;
  }
  refuse("an object of type '" + type.getAsString() + "' cannot be written to memory");
}

Place Evaluator::fieldOf(const Place &object, const clang::FieldDecl *field) {
  Place result{field->getType()};
  if (!object.isInMemory()) {
    leafCount(ast.getCanonicalTagType(field->getParent()));
    result.slot = object.slot + layout.fieldOffset(field);
    result.index = object.index;
    result.stride = object.stride;
    result.reach = object.reach;
  } else {
    int64_t bytes = ast.toCharUnitsFromBits(ast.getFieldOffset(field)).getQuantity();
    result.address = addressAt(object, bytes, field->getType());
  }
  if (field->getType()->isReferenceType())
    return target(load(result).front(), field->getType()->getPointeeType());
  return result;
}

Place Evaluator::baseOf(const Place &object, const clang::CXXRecordDecl *base) {
  const clang::CXXRecordDecl *derived = object.type.getNonReferenceType()->getAsCXXRecordDecl();
  Place result{ast.getCanonicalTagType(base)};
  if (!object.isInMemory()) {
    result = object;
    result.type = ast.getCanonicalTagType(base);
    result.slot += layout.baseOffset(derived, base);
  } else {
    int64_t bytes = ast.getASTRecordLayout(derived).getBaseClassOffset(base).getQuantity();
    result.address = addressAt(object, bytes, result.type);
  }
  return result;
}

Place Evaluator::target(const Leaf &pointer, QualType pointee) {
  if (pointer.place) {
    Place result = *pointer.place;
    result.type = pointee;
    return result;
  }
  Place result{pointee};
  result.address = valueOf(pointer);
  return result;
}

// ---- elements that are chosen when the kernel runs: all are compared ------------------------------------

void Evaluator::forEachChoice(const Place &object, unsigned leaf, llvm::function_ref<void(unsigned, Value)> visit) {
  cuda_tile::TileType type = tileTypeOf(object.index);
  for (unsigned i = 0; i < object.reach; ++i) {
    unsigned slot = object.slot + leaf + i * object.stride;
    if (slot >= slots.size() || slots.type(slot) != slots.type(object.slot + leaf))
      continue;
    Value isChosen = emitter.compare(cuda_tile::ComparisonPredicate::Equal, object.index, emitter.integer(i, type),
                                     /*isSigned=*/true);
    visit(slot, isChosen);
  }
}

Value Evaluator::choose(Value condition, Value whenTrue, Value whenFalse) {
  condition = emitter.broadcast(condition, tileTypeOf(whenTrue).getShape());
  return emitter.create("select", {condition, whenTrue, whenFalse}, whenTrue.getType());
}

Leaf Evaluator::loadChosen(const Place &object, unsigned leaf) {
  Value result;
  forEachChoice(object, leaf, [&](unsigned slot, Value isChosen) {
    Value value = yielded(slots[slot], slot);
    if (!value)
      refuse("an element that is chosen when the kernel runs cannot be or have a reference to a local object");
    result = result ? choose(isChosen, value, result) : value;
  });
  return result;
}

void Evaluator::storeChosen(const Place &object, unsigned leaf, const Leaf &stored) {
  forEachChoice(object, leaf, [&](unsigned slot, Value isChosen) {
    Value value = yielded(stored, slot), before = yielded(slots[slot], slot);
    if (!value || !before)
      refuse("an element that is chosen when the kernel runs cannot be or have a reference to a local object");
    slots.write(slot, Leaf(choose(isChosen, value, before)));
  });
}

Value Evaluator::valueOf(const Leaf &leaf) {
  if (leaf.value)
    return leaf.value;
  if (leaf.place)
    refuse("the address of a local object cannot be used as a value: local objects have no memory");
  if (leaf.isUnknown)
    refuse("this refers to different local objects, depending on a condition that is known only when the kernel runs");
  return nullptr;
}

} // namespace tilewright::cpp
