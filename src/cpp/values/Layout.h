// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ types as Tile IR has them. An object is a list of leaves, each a scalar, a tile, a pointer or a reference: those
// of a class are the leaves of its bases and members, in order; those of an array the leaves of its elements.
#ifndef TILEWRIGHT_CPP_VALUES_LAYOUT_H
#define TILEWRIGHT_CPP_VALUES_LAYOUT_H

#include "cpp/Clang.h"

namespace tilewright::cpp {

class Layout {
public:
  Layout(const clang::ASTContext &ast, mlir::MLIRContext *context) : ast(ast), context(context) {}

  const clang::ASTContext &ast;

  /// Whether an object of that type is one leaf.
  bool isLeaf(clang::QualType type) const;
  /// The number of leaves; nothing for a type that tile code cannot have, such as a union.
  std::optional<unsigned> numLeaves(clang::QualType type);
  /// Of each leaf its type; null for a reference.
  void appendLeafTypes(clang::QualType type, llvm::SmallVectorImpl<mlir::Type> &types);
  /// The first leaf of a member, or of a base class, within an object of its class.
  unsigned fieldOffset(const clang::FieldDecl *field);
  unsigned baseOffset(const clang::CXXRecordDecl *derived, const clang::CXXRecordDecl *base);

  /// The type of a leaf as a tile, of rank 0 unless it is of class tile.
  cuda_tile::TileType tileType(clang::QualType type) const;
  /// The elements of a tile of a scalar type; null for other types.
  mlir::Type elementType(clang::QualType scalar) const;
  /// The element that memory has: a byte for bool, and for all that is no number.
  mlir::Type memoryType(clang::QualType type) const;

  /// The element type in C++ of a tile; a scalar is its own.
  clang::QualType element(clang::QualType type) const;
  /// The extents of a tile; none for a scalar.
  llvm::SmallVector<int64_t> shape(clang::QualType type) const;
  bool isSigned(clang::QualType type) const { return element(type)->isSignedIntegerOrEnumerationType(); }

private:
  mlir::MLIRContext *context;
  llvm::DenseMap<const clang::Type *, unsigned> counts;
};

} // namespace tilewright::cpp

#endif // TILEWRIGHT_CPP_VALUES_LAYOUT_H
