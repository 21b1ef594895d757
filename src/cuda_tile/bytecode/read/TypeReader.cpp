// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/Tables.h"
#include "cuda_tile/bytecode/TypeTable.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

namespace {

/// Reads the payload of one composite type.
class TypeReader {
public:
  TypeReader(Tables &tables, Cursor &entry, Place start, unsigned depth)
      : tables(tables), entry(entry), start(start), depth(depth) {}

  ParseResult read(TypeTag tag, Type &type);

private:
  /// The type, or the reason of its verifier as the diagnostic.
  template <typename TypeT, typename... Args> ParseResult get(Type &type, Args &&...args) {
    type = TypeT::getChecked([&] { return entry.error(start); }, tables.getContext(), std::forward<Args>(args)...);
    return failure(!type);
  }
  template <typename EnumAttrT> ParseResult enumerator(EnumAttrT &attr, StringRef what);
  ParseResult flags(uint64_t &value, bool isPresent);
  ParseResult tensorView(TensorViewType &view);
  ParseResult padding(uint64_t flags, PaddingValueAttr &padding);

  ParseResult readPtr(Type &type);
  ParseResult readTile(Type &type);
  ParseResult readTensorView(Type &type);
  ParseResult readPartitionView(Type &type);
  ParseResult readGatherScatterView(Type &type);
  ParseResult readStridedView(Type &type);
  ParseResult readFunction(Type &type);

  Tables &tables;
  Cursor &entry;
  Place start;
  unsigned depth;
};

template <typename EnumAttrT> ParseResult TypeReader::enumerator(EnumAttrT &attr, StringRef what) {
  Place place = entry.here();
  uint8_t value;
  if (entry.byte(value, what)) {
    return failure();
  }
  auto enumerator = static_cast<decltype(attr.getValue())>(value);
  if (stringifyEnum(enumerator).empty()) {
    return entry.error(place) << "expected " << what << ", got " << unsigned(value);
  }
  const LaterCase *later = lookupLaterCase(EnumAttrT::getMnemonic(), value);
  if (later && !isAvailable(later->since, tables.getVersion())) {
    return entry.error(place) << "expected " << what << " of version " << tables.getVersion().str() << ", got "
                              << stringifyEnum(enumerator) << " of version " << later->since;
  }
  attr = EnumAttrT::get(tables.getContext(), enumerator);
  return success();
}

/// The bit field of what is optional in a type; every type has one such thing.
ParseResult TypeReader::flags(uint64_t &value, bool isPresent) {
  value = 0;
  return isPresent ? entry.bounded(value, 1, "flags of the type") : success();
}

ParseResult TypeReader::tensorView(TensorViewType &view) {
  Place place = entry.here();
  Type type;
  if (tables.type(entry, type, "tensor view", depth)) {
    return failure();
  }
  view = dyn_cast<TensorViewType>(type);
  if (!view) {
    return entry.error(place) << "expected a tensor view, got " << describeType(type);
  }
  return success();
}

ParseResult TypeReader::padding(uint64_t flags, PaddingValueAttr &padding) {
  return flags ? enumerator(padding, "padding value") : success();
}

ParseResult TypeReader::readPtr(Type &type) {
  bool hasFlags = tables.getVersion() >= BytecodeVersion{13, 4};
  uint64_t flag;
  Type pointee;
  PointerKindAttr kind;
  if (flags(flag, hasFlags) || tables.type(entry, pointee, "pointee", depth) ||
      (flag && enumerator(kind, "kind of pointer"))) {
    return failure();
  }
  return get<PtrType>(type, pointee, kind);
}

ParseResult TypeReader::readTile(Type &type) {
  Type element;
  SmallVector<int64_t> shape;
  if (tables.type(entry, element, "element type", depth) || entry.list(shape, "extents")) {
    return failure();
  }
  return get<TileType>(type, ArrayRef<int64_t>(shape), element);
}

ParseResult TypeReader::readTensorView(Type &type) {
  bool hasFlags = tables.getVersion() >= BytecodeVersion{13, 4};
  uint64_t flag;
  Type element;
  SmallVector<int64_t> shape, strides;
  PointerKindAttr kind;
  if (flags(flag, hasFlags) || tables.type(entry, element, "element type", depth) || entry.list(shape, "extents") ||
      entry.list(strides, "strides") || (flag && enumerator(kind, "kind of pointer"))) {
    return failure();
  }
  return get<TensorViewType>(type, element, ArrayRef<int64_t>(shape), ArrayRef<int64_t>(strides), kind);
}

ParseResult TypeReader::readPartitionView(Type &type) {
  bool hasFlags = tables.getVersion() >= BytecodeVersion{13, 3};
  uint64_t flag;
  SmallVector<int32_t> tileShape, dimMap;
  TensorViewType view;
  PaddingValueAttr value;
  if (flags(flag, hasFlags) || entry.list(tileShape, "tile extents") || tensorView(view) ||
      entry.list(dimMap, "dimensions") || (!hasFlags && flags(flag, /*isPresent=*/true)) || padding(flag, value)) {
    return failure();
  }
  return get<PartitionViewType>(type, ArrayRef<int32_t>(tileShape), view, ArrayRef<int32_t>(dimMap), value);
}

ParseResult TypeReader::readGatherScatterView(Type &type) {
  uint64_t flag, sparseDim;
  SmallVector<int32_t> tileShape;
  TensorViewType view;
  PaddingValueAttr value;
  if (flags(flag, /*isPresent=*/true) || entry.list(tileShape, "tile extents") || tensorView(view) ||
      entry.bounded(sparseDim, INT32_MAX, "sparse dimension") || padding(flag, value)) {
    return failure();
  }
  return get<GatherScatterViewType>(type, ArrayRef<int32_t>(tileShape), view, int32_t(sparseDim), value);
}

ParseResult TypeReader::readStridedView(Type &type) {
  uint64_t flag;
  SmallVector<int32_t> tileShape, strides, dimMap;
  TensorViewType view;
  PaddingValueAttr value;
  if (flags(flag, /*isPresent=*/true) || entry.list(tileShape, "tile extents") ||
      entry.list(strides, "traversal strides") || tensorView(view) || entry.list(dimMap, "dimensions") ||
      padding(flag, value)) {
    return failure();
  }
  return get<StridedViewType>(type, ArrayRef<int32_t>(tileShape), ArrayRef<int32_t>(strides), view,
                              ArrayRef<int32_t>(dimMap), value);
}

ParseResult TypeReader::readFunction(Type &type) {
  SmallVector<Type> inputs, results;
  Place place = entry.here();
  if (tables.types(entry, inputs, "parameter types", depth) || tables.types(entry, results, "result types", depth)) {
    return failure();
  }
  for (Type part : llvm::concat<Type>(inputs, results)) {
    if (!isCudaTileType(part)) {
      return entry.error(place) << "expected the types of values in a function type, got " << describeType(part);
    }
  }
  type = FunctionType::get(tables.getContext(), inputs, results);
  return success();
}

ParseResult TypeReader::read(TypeTag tag, Type &type) {
  switch (tag) {
  case TypeTag::Ptr:
    return readPtr(type);
  case TypeTag::Tile:
    return readTile(type);
  case TypeTag::TensorView:
    return readTensorView(type);
  case TypeTag::PartitionView:
    return readPartitionView(type);
  case TypeTag::GatherScatterView:
    return readGatherScatterView(type);
  case TypeTag::StridedView:
    return readStridedView(type);
  case TypeTag::Function:
    return readFunction(type);
  default:
    llvm_unreachable("all other types are simple");
  }
}

} // namespace

ParseResult Tables::readType(Cursor &entry, Type &type, unsigned depth) {
  Place start = entry.here();
  uint64_t tag;
  if (entry.varint(tag, "tag of a type")) {
    return failure();
  }
  const TypeRecord *record = lookupTypeByTag(tag);
  if (!record) {
    return entry.error(start) << "expected the tag of a type, got " << tag;
  }
  if (!isAvailable(record->since, layout.version)) {
    return entry.error(start) << "expected a type of version " << layout.version.str() << ", got " << record->name
                              << " of version " << record->since;
  }
  if (record->get) {
    type = record->get(context);
    return success();
  }
  return TypeReader(*this, entry, start, depth).read(TypeTag(tag), type);
}
