// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an attribute of an operation is read and written, by its storage class. Two forms: bare, where the operation
// says what comes, and tagged, where a byte says it.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_ATTRIBUTECODEC_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_ATTRIBUTECODEC_H

#include "cuda_tile/bytecode/Bytecode.h"
#include "cuda_tile/bytecode/read/Cursor.h"

namespace tilewright::cuda_tile {

class Tables;
class TableBuilder;
class Output;

/// Context to read an attribute.
struct AttributeSource {
  Tables &tables;
  Cursor &cursor;
  /// For messages: the name of the attribute.
  llvm::StringRef name;
  /// Of the first result: the type of dense elements.
  mlir::Type resultType;
};

/// Context to write an attribute.
struct AttributeSink {
  TableBuilder &tables;
  Output &out;
  /// For messages: the name of the attribute.
  llvm::StringRef name;
};

struct AttributeCodec {
  ParseResult (*read)(AttributeSource source, mlir::Attribute &value);
  void (*write)(AttributeSink sink, mlir::Attribute value);
};

template <typename AttrT> ParseResult readAttribute(AttributeSource source, mlir::Attribute &value);
template <typename AttrT> void writeAttribute(AttributeSink sink, mlir::Attribute value);
template <unsigned width> ParseResult readInteger(AttributeSource source, mlir::Attribute &value);
template <unsigned width> void writeInteger(AttributeSink sink, mlir::Attribute value);

template <typename AttrT>
inline constexpr AttributeCodec attributeCodec = {&readAttribute<AttrT>, &writeAttribute<AttrT>};
template <unsigned width> inline constexpr AttributeCodec integerCodec = {&readInteger<width>, &writeInteger<width>};

/// A hint that older versions do not have. A reader takes it from any version, as the reference does.
struct LaterHint {
  /// A hint or an architecture.
  llvm::StringLiteral name;
  llvm::StringLiteral since;
  /// Values that came before, none: all of it came with `since`.
  llvm::ArrayRef<int64_t> before;
};
llvm::ArrayRef<LaterHint> getLaterHints();

/// The tagged form.
ParseResult readTagged(AttributeSource source, mlir::Attribute &value, unsigned depth = 0);
void writeTagged(AttributeSink sink, mlir::Attribute value);

} // namespace tilewright::cuda_tile

#endif
