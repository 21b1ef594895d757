// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_CPP_VALUES_EMITTER_H
#define TILEWRIGHT_CPP_VALUES_EMITTER_H

#include "cpp/values/Layout.h"

namespace tilewright::cpp {

using Attributes = llvm::ArrayRef<mlir::NamedAttribute>;

/// How an access is ordered with those of other tile blocks, and hints for it.
struct AccessMode {
  cuda_tile::MemoryOrderingSemantics order = cuda_tile::MemoryOrderingSemantics::WEAK;
  cuda_tile::MemoryScopeAttr scope;
  cuda_tile::OptimizationHintsAttr hints;
};

/// Builds operations at one place of an entry; those of constants are folded.
class Emitter {
public:
  /// Constants stand at the beginning of the block, so that all of the entry may use them.
  Emitter(Layout &layout, mlir::Block *entry)
      : builder(entry->getParentOp()->getContext()), layout(layout), entry(entry), location(builder.getUnknownLoc()) {
    builder.setInsertionPointToEnd(entry);
  }

  mlir::OpBuilder builder;
  void setLocation(mlir::Location at) { location = at; }
  mlir::Location getLocation() const { return location; }
  /// Of the tiles that the statement accesses; null for none.
  cuda_tile::OptimizationHintsAttr hints;

  /// All elements are that number.
  mlir::Value constant(mlir::Attribute element, cuda_tile::TileType type);
  mlir::Value constantTile(mlir::DenseElementsAttr elements);
  mlir::Value integer(int64_t number, cuda_tile::TileType type);
  mlir::Value boolean(bool value);
  /// Zero, of any type that a leaf has.
  mlir::Value zero(cuda_tile::TileType type);

  /// The operation cuda_tile.NAME of one result.
  mlir::Value create(llvm::StringRef name, mlir::ValueRange operands, mlir::Type result, Attributes attributes = {});
  template <typename Op, typename... Args> auto build(Args &&...args) {
    return Op::create(builder, location, std::forward<Args>(args)...);
  }
  mlir::NamedAttribute named(llvm::StringRef name, mlir::Attribute attribute) {
    return builder.getNamedAttr(name, attribute);
  }
  mlir::NamedAttribute signedness(bool isSigned, llvm::StringRef name = "signedness");
  mlir::Value compare(cuda_tile::ComparisonPredicate predicate, mlir::Value a, mlir::Value b, bool isSigned);

  /// The elements of `value`, which are of type `from`, as numbers or pointers of type `to`.
  mlir::Value convertElements(mlir::Value value, clang::QualType from, clang::QualType to, Attributes attributes = {});
  mlir::Value broadcast(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);

  /// Reads and writes through pointers to elements of that type of C++; mask and padding may be null.
  mlir::Value load(mlir::Value pointers, clang::QualType element, mlir::Value mask = {}, mlir::Value padding = {},
                   const AccessMode &mode = {});
  void store(mlir::Value pointers, mlir::Value values, clang::QualType element, mlir::Value mask = {},
             const AccessMode &mode = {});

  // Memory has a byte of a bool and of a number of 4 bits, and the address of a pointer.
  mlir::Value pointersToHeld(mlir::Value pointers, clang::QualType element);
  mlir::Type heldElement(clang::QualType element);
  mlir::Value toHeld(mlir::Value values, clang::QualType element);
  mlir::Value fromHeld(mlir::Value held, clang::QualType element);

private:
  /// The value itself or a constant, where it needs no operation to have the shape; null where it does.
  mlir::Value sameOfShape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  mlir::Value convertPointers(mlir::Value value, clang::QualType from, clang::QualType to);

  Layout &layout;
  mlir::Block *entry;
  mlir::Location location;
  llvm::DenseMap<mlir::Attribute, mlir::Value> constants;
};

inline cuda_tile::TileType tileTypeOf(mlir::Value value) {
  return mlir::cast<cuda_tile::TileType>(value.getType());
}
inline cuda_tile::TileType withElement(cuda_tile::TileType type, mlir::Type element) {
  return cuda_tile::TileType::get(type.getShape(), element);
}

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_VALUES_EMITTER_H
