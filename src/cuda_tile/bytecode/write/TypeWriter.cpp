// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/TypeTable.h"
#include "cuda_tile/bytecode/write/TableBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::cuda_tile;
using namespace tilewright::cuda_tile::format;

uint64_t TableBuilder::type(Type type) {
  if (auto found = types.find(type); found != types.end()) {
    return found->second;
  }
  Output entry;
  writeType(entry, type);
  uint64_t number = typeEntries.insert(entry.str());
  types[type] = number;
  return number;
}

void TableBuilder::writeType(Output &out, Type type) {
  const TypeRecord *record = lookupType(type);
  if (!record) {
    return refuse("bytecode has no type " + describeType(type));
  }
  if (!require(record->since, "type " + record->name)) {
    return;
  }
  out.varint(record->tag);
  auto kind = [&](PointerKindAttr kind) {
    if (!kind || !require("13.4", "the kind of a pointer")) {
      return;
    }
    if (const LaterCase *later = lookupLaterCase(PointerKindAttr::getMnemonic(), uint32_t(kind.getValue()))) {
      require(later->since, "pointer kind " + stringifyEnum(kind.getValue()));
    }
    out.byte(uint8_t(kind.getValue()));
  };
  auto padding = [&](PaddingValueAttr padding) {
    if (padding) {
      out.byte(uint8_t(padding.getValue()));
    }
  };
  auto typeList = [&](ArrayRef<Type> list) {
    SmallVector<uint64_t> numbers = llvm::map_to_vector(list, [&](Type part) { return this->type(part); });
    out.varint(numbers.size());
    for (uint64_t number : numbers) {
      out.varint(number);
    }
  };
  llvm::TypeSwitch<Type>(type)
      .Case([&](PtrType ptr) {
        if (isAvailable("13.4", version)) {
          out.varint(bool(ptr.getKind()));
        }
        out.varint(this->type(ptr.getPointee()));
        kind(ptr.getKind());
      })
      .Case([&](TileType tile) {
        out.varint(this->type(tile.getElementType()));
        out.list(tile.getShape());
      })
      .Case([&](TensorViewType view) {
        if (isAvailable("13.4", version)) {
          out.varint(bool(view.getKind()));
        }
        out.varint(this->type(view.getElementType()));
        out.list(view.getShape());
        out.list(view.getStrides());
        kind(view.getKind());
      })
      .Case([&](PartitionViewType view) {
        bool hasPadding(view.getPaddingValue());
        // Up to 13.2 the flag stands right before the padding.
        bool isFlagFirst = isAvailable("13.3", version);
        if (isFlagFirst) {
          out.varint(hasPadding);
        }
        out.list(view.getTileShape());
        out.varint(this->type(view.getTensorView()));
        out.list(view.getDimMap());
        if (!isFlagFirst) {
          out.varint(hasPadding);
        }
        padding(view.getPaddingValue());
      })
      .Case([&](GatherScatterViewType view) {
        out.varint(bool(view.getPaddingValue()));
        out.list(view.getTileShape());
        out.varint(this->type(view.getTensorView()));
        out.varint(uint32_t(view.getSparseDim()));
        padding(view.getPaddingValue());
      })
      .Case([&](StridedViewType view) {
        out.varint(bool(view.getPaddingValue()));
        out.list(view.getTileShape());
        out.list(view.getTraversalStrides());
        out.varint(this->type(view.getTensorView()));
        out.list(view.getDimMap());
        padding(view.getPaddingValue());
      })
      .Case([&](FunctionType function) {
        typeList(function.getInputs());
        typeList(function.getResults());
      });
}
