// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/AttributeCodec.h"
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/Tables.h"
#include "cuda_tile/bytecode/write/Output.h"
#include "cuda_tile/bytecode/write/TableBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

namespace tilewright::cuda_tile {

//===- Enumerations ---------------------------------------------------------------------===//

// One byte. The template serves every class that is not specialized below.
template <typename EnumAttrT> ParseResult readAttribute(AttributeSource source, Attribute &value) {
  using Enum = decltype(EnumAttrT().getValue());
  Place place = source.cursor.here();
  uint8_t number;
  if (source.cursor.byte(number, source.name)) {
    return failure();
  }
  if (stringifyEnum(Enum(number)).empty()) {
    unsigned last = 0;
    while (!stringifyEnum(Enum(last + 1)).empty()) {
      ++last;
    }
    return source.cursor.error(place) << "expected " << source.name << " up to " << last << ", got "
                                      << unsigned(number);
  }
  const LaterCase *later = lookupLaterCase(EnumAttrT::getMnemonic(), number);
  if (later && !isAvailable(later->since, source.tables.getVersion())) {
    return source.cursor.error(place) << "expected " << source.name << " of version "
                                      << source.tables.getVersion().str() << ", got " << stringifyEnum(Enum(number))
                                      << " of version " << later->since;
  }
  value = EnumAttrT::get(source.tables.getContext(), Enum(number));
  return success();
}
template <typename EnumAttrT> void writeAttribute(AttributeSink sink, Attribute value) {
  auto enumerator = cast<EnumAttrT>(value).getValue();
  if (const LaterCase *later = lookupLaterCase(EnumAttrT::getMnemonic(), uint32_t(enumerator))) {
    sink.tables.require(later->since, stringifyEnum(enumerator) + " of attribute '" + sink.name + "'");
  }
  sink.out.byte(uint8_t(enumerator));
}

//===- Scalars and strings --------------------------------------------------------------===//

// Non-negative numbers are unsigned; others are two's complement of 64 bits.
template <unsigned width> ParseResult readInteger(AttributeSource source, Attribute &value) {
  uint64_t number;
  uint64_t most = llvm::maskTrailingOnes<uint64_t>(width);
  if (source.cursor.bounded(number, most, source.name)) {
    return failure();
  }
  value = IntegerAttr::get(IntegerType::get(source.tables.getContext(), width), APInt(width, number));
  return success();
}
template <unsigned width> void writeInteger(AttributeSink sink, Attribute value) {
  sink.out.varint(cast<IntegerAttr>(value).getValue().getZExtValue());
}

// A unit attribute is a bit of the flag word.
template <> ParseResult readAttribute<UnitAttr>(AttributeSource source, Attribute &value) {
  value = UnitAttr::get(source.tables.getContext());
  return success();
}
template <> void writeAttribute<UnitAttr>(AttributeSink, Attribute) {}

template <> ParseResult readAttribute<BoolAttr>(AttributeSource source, Attribute &value) {
  Place place = source.cursor.here();
  uint8_t number;
  if (source.cursor.byte(number, source.name)) {
    return failure();
  }
  if (number > 1) {
    return source.cursor.error(place) << "expected " << source.name << " to be 0 or 1, got " << unsigned(number);
  }
  value = BoolAttr::get(source.tables.getContext(), number);
  return success();
}
template <> void writeAttribute<BoolAttr>(AttributeSink sink, Attribute value) {
  sink.out.byte(cast<BoolAttr>(value).getValue());
}

template <> ParseResult readAttribute<StringAttr>(AttributeSource source, Attribute &value) {
  StringAttr text;
  if (source.tables.string(source.cursor, text, source.name)) {
    return failure();
  }
  value = text;
  return success();
}
template <> void writeAttribute<StringAttr>(AttributeSink sink, Attribute value) {
  sink.out.varint(sink.tables.string(cast<StringAttr>(value)));
}

template <> ParseResult readAttribute<FlatSymbolRefAttr>(AttributeSource source, Attribute &value) {
  StringAttr name;
  if (source.tables.string(source.cursor, name, source.name)) {
    return failure();
  }
  value = FlatSymbolRefAttr::get(name);
  return success();
}
template <> void writeAttribute<FlatSymbolRefAttr>(AttributeSink sink, Attribute value) {
  sink.out.varint(sink.tables.string(cast<FlatSymbolRefAttr>(value).getAttr()));
}

template <> ParseResult readAttribute<TypeAttr>(AttributeSource source, Attribute &value) {
  Type type;
  if (source.tables.type(source.cursor, type, source.name)) {
    return failure();
  }
  value = TypeAttr::get(type);
  return success();
}
template <> void writeAttribute<TypeAttr>(AttributeSink sink, Attribute value) {
  sink.out.varint(sink.tables.type(cast<TypeAttr>(value).getValue()));
}

//===- Lists ----------------------------------------------------------------------------===//

template <> ParseResult readAttribute<DenseI32ArrayAttr>(AttributeSource source, Attribute &value) {
  SmallVector<int32_t> numbers;
  if (source.cursor.list(numbers, source.name)) {
    return failure();
  }
  value = DenseI32ArrayAttr::get(source.tables.getContext(), numbers);
  return success();
}
template <> void writeAttribute<DenseI32ArrayAttr>(AttributeSink sink, Attribute value) {
  sink.out.list(cast<DenseI32ArrayAttr>(value).asArrayRef());
}

// A list that is false for all dimensions is the default of the dialect, an empty list, however long it is in the file.
template <> ParseResult readAttribute<DenseBoolArrayAttr>(AttributeSource source, Attribute &value) {
  SmallVector<uint8_t> bytes;
  Place place = source.cursor.here();
  if (source.cursor.list(bytes, source.name)) {
    return failure();
  }
  SmallVector<bool> bools;
  for (uint8_t byte : bytes) {
    if (byte > 1) {
      return source.cursor.error(place) << "expected " << source.name << " to be a list of 0 and 1, got "
                                        << unsigned(byte);
    }
    bools.push_back(byte);
  }
  if (!llvm::is_contained(bools, true)) {
    bools.clear();
  }
  value = DenseBoolArrayAttr::get(source.tables.getContext(), bools);
  return success();
}
template <> void writeAttribute<DenseBoolArrayAttr>(AttributeSink sink, Attribute value) {
  ArrayRef<bool> bools = cast<DenseBoolArrayAttr>(value).asArrayRef();
  sink.out.list(ArrayRef<uint8_t>(llvm::to_vector_of<uint8_t>(bools)));
}

template <> ParseResult readAttribute<DenseElementsAttr>(AttributeSource source, Attribute &value) {
  DenseElementsAttr elements;
  if (source.tables.constant(source.cursor, source.resultType, elements, source.name)) {
    return failure();
  }
  value = elements;
  return success();
}
template <> void writeAttribute<DenseElementsAttr>(AttributeSink sink, Attribute value) {
  sink.out.varint(sink.tables.constant(cast<DenseElementsAttr>(value)));
}

#define ENUM(NAME)                                                                                                     \
  template ParseResult readAttribute<NAME##Attr>(AttributeSource, Attribute &);                                        \
  template void writeAttribute<NAME##Attr>(AttributeSink, Attribute);
ENUM(AtomicRMWMode)
ENUM(ComparisonOrdering)
ENUM(ComparisonPredicate)
ENUM(IntegerOverflow)
ENUM(MemoryOrderingSemantics)
ENUM(MemoryScope)
ENUM(MultimemReductionKind)
ENUM(RoundingMode)
ENUM(Signedness)
ENUM(SymbolVisibility)
#undef ENUM
template ParseResult readInteger<32>(AttributeSource, Attribute &);
template ParseResult readInteger<64>(AttributeSource, Attribute &);
template void writeInteger<32>(AttributeSink, Attribute);
template void writeInteger<64>(AttributeSink, Attribute);

} // namespace tilewright::cuda_tile
