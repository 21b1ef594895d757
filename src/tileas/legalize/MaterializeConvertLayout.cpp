// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a block does not have as much shared memory as buffers of whole tiles need, slower forms are tried, each on the
// function as it was:
//
//   way                       128 KB of a tile, its copy in another layout    operands a, b, c of a b, c a: 64 KB each
//   whole tiles               128 KB                                          192 KB, a stays while b and c come and go
//   parts of 64 KB            two parts, one after the other: 64 KB
//   a buffer for each use                                                     128 KB, a is written a second time
//   parts of products along K                                                 a quarter of the memory for each product
#include "layout/conversion/Conversion.h"
#include "layout/memory/SharedLayouts.h"
#include "machine/Architecture.h"
#include "tileas/ir/LayoutParts.h"
#include "tileas/ir/Tileas.h"
#include "tileas/legalize/Passes.h"
#include "tileas/legalize/SplitProducts.h"
#include "tileas/memory/SharedPlaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASMATERIALIZECONVERTLAYOUT
#include "tileas/legalize/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;
using layout::LinearLayout;

namespace {

struct Way {
  bool bufferForEachUse;
  int64_t mostBytes; // of the buffer of a conversion; 0: the memory of a block
  bool splitsProducts = false;
};
// The fastest first.
constexpr Way ways[] = {{false, 0},       {false, 64 << 10}, {true, 0},
                        {true, 64 << 10}, {true, 16 << 10},  {true, 16 << 10, true}};

// The largest part of a tile of that shape that has so few bytes, where all parts are in registers of their own.
std::optional<SmallVector<int64_t>> choosePart(ArrayRef<LinearLayout> layouts, ArrayRef<int64_t> whole,
                                               int64_t mostElements) {
  SmallVector<int64_t> shape(whole);
  auto isPart = [&] {
    return llvm::all_of(layouts, [&](const LinearLayout &layout) {
      return tileas::layoutOfParts(layout.reshape(whole), shape).has_value();
    });
  };
  auto halve = [&](int64_t &extent) {
    if (extent == 1)
      return false;
    extent /= 2;
    if (isPart())
      return true;
    extent *= 2;
    return false;
  };
  while (llvm::product_of(shape) > mostElements)
    if (llvm::none_of(shape, halve))
      return std::nullopt;
  return shape;
}

// The shape with the same elements, one after another, in which a dimension is along lanes and warps or is not.
SmallVector<int64_t> shapeByRegisters(ArrayRef<LinearLayout> layouts) {
  layout::F2Vector others = 0;
  for (const LinearLayout &layout : layouts)
    for (layout::Dim dim : {layout::Dim::Lane, layout::Dim::Warp})
      for (layout::F2Vector basis : layout.basisOf(dim))
        others |= basis;
  SmallVector<int64_t> shape;
  auto isOther = [&](unsigned bit) { return bool(others >> bit & 1); };
  unsigned bits = layouts.front().outputBits();
  for (unsigned bit = bits; bit-- > 0;) {
    if (bit + 1 == bits || isOther(bit) != isOther(bit + 1))
      shape.push_back(1);
    shape.back() *= 2;
  }
  return shape;
}

// A tile as it goes through less memory than it has: the shape that it takes, and that of its parts.
struct Partition {
  SmallVector<int64_t> whole, part;
};

// Parts of the tile as it is, or of another shape; where that can be, in registers of their own in both layouts.
std::optional<Partition> choosePartition(const LinearLayout &from, const LinearLayout &to, int64_t mostElements) {
  const LinearLayout both[] = {from, to};
  for (ArrayRef<LinearLayout> layouts : {ArrayRef(both), ArrayRef(both).take_front()})
    for (const SmallVector<int64_t> &whole : {from.shape(), shapeByRegisters(layouts)})
      if (auto part = choosePart(layouts, whole, mostElements); part && *part != whole)
        return Partition{whole, *part};
  return std::nullopt;
}

class MaterializeConvertLayout : public tilewright::impl::TileasMaterializeConvertLayoutBase<MaterializeConvertLayout> {
public:
  using TileasMaterializeConvertLayoutBase::TileasMaterializeConvertLayoutBase;

private:
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    const nvidia::Architecture *architecture = tileas::architectureOf(function);
    if (!architecture)
      return signalPassFailure();
    int64_t limit = tileas::sharedLimit(function, *architecture);
    OwningOpRef<func::FuncOp> before = function.clone();
    for (const Way &way : ways) {
      if (&way != ways)
        function.getBody().takeBody(OwningOpRef<func::FuncOp>(before->clone())->getBody());
      mostBytes = way.mostBytes ? way.mostBytes : limit;
      if (way.bufferForEachUse)
        writeForEachUse(function);
      if (way.splitsProducts)
        tileas::splitProducts(function, limit / 4);
      SmallVector<tileas::ConvertLayoutOp> conversions;
      function.walk([&](tileas::ConvertLayoutOp convert) { conversions.push_back(convert); });
      for (tileas::ConvertLayoutOp convert : conversions)
        if (failed(materialize(convert)))
          return signalPassFailure();
      if (tileas::SharedPlaces(function).total() <= limit)
        return;
    }
  }

  // The tile of a buffer stays in registers between its uses, which are of one buffer each.
  void writeForEachUse(func::FuncOp function) {
    SmallVector<tileas::AllocOp> allocs;
    function.walk([&](tileas::AllocOp alloc) { allocs.push_back(alloc); });
    for (tileas::AllocOp alloc : allocs) {
      tileas::WriteOp write;
      SmallVector<Operation *> readers;
      bool isPlain = true;
      for (Operation *user : alloc->getUsers())
        if (auto known = dyn_cast<tileas::WriteOp>(user)) {
          isPlain &= !write;
          write = known;
        } else {
          isPlain &= isa<tileas::MmaOp, tileas::ReadOp>(user);
          readers.push_back(user);
        }
      if (!isPlain || !write)
        continue;
      for (Operation *reader : readers) {
        OpBuilder builder(reader);
        IRMapping mapping;
        builder.clone(*alloc, mapping);
        builder.clone(*write, mapping);
        reader->replaceUsesOfWith(alloc, mapping.lookup(alloc.getResult()));
      }
      write.erase();
      alloc.erase();
    }
  }

  LogicalResult materialize(tileas::ConvertLayoutOp convert) {
    auto type = cast<RankedTensorType>(convert.getType());
    const LinearLayout &from = tileas::layoutOf(convert.getSource()), &to = tileas::layoutOf(type);
    layout::ConversionOptions options;
    options.elementBits = std::max(8u, type.getElementType().getIntOrFloatBitWidth());
    options.mostSharedBytes = mostBytes;
    auto conversion = layout::chooseConversion(from, to, options);
    if (!conversion || !conversion->shared.parts.empty()) {
      if (auto parts = choosePartition(from, to, mostBytes * 8 / options.elementBits))
        return materializeByParts(convert, *parts);
      return convert.emitError() << "a tile of " << type.getNumElements() << " elements of " << options.elementBits
                                 << " bits does not fit into the " << mostBytes
                                 << " bytes of shared memory for a conversion of its layout, and "
                                    "nor do parts of it; expected a smaller tile";
    }
    if (conversion->kind != layout::ConversionKind::Shared)
      return success();
    LinearLayout shared = conversion->shared.shared;
    if (alwaysSwizzle && llvm::all_of(shared.basisOf(layout::Dim::Offset), llvm::isPowerOf2_64))
      shared =
          layout::addressSwizzle(layout::SwizzleMode::B128, shared.inputSize(layout::Dim::Offset), options.elementBits)
              .then(shared);
    OpBuilder builder(convert);
    Location loc = convert.getLoc();
    auto buffer = tileas::BufferType::get(&getContext(), type.getShape(), type.getElementType(),
                                          tileas::LayoutAttr::get(&getContext(), shared));
    Value alloc = tileas::AllocOp::create(builder, loc, buffer, IntegerAttr());
    tileas::WriteOp::create(builder, loc, convert.getSource(), alloc);
    convert.replaceAllUsesWith(tileas::ReadOp::create(builder, loc, type, alloc, ValueRange()).getResult());
    convert.erase();
    return success();
  }

  static Value reshape(OpBuilder &builder, Value tile, ArrayRef<int64_t> shape) {
    LinearLayout layout = tileas::layoutOf(tile).reshape(shape);
    Type type = tileas::typeWith(getElementTypeOrSelf(tile.getType()), layout);
    return builder.createOrFold<tileaa::ReshapeOp>(tile.getLoc(), type, tile);
  }

  // One part after another: out of the registers that hold it, and into those that are to. Where these are not the same
  // registers of all threads, each thread reads what its registers would have of that part, and takes it where they do.
  LogicalResult materializeByParts(tileas::ConvertLayoutOp convert, const Partition &partition) {
    OpBuilder builder(convert);
    Location loc = convert.getLoc();
    Value source = reshape(builder, convert.getSource(), partition.whole);
    Type element = getElementTypeOrSelf(source.getType());
    ArrayRef<int64_t> shape = partition.part;
    LinearLayout from = tileas::layoutOf(source), to = tileas::layoutOf(convert.getType()).reshape(partition.whole);
    Type part = tileas::typeWith(element, *tileas::layoutOfParts(from, shape));
    auto own = tileas::layoutOfParts(to, shape);
    Type arrived = tileas::typeWith(element, own ? *own : tileas::repeatedOver(to, shape));
    auto type = cast<RankedTensorType>(tileas::typeWith(element, to));
    Value result = arith::ConstantOp::create(builder, loc, type, builder.getZeroAttr(type));
    SmallVector<int64_t> begin(shape.size(), 0);
    while (true) {
      SmallVector<Value> offsets;
      for (int64_t offset : begin)
        offsets.push_back(arith::ConstantIndexOp::create(builder, loc, offset));
      Value taken = tileaa::ExtractOp::create(builder, loc, part, source, offsets);
      auto moved = tileas::ConvertLayoutOp::create(builder, loc, arrived, taken);
      result = tileaa::InsertOp::create(builder, loc, type, moved, result, offsets);
      if (failed(materialize(moved)))
        return failure();
      unsigned dim = 0;
      while (dim != shape.size() && (begin[dim] += shape[dim]) == type.getDimSize(dim))
        begin[dim++] = 0;
      if (dim == shape.size())
        break;
    }
    convert.replaceAllUsesWith(reshape(builder, result, cast<RankedTensorType>(convert.getType()).getShape()));
    convert.erase();
    return success();
  }

  int64_t mostBytes = 0;
};

} // namespace
