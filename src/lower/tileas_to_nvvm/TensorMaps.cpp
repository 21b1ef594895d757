// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/TensorMaps.h"

#include "lower/tileas_to_nvvm/GlobalMemory.h"
#include "lower/tileas_to_nvvm/InlinePtx.h"
#include "lower/tileas_to_nvvm/Lowerings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

// More than the blocks that a GPU has in flight; should they be more, some wait.
constexpr int64_t places = 1024;
constexpr int64_t mapBytes = tileas::tmaDescBytes;
constexpr StringLiteral takenName = "tilewright_tensor_maps_taken", mapsName = "tilewright_tensor_maps",
                        nothingName = "tilewright_nothing";

// PTX ISA, tensormap.replace: how the values of the fields are numbered there.
int64_t elementNumber(Type type) {
  if (type.isTF32())
    return 11; // rounds
  if (type.isBF16())
    return 10;
  if (type.isF64())
    return 9;
  if (type.isF32())
    return 7;
  if (type.isF16())
    return 6;
  switch (type.getIntOrFloatBitWidth()) {
  case 8:
    return 0;
  case 16:
    return 1;
  case 32:
    return 2;
  default:
    return 4;
  }
}
int64_t swizzleNumber(int64_t bytes) {
  return bytes == 16 ? 0 : llvm::Log2_64(bytes) - 4;
}

Value addressOf(StringRef name, TileRegisters &tiles) {
  auto pointer = LLVM::LLVMPointerType::get(tiles.builder.getContext(), 1);
  return LLVM::PtrToIntOp::create(tiles.builder, tiles.loc, tiles.builder.getI64Type(),
                                  LLVM::AddressOfOp::create(tiles.builder, tiles.loc, pointer, name));
}

// A map in shared memory, at an address there, i32, that is zero yet.
class MapInShared {
public:
  MapInShared(Value place, TileRegisters &tiles) : place(place), tiles(tiles) {}

  void encode(tileas::MakeTmaDescOp make) {
    OpBuilder &b = tiles.builder;
    Location loc = tiles.loc;
    tileaa::ViewType type = make.getView().getType();
    SmallVector<Value> parts = tiles.get(make.getView());
    Value base = parts.front();
    ArrayRef<Value> dynamic = ArrayRef(parts).drop_front();
    auto take = [&](int64_t known) {
      if (!ShapedType::isDynamic(known))
        return tiles.i64(known);
      Value value = arith::IndexCastOp::create(b, loc, b.getI64Type(), dynamic.front());
      dynamic = dynamic.drop_front();
      return value;
    };
    SmallVector<Value> extents, strides;
    for (int64_t extent : type.getShape())
      extents.push_back(take(extent));
    for (int64_t stride : type.getStrides())
      strides.push_back(take(stride));

    // The hardware knows no extent of zero: one element that is zero, or that nobody reads, stands for none.
    Value isEmpty;
    for (auto [known, extent] : llvm::zip_equal(type.getShape(), extents))
      if (ShapedType::isDynamic(known)) {
        Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, extent, tiles.i64(1));
        isEmpty = isEmpty ? arith::OrIOp::create(b, loc, isEmpty, none).getResult() : none;
      }
    if (isEmpty) {
      base =
          arith::SelectOp::create(b, loc, isEmpty, addressOf(make.getStored() ? nothingName : zerosName, tiles), base);
      for (Value &extent : extents)
        extent = arith::SelectOp::create(b, loc, isEmpty, tiles.i64(1), extent);
    }

    Type element = make.getFormat().value_or(type.getElementType());
    unsigned rank = type.getRank();
    set("global_address", "b64", base);
    set("rank", "b32", rank - 1);
    // From the innermost dimension on, which has no stride.
    for (unsigned dim = 0; dim != rank; ++dim) {
      unsigned ofView = rank - 1 - dim;
      setOf(dim, "box_dim", "b32", tiles.i32(make.getBox()[ofView]));
      Value most = arith::MinSIOp::create(b, loc, extents[ofView], tiles.i64(std::numeric_limits<int32_t>::max()));
      setOf(dim, "global_dim", "b32", arith::TruncIOp::create(b, loc, b.getI32Type(), most));
      setOf(dim, "element_stride", "b32", tiles.i32(1));
      if (dim)
        setOf(dim - 1, "global_stride", "b64",
              arith::MulIOp::create(b, loc, strides[ofView], tiles.i64(bytesOf(type.getElementType()))));
    }
    set("elemtype", "b32", elementNumber(element));
    set("interleave_layout", "b32", 0);
    set("swizzle_mode", "b32", swizzleNumber(make.getSwizzle()));
    set("fill_mode", "b32", 0);
  }

private:
  static std::string replace(StringRef field, StringRef type) {
    return ("tensormap.replace.tile." + field + ".shared::cta.b1024." + type + " [$0], ").str();
  }
  void set(StringRef field, StringRef type, int64_t value) {
    actByPtx(replace(field, type) + Twine(value) + ";", "r", {place}, tiles);
  }
  void set(StringRef field, StringRef type, Value value) {
    actByPtx(replace(field, type) + "$1;", type == "b64" ? "r,l" : "r,r", {place, value}, tiles);
  }
  void setOf(unsigned dim, StringRef field, StringRef type, Value value) {
    actByPtx(replace(field, type) + Twine(dim) + ", $1;", type == "b64" ? "r,l" : "r,r", {place, value}, tiles);
  }

  Value place;
  TileRegisters &tiles;
};

Value takenAddress(Value number, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Value offset = arith::ExtUIOp::create(b, tiles.loc, b.getI64Type(),
                                        arith::MulIOp::create(b, tiles.loc, number, tiles.i32(sizeof(int32_t))));
  return arith::AddIOp::create(b, tiles.loc, addressOf(takenName, tiles), offset);
}

// The number of a place that nobody has. The first try is the multiprocessor's own.
Value takePlace(TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  Type i32 = b.getI32Type();
  Value last = tiles.i32(places - 1);
  Value first = arith::AndIOp::create(b, loc, NVVM::SmIdOp::create(b, loc, i32), last);
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(i32), ValueRange(first),
      [&](OpBuilder &b, Location loc, ValueRange number) {
        auto taken = LLVM::InlineAsmOp::create(b, loc, i32, takenAddress(number[0], tiles),
                                               "atom.acquire.gpu.global.cas.b32 $0, [$1], 0, 1;", "=r,l,~{memory}",
                                               /*has_side_effects=*/true, /*is_align_stack=*/false,
                                               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
        Value isTaken = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, taken.getResult(0), tiles.i32(0));
        scf::ConditionOp::create(b, loc, isTaken, number);
      },
      [&](OpBuilder &b, Location loc, ValueRange number) {
        Value next = arith::AddIOp::create(b, loc, number[0], tiles.i32(1));
        scf::YieldOp::create(b, loc, ValueRange(arith::AndIOp::create(b, loc, next, last)));
      });
  return loop.getResult(0);
}

// The place of the block's first map, of `count`: i64.
Value mapsOf(Value number, int64_t count, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Value offset = arith::MulIOp::create(b, tiles.loc, number, tiles.i32(count * mapBytes));
  return arith::AddIOp::create(b, tiles.loc, addressOf(mapsName, tiles),
                               arith::ExtUIOp::create(b, tiles.loc, b.getI64Type(), offset));
}

} // namespace

void tilewright::addTensorMaps(ModuleOp module) {
  size_t most = 0;
  module.walk([&](tileas::WriteTmaDescsOp write) { most = std::max(most, write.getDescs().size()); });
  if (!most)
    return;
  auto builder = OpBuilder::atBlockBegin(module.getBody());
  auto add = [&](StringRef name, Type element, int64_t count, unsigned alignment) {
    auto type = LLVM::LLVMArrayType::get(element, count);
    auto global = LLVM::GlobalOp::create(builder, module.getLoc(), type, /*isConstant=*/false, LLVM::Linkage::Internal,
                                         name, Attribute(), alignment, /*addrSpace=*/1);
    Block &block = global.getInitializerRegion().emplaceBlock();
    auto inside = OpBuilder::atBlockEnd(&block);
    LLVM::ReturnOp::create(inside, module.getLoc(), LLVM::ZeroOp::create(inside, module.getLoc(), type));
  };
  add(takenName, builder.getI32Type(), places, 4);
  add(mapsName, builder.getI8Type(), places * most * mapBytes, mapBytes);
  add(nothingName, builder.getI8Type(), 16, 16);
}

LogicalResult tilewright::lowerWriteTmaDescs(tileas::WriteTmaDescsOp write, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  int64_t count = write.getDescs().size();
  Value scratch = tiles.get(write.getScratch())[0];
  auto pointerTo = [&](int64_t offset) {
    return tiles.sharedPointer(arith::AddIOp::create(b, loc, scratch, tiles.i32(offset)));
  };
  auto asNumber = [&](Value pointer) { return LLVM::PtrToIntOp::create(b, loc, b.getI32Type(), pointer).getResult(); };
  auto loadNumber = [&] { return LLVM::LoadOp::create(b, loc, b.getI32Type(), pointerTo(count * mapBytes)); };
  {
    OpBuilder::InsertionGuard guard(b);
    Value isFirstWarp = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, tiles.thread(), tiles.i32(32));
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, isFirstWarp, /*withElseRegion=*/false).thenBlock());
    Value word = arith::MulIOp::create(b, loc, tiles.lane(), tiles.i32(4));
    for (int64_t map = 0; map != count; ++map) {
      Value place =
          arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, scratch, tiles.i32(map * mapBytes)), word);
      LLVM::StoreOp::create(b, loc, tiles.i32(0), tiles.sharedPointer(place));
    }
    Value all = tiles.i32(-1);
    NVVM::SyncWarpOp::create(b, loc, all);
    {
      OpBuilder::InsertionGuard inWarp(b);
      b.setInsertionPointToStart(
          scf::IfOp::create(b, loc, tiles.isFirstThread(), /*withElseRegion=*/false).thenBlock());
      LLVM::StoreOp::create(b, loc, takePlace(tiles), pointerTo(count * mapBytes));
      for (auto [map, desc] : llvm::enumerate(write.getDescs()))
        MapInShared(asNumber(pointerTo(map * mapBytes)), tiles).encode(desc.getDefiningOp<tileas::MakeTmaDescOp>());
    }
    NVVM::SyncWarpOp::create(b, loc, all);
    Value maps = mapsOf(loadNumber(), count, tiles);
    for (int64_t map = 0; map != count; ++map)
      actByPtx("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], " +
                   Twine(mapBytes) + ";",
               "l,r",
               {arith::AddIOp::create(b, loc, maps, tiles.i64(map * mapBytes)), asNumber(pointerTo(map * mapBytes))},
               tiles);
  }
  tiles.barrier();
  Value maps = mapsOf(loadNumber(), count, tiles);
  auto global = LLVM::LLVMPointerType::get(b.getContext(), 1), generic = LLVM::LLVMPointerType::get(b.getContext());
  for (auto [map, desc] : llvm::enumerate(write.getDescs())) {
    Value address = arith::AddIOp::create(b, loc, maps, tiles.i64(map * mapBytes));
    actByPtx("fence.proxy.tensormap::generic.acquire.gpu [$0], " + Twine(mapBytes) + ";", "l", {address}, tiles);
    Value pointer = LLVM::IntToPtrOp::create(b, loc, global, address);
    tiles.set(desc, Value(LLVM::AddrSpaceCastOp::create(b, loc, generic, pointer)));
  }
  return success();
}

LogicalResult tilewright::lowerReleaseTmaDescs(tileas::ReleaseTmaDescsOp release, TileRegisters &tiles) {
  OpBuilder &b = tiles.builder;
  Location loc = tiles.loc;
  tiles.barrier();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(scf::IfOp::create(b, loc, tiles.isFirstThread(), /*withElseRegion=*/false).thenBlock());
  // Which place it is follows from where the first map lies.
  auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
  Value first = LLVM::AddrSpaceCastOp::create(b, loc, global, tiles.get(release.getDescs().front())[0]);
  Value offset = arith::SubIOp::create(b, loc, LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), first),
                                       addressOf(mapsName, tiles));
  Value number = arith::DivUIOp::create(b, loc, offset, tiles.i64(release.getDescs().size() * mapBytes));
  number = arith::TruncIOp::create(b, loc, b.getI32Type(), number);
  actByPtx("st.release.gpu.global.b32 [$0], $1;", "l,r", {takenAddress(number, tiles), tiles.i32(0)}, tiles);
  return success();
}
