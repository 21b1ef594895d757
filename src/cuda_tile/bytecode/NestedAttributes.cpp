// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes made of attributes: arrays, dictionaries and hints, whose items are in the tagged form.
#include "cuda_tile/bytecode/AttributeCodec.h"
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/Tables.h"
#include "cuda_tile/bytecode/TypeTable.h"
#include "cuda_tile/bytecode/write/Output.h"
#include "cuda_tile/bytecode/write/TableBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

namespace tilewright::cuda_tile {

//===- Bare -----------------------------------------------------------------------------===//

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

} // namespace tilewright::cuda_tile
