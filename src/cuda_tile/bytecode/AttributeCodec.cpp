// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/AttributeCodec.h"
#include "cuda_tile/bytecode/Output.h"
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/TableBuilder.h"
#include "cuda_tile/bytecode/Tables.h"
#include "cuda_tile/bytecode/TypeTable.h"
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

// What is not negative as an unsigned number; the rest as two's complement of 64 bits.
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

// What holds of no dimension is the default of the dialect, an empty list, however long it is in the file.
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

static ParseResult readArray(AttributeSource source, Attribute &value, unsigned depth) {
  uint64_t count;
  if (source.cursor.count(count, 1, source.name)) {
    return failure();
  }
  SmallVector<Attribute> items(count);
  for (Attribute &item : items) {
    if (readTagged(source, item, depth)) {
      return failure();
    }
  }
  value = ArrayAttr::get(source.tables.getContext(), items);
  return success();
}
template <> ParseResult readAttribute<ArrayAttr>(AttributeSource source, Attribute &value) {
  return readArray(source, value, /*depth=*/0);
}
template <> void writeAttribute<ArrayAttr>(AttributeSink sink, Attribute value) {
  sink.out.varint(cast<ArrayAttr>(value).size());
  for (Attribute item : cast<ArrayAttr>(value)) {
    writeTagged(sink, item);
  }
}

static ParseResult readDictionary(AttributeSource source, Attribute &value, unsigned depth) {
  uint64_t count;
  if (source.cursor.count(count, 2, source.name)) {
    return failure();
  }
  NamedAttrList items;
  for (uint64_t i = 0; i < count; ++i) {
    Place place = source.cursor.here();
    StringAttr key;
    Attribute item;
    if (source.tables.string(source.cursor, key, source.name) || readTagged(source, item, depth)) {
      return failure();
    }
    if (key.empty()) {
      return source.cursor.error(place) << "expected the keys of " << source.name << " to have a name, got none";
    }
    items.append(key, item);
  }
  if (std::optional<NamedAttribute> twice = items.findDuplicate()) {
    return source.cursor.error() << "expected the keys of " << source.name << " once, got '"
                                 << twice->getName().getValue() << "' again";
  }
  value = items.getDictionary(source.tables.getContext());
  return success();
}
static void writeDictionary(AttributeSink sink, DictionaryAttr value) {
  sink.out.varint(value.size());
  for (NamedAttribute item : value) {
    sink.out.varint(sink.tables.string(item.getName()));
    writeTagged(sink, item.getValue());
  }
}

static ParseResult readHints(AttributeSource source, Attribute &value, unsigned depth) {
  Place place = source.cursor.here();
  Attribute dictionary;
  if (readDictionary(source, dictionary, depth)) {
    return failure();
  }
  value = OptimizationHintsAttr::getChecked([&] { return source.cursor.error(place); }, source.tables.getContext(),
                                            cast<DictionaryAttr>(dictionary));
  return failure(!value);
}
template <> ParseResult readAttribute<OptimizationHintsAttr>(AttributeSource source, Attribute &value) {
  return readHints(source, value, /*depth=*/0);
}

// Before 13.5 a kernel has one or two warpgroups of workers.
static constexpr int64_t warpsBefore13_5[] = {4, 8};
static constexpr LaterHint laterHints[] = {
    {"default", "13.3", {}},
    {"num_worker_warps_per_cta", "13.3", {}},
    {"num_worker_warps_per_cta", "13.5", warpsBefore13_5},
};
ArrayRef<LaterHint> getLaterHints() {
  return laterHints;
}

/// Refuses a hint or an architecture that the version lacks.
static void checkHints(TableBuilder &tables, DictionaryAttr hints) {
  for (NamedAttribute hint : hints) {
    auto number = dyn_cast<IntegerAttr>(hint.getValue());
    for (const LaterHint &later : laterHints) {
      if (hint.getName() != later.name || (number && llvm::is_contained(later.before, number.getInt()))) {
        continue;
      }
      std::string what = "'" + later.name.str() + "' of attribute 'optimization_hints'";
      tables.require(later.since, later.before.empty() ? what : std::to_string(number.getInt()) + " of " + what);
    }
    if (auto inner = dyn_cast<DictionaryAttr>(hint.getValue())) {
      checkHints(tables, inner);
    }
  }
}
template <> void writeAttribute<OptimizationHintsAttr>(AttributeSink sink, Attribute value) {
  checkHints(sink.tables, cast<OptimizationHintsAttr>(value).getValue());
  writeDictionary(sink, cast<OptimizationHintsAttr>(value).getValue());
}

// An attribute of any class says which.
template <> ParseResult readAttribute<Attribute>(AttributeSource source, Attribute &value) {
  return readTagged(source, value);
}
template <> void writeAttribute<Attribute>(AttributeSink sink, Attribute value) {
  writeTagged(sink, value);
}

//===- Tagged ---------------------------------------------------------------------------===//

static ParseResult readTypedInteger(AttributeSource source, Attribute &value) {
  Place place = source.cursor.here();
  Type type;
  uint64_t number;
  if (source.tables.type(source.cursor, type, "type of an integer")) {
    return failure();
  }
  if (!isa<IntegerType>(type)) {
    return source.cursor.error(place) << "expected the type of an integer, got " << describeType(type);
  }
  unsigned width = type.getIntOrFloatBitWidth();
  if (source.cursor.bounded(number, llvm::maskTrailingOnes<uint64_t>(width), "integer of its type")) {
    return failure();
  }
  value = IntegerAttr::get(type, APInt(width, number));
  return success();
}

/// Up to eight bits are a byte, more are a signed number.
static ParseResult readTypedFloat(AttributeSource source, Attribute &value) {
  Place place = source.cursor.here();
  Type type;
  if (source.tables.type(source.cursor, type, "type of a float")) {
    return failure();
  }
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType) {
    return source.cursor.error(place) << "expected the type of a float, got " << describeType(type);
  }
  unsigned width = floatType.getWidth();
  uint64_t bits;
  Place bitsPlace = source.cursor.here();
  if (width <= 8) {
    uint8_t byte;
    if (source.cursor.byte(byte, "bits of a float")) {
      return failure();
    }
    bits = byte;
  } else if (source.cursor.bits(bits, "bits of a float")) {
    return failure();
  }
  if (bits > llvm::maskTrailingOnes<uint64_t>(width)) {
    return source.cursor.error(bitsPlace) << "expected " << width << " bits of a float, got more";
  }
  value = FloatAttr::get(type, APFloat(floatType.getFloatSemantics(), APInt(width, bits)));
  return success();
}

static ParseResult readBounds(AttributeSource source, std::optional<int64_t> &first, std::optional<int64_t> &second,
                              StringRef firstName, StringRef secondName) {
  Place place = source.cursor.here();
  uint8_t flags;
  if (source.cursor.byte(flags, "flags of a predicate")) {
    return failure();
  }
  if (flags > 3) {
    return source.cursor.error(place) << "expected flags of a predicate up to 3, got " << unsigned(flags);
  }
  return failure(((flags & 1) && source.cursor.signedVarint(first.emplace(), firstName)) ||
                 ((flags & 2) && source.cursor.signedVarint(second.emplace(), secondName)));
}
static void writeBounds(Output &out, std::optional<int64_t> first, std::optional<int64_t> second) {
  out.byte(first.has_value() | second.has_value() << 1);
  for (std::optional<int64_t> bound : {first, second}) {
    if (bound) {
      out.signedVarint(*bound);
    }
  }
}

static ParseResult readPredicate(AttributeSource source, AttributeTag tag, Place start, Attribute &value) {
  MLIRContext *context = source.tables.getContext();
  auto emitError = [&] { return source.cursor.error(start); };
  std::optional<int64_t> first, second;
  if (tag == AttributeTag::DivBy) {
    uint64_t divisor;
    if (source.cursor.varint(divisor, "divisor") || readBounds(source, first, second, "every", "along")) {
      return failure();
    }
    value = DivByAttr::getChecked(emitError, context, divisor, first, second);
  } else if (tag == AttributeTag::Bounded) {
    if (readBounds(source, first, second, "lower bound", "upper bound")) {
      return failure();
    }
    value = BoundedAttr::getChecked(emitError, context, first, second);
  } else {
    SmallVector<int64_t> values;
    if (source.cursor.list(values, "lengths of equal elements")) {
      return failure();
    }
    value = SameElementsAttr::getChecked(emitError, context, DenseI64ArrayAttr::get(context, values));
  }
  return failure(!value);
}

ParseResult readTagged(AttributeSource source, Attribute &value, unsigned depth) {
  Place start = source.cursor.here();
  uint8_t tag;
  if (source.cursor.byte(tag, "tag of an attribute")) {
    return failure();
  }
  if (depth == maxAttributeDepth) {
    return source.cursor.error(start) << "expected attributes to nest at most " << maxAttributeDepth
                                      << " deep, got more";
  }
  switch (AttributeTag(tag)) {
  case AttributeTag::Integer:
    return readTypedInteger(source, value);
  case AttributeTag::Float:
    return readTypedFloat(source, value);
  case AttributeTag::Bool:
    return readAttribute<BoolAttr>(source, value);
  case AttributeTag::Type:
    return readAttribute<TypeAttr>(source, value);
  case AttributeTag::String:
    return readAttribute<StringAttr>(source, value);
  case AttributeTag::Array:
    return readArray(source, value, depth + 1);
  case AttributeTag::DenseElements: {
    Type type;
    DenseElementsAttr elements;
    if (source.tables.type(source.cursor, type, "type of dense elements") ||
        source.tables.constant(source.cursor, type, elements, "dense elements")) {
      return failure();
    }
    value = elements;
    return success();
  }
  case AttributeTag::Dictionary:
    return readDictionary(source, value, depth + 1);
  case AttributeTag::OptimizationHints:
    return readHints(source, value, depth + 1);
  case AttributeTag::DivBy:
  case AttributeTag::SameElements:
  case AttributeTag::Bounded:
    return readPredicate(source, AttributeTag(tag), start, value);
  }
  return source.cursor.error(start) << "expected the tag of an attribute, got " << unsigned(tag);
}

/// Writes `tag`, then `value` as an attribute of class `AttrT`.
template <typename AttrT> static void writeTaggedAs(AttributeSink sink, AttributeTag tag, Attribute value) {
  sink.out.byte(uint8_t(tag));
  writeAttribute<AttrT>(sink, value);
}

void writeTagged(AttributeSink sink, Attribute value) {
  Output &out = sink.out;
  auto tag = [&](AttributeTag tag) { out.byte(uint8_t(tag)); };
  llvm::TypeSwitch<Attribute>(value)
      .Case([&](BoolAttr) { writeTaggedAs<BoolAttr>(sink, AttributeTag::Bool, value); })
      .Case([&](StringAttr) { writeTaggedAs<StringAttr>(sink, AttributeTag::String, value); })
      .Case([&](TypeAttr) { writeTaggedAs<TypeAttr>(sink, AttributeTag::Type, value); })
      .Case([&](ArrayAttr) { writeTaggedAs<ArrayAttr>(sink, AttributeTag::Array, value); })
      .Case([&](OptimizationHintsAttr) {
        writeTaggedAs<OptimizationHintsAttr>(sink, AttributeTag::OptimizationHints, value);
      })
      .Case([&](DictionaryAttr dictionary) {
        tag(AttributeTag::Dictionary);
        writeDictionary(sink, dictionary);
      })
      .Case([&](IntegerAttr integer) {
        tag(AttributeTag::Integer);
        out.varint(sink.tables.type(integer.getType()));
        out.varint(integer.getValue().getZExtValue());
      })
      .Case([&](FloatAttr number) {
        APInt bits = number.getValue().bitcastToAPInt();
        tag(AttributeTag::Float);
        out.varint(sink.tables.type(number.getType()));
        if (bits.getBitWidth() <= 8) {
          out.byte(uint8_t(bits.getZExtValue()));
        } else {
          out.signedVarint(int64_t(bits.getZExtValue()));
        }
      })
      .Case([&](DenseElementsAttr elements) {
        tag(AttributeTag::DenseElements);
        out.varint(sink.tables.type(elements.getType()));
        out.varint(sink.tables.constant(elements));
      })
      .Case([&](DivByAttr predicate) {
        tag(AttributeTag::DivBy);
        out.varint(predicate.getDivisor());
        writeBounds(out, predicate.getEvery(), predicate.getAlong());
      })
      .Case([&](BoundedAttr predicate) {
        tag(AttributeTag::Bounded);
        writeBounds(out, predicate.getLb(), predicate.getUb());
      })
      .Case([&](SameElementsAttr predicate) {
        tag(AttributeTag::SameElements);
        out.list(predicate.getValues().asArrayRef());
      })
      .Default([&](Attribute other) { sink.tables.refuse(other); });
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
