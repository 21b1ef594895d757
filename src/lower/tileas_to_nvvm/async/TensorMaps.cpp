// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/async/TensorMaps.h"

#include "lower/tileas_to_nvvm/async/AsyncPatterns.h"
#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"
#include "lower/tileas_to_nvvm/scalar/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace {

// So many for each multiprocessor, more than the blocks with tensor maps that it has in flight; should these be more,
// some wait.
constexpr int64_t placesOfSm = 8, mostSms = 256, places = placesOfSm * mostSms;
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

Value addressOf(StringRef name, ThreadBuilder &thread) {
  auto pointer = LLVM::LLVMPointerType::get(thread.builder.getContext(), 1);
  return LLVM::PtrToIntOp::create(thread.builder, thread.loc, thread.builder.getI64Type(),
                                  LLVM::AddressOfOp::create(thread.builder, thread.loc, pointer, name));
}

// A map in shared memory, at an address there, i32, that is zero yet.
class MapInShared {
public:
  MapInShared(Value place, ThreadBuilder &thread) : place(place), thread(thread) {}

  // `parts` are those of the view.
  void encode(tileas::TensorMapAttr map, tileaa::ViewType type, ValueRange parts) {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    Value base = parts.front();
    ValueRange dynamic = parts.drop_front();
    auto take = [&](int64_t known) {
      if (!ShapedType::isDynamic(known))
        return thread.i64(known);
      Value value = arith::IndexCastOp::create(b, loc, b.getI64Type(), dynamic.front());
      dynamic = dynamic.drop_front();
      return value;
    };
    SmallVector<Value> extents, strides;
    for (int64_t extent : type.getShape())
      extents.push_back(take(extent));
    for (int64_t stride : type.getStrides())
      strides.push_back(take(stride));

    // The hardware knows no extent of zero: a tensor without elements has one element, which is zero or unused.
    Value isEmpty;
    for (auto [known, extent] : llvm::zip_equal(type.getShape(), extents))
      if (ShapedType::isDynamic(known)) {
        Value none = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, extent, thread.i64(1));
        isEmpty = isEmpty ? arith::OrIOp::create(b, loc, isEmpty, none).getResult() : none;
      }
    if (isEmpty) {
      base =
          arith::SelectOp::create(b, loc, isEmpty, addressOf(map.getStored() ? nothingName : zerosName, thread), base);
      for (Value &extent : extents)
        extent = arith::SelectOp::create(b, loc, isEmpty, thread.i64(1), extent);
    }

    unsigned rank = type.getRank();
    set("global_address", "b64", base);
    set("rank", "b32", rank - 1);
    // From the innermost dimension on, which has no stride.
    for (unsigned dim = 0; dim != rank; ++dim) {
      unsigned ofView = rank - 1 - dim;
      setOf(dim, "box_dim", "b32", thread.i32(map.getBox()[ofView]));
      Value most = arith::MinSIOp::create(b, loc, extents[ofView], thread.i64(std::numeric_limits<int32_t>::max()));
      setOf(dim, "global_dim", "b32", arith::TruncIOp::create(b, loc, b.getI32Type(), most));
      setOf(dim, "element_stride", "b32", thread.i32(1));
      if (dim)
        setOf(dim - 1, "global_stride", "b64",
              arith::MulIOp::create(b, loc, strides[ofView], thread.i64(bytesOf(type.getElementType()))));
    }
    set("elemtype", "b32", elementNumber(map.getElement()));
    set("interleave_layout", "b32", 0);
    set("swizzle_mode", "b32", swizzleNumber(map.getSwizzle()));
    set("fill_mode", "b32", 0);
  }

private:
  static std::string replace(StringRef field, StringRef type) {
    return ("tensormap.replace.tile." + field + ".shared::cta.b1024." + type + " [$0], ").str();
  }
  void set(StringRef field, StringRef type, int64_t value) {
    actByPtx(replace(field, type) + Twine(value) + ";", "r", {place}, thread);
  }
  void set(StringRef field, StringRef type, Value value) {
    actByPtx(replace(field, type) + "$1;", type == "b64" ? "r,l" : "r,r", {place, value}, thread);
  }
  void setOf(unsigned dim, StringRef field, StringRef type, Value value) {
    actByPtx(replace(field, type) + Twine(dim) + ", $1;", type == "b64" ? "r,l" : "r,r", {place, value}, thread);
  }

  Value place;
  ThreadBuilder &thread;
};

Value takenAddress(Value number, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value offset = arith::ExtUIOp::create(b, thread.loc, b.getI64Type(),
                                        arith::MulIOp::create(b, thread.loc, number, thread.i32(sizeof(int32_t))));
  return arith::AddIOp::create(b, thread.loc, addressOf(takenName, thread), offset);
}

// The number of a free slot. The first try is one of the multiprocessor's own: by the slot that the hardware gave the
// first warp, as blocks beside each other have others. Each try takes most of a microsecond.
Value takePlace(ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Location loc = thread.loc;
  Type i32 = b.getI32Type();
  Value last = thread.i32(places - 1);
  Value own = arith::MulIOp::create(b, loc, NVVM::SmIdOp::create(b, loc, i32), thread.i32(placesOfSm));
  Value slot = arith::ShRUIOp::create(b, loc, NVVM::WarpIdOp::create(b, loc, i32), thread.i32(3));
  Value first = arith::AndIOp::create(b, loc, arith::AddIOp::create(b, loc, own, slot), last);
  auto loop = scf::WhileOp::create(
      b, loc, TypeRange(i32), ValueRange(first),
      [&](OpBuilder &b, Location loc, ValueRange number) {
        auto taken = LLVM::InlineAsmOp::create(b, loc, i32, takenAddress(number[0], thread),
                                               "atom.acquire.gpu.global.cas.b32 $0, [$1], 0, 1;", "=r,l,~{memory}",
                                               /*has_side_effects=*/true, /*is_align_stack=*/false,
                                               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
        Value isTaken = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, taken.getResult(0), thread.i32(0));
        scf::ConditionOp::create(b, loc, isTaken, number);
      },
      [&](OpBuilder &b, Location loc, ValueRange number) {
        Value next = arith::AddIOp::create(b, loc, number[0], thread.i32(1));
        scf::YieldOp::create(b, loc, ValueRange(arith::AndIOp::create(b, loc, next, last)));
      });
  return loop.getResult(0);
}

// The place of the block's first map, of `count`: i64.
Value mapsOf(Value number, int64_t count, ThreadBuilder &thread) {
  OpBuilder &b = thread.builder;
  Value offset = arith::MulIOp::create(b, thread.loc, number, thread.i32(count * mapBytes));
  return arith::AddIOp::create(b, thread.loc, addressOf(mapsName, thread),
                               arith::ExtUIOp::create(b, thread.loc, b.getI64Type(), offset));
}

struct WriteTmaDescsPattern : TilePattern<tileas::WriteTmaDescsOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::WriteTmaDescsOp write, Adaptor adaptor, ThreadBuilder &thread) const override {
    ConversionPatternRewriter &b = thread.builder;
    Value scratch = adaptor.getScratch()[0];
    int64_t count = write.getDescs().size(), warps = tileas::warpsOf(kernel.function);
    // Each map by a warp of its own, as far as there are so many; the next one takes a place meanwhile.
    for (int64_t map = 0; map != count; ++map)
      byWarp(map % warps, thread, [&] { encode(write, map, adaptor.getViews()[map], scratch, thread); });
    byWarp(count % warps, thread, [&] { take(count, scratch, thread); });
    thread.barrier();
    for (int64_t map = 0; map != count; ++map)
      byWarp(map % warps, thread, [&] { copy(map, count, scratch, thread); });
    thread.barrier();
    b.replaceOpWithMultiple(write, acquire(count, warps, scratch, thread));
    return success();
  }

private:
  static Value pointerTo(int64_t offset, Value scratch, ThreadBuilder &thread) {
    return thread.sharedPointer(arith::AddIOp::create(thread.builder, thread.loc, scratch, thread.i32(offset)));
  }
  static Value addressTo(int64_t offset, Value scratch, ThreadBuilder &thread) {
    return LLVM::PtrToIntOp::create(thread.builder, thread.loc, thread.builder.getI32Type(),
                                    pointerTo(offset, scratch, thread));
  }
  // The place that was taken, whose number lies behind the maps.
  static Value takenMaps(int64_t count, Value scratch, ThreadBuilder &thread) {
    Value number = LLVM::LoadOp::create(thread.builder, thread.loc, thread.builder.getI32Type(),
                                        pointerTo(count * mapBytes, scratch, thread));
    return mapsOf(number, count, thread);
  }

  static void where(Value condition, ThreadBuilder &thread, function_ref<void()> body) {
    OpBuilder::InsertionGuard guard(thread.builder);
    thread.builder.setInsertionPointToStart(
        scf::IfOp::create(thread.builder, thread.loc, condition, /*withElseRegion=*/false).thenBlock());
    body();
  }
  static void byWarp(int64_t warp, ThreadBuilder &thread, function_ref<void()> body) {
    Value isIt =
        arith::CmpIOp::create(thread.builder, thread.loc, arith::CmpIPredicate::eq, thread.warp(), thread.i32(warp));
    where(isIt, thread, body);
  }
  static void byFirstLane(ThreadBuilder &thread, function_ref<void()> body) {
    where(thread.isFirstLane(), thread, body);
  }

  // By a warp: zeros in shared memory. By its first lane: the fields there.
  static void encode(tileas::WriteTmaDescsOp write, int64_t map, ValueRange view, Value scratch,
                     ThreadBuilder &thread) {
    ConversionPatternRewriter &b = thread.builder;
    Location loc = thread.loc;
    Value word = arith::MulIOp::create(b, loc, thread.lane(), thread.i32(4));
    Value place =
        arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, scratch, thread.i32(map * mapBytes)), word);
    LLVM::StoreOp::create(b, loc, thread.i32(0), thread.sharedPointer(place));
    NVVM::SyncWarpOp::create(b, loc, thread.i32(-1));
    byFirstLane(thread, [&] {
      MapInShared(addressTo(map * mapBytes, scratch, thread), thread)
          .encode(write.getMap(map), cast<tileaa::ViewType>(write.getViews()[map].getType()), view);
    });
    NVVM::SyncWarpOp::create(b, loc, thread.i32(-1));
  }

  // A place in global memory; its number goes behind the maps.
  static void take(int64_t count, Value scratch, ThreadBuilder &thread) {
    byFirstLane(thread, [&] {
      LLVM::StoreOp::create(thread.builder, thread.loc, takePlace(thread),
                            pointerTo(count * mapBytes, scratch, thread));
    });
  }

  // By a warp, to global memory.
  static void copy(int64_t map, int64_t count, Value scratch, ThreadBuilder &thread) {
    Value first = takenMaps(count, scratch, thread);
    actByPtx("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], " +
                 Twine(mapBytes) + ";",
             "l,r",
             {arith::AddIOp::create(thread.builder, thread.loc, first, thread.i64(map * mapBytes)),
              addressTo(map * mapBytes, scratch, thread)},
             thread);
  }

  // Fences by the warps that start copies, the first one and the producer's first: the hardware reads the maps that
  // were copied. A fence takes long, and longer while others have one.
  static SmallVector<SmallVector<Value>> acquire(int64_t count, int64_t warps, Value scratch, ThreadBuilder &thread) {
    OpBuilder &b = thread.builder;
    Value first = takenMaps(count, scratch, thread);
    auto global = LLVM::LLVMPointerType::get(b.getContext(), 1), generic = LLVM::LLVMPointerType::get(b.getContext());
    SmallVector<Value> addresses;
    SmallVector<SmallVector<Value>> descs;
    for (int64_t map = 0; map != count; ++map) {
      addresses.push_back(arith::AddIOp::create(b, thread.loc, first, thread.i64(map * mapBytes)));
      Value pointer = LLVM::IntToPtrOp::create(b, thread.loc, global, addresses.back());
      descs.push_back({LLVM::AddrSpaceCastOp::create(b, thread.loc, generic, pointer)});
    }
    for (int64_t warp : {int64_t(0), warps})
      byWarp(warp, thread, [&] {
        for (Value address : addresses)
          actByPtx("fence.proxy.tensormap::generic.acquire.gpu [$0], " + Twine(mapBytes) + ";", "l", {address}, thread);
      });
    return descs;
  }
};

struct ReleaseTmaDescsPattern : TilePattern<tileas::ReleaseTmaDescsOp> {
  using TilePattern::TilePattern;
  LogicalResult lower(tileas::ReleaseTmaDescsOp release, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    Location loc = thread.loc;
    thread.barrier();
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(
          scf::IfOp::create(b, loc, thread.isFirstThread(), /*withElseRegion=*/false).thenBlock());
      // Which place it is follows from where the first map lies.
      auto global = LLVM::LLVMPointerType::get(b.getContext(), 1);
      Value first = LLVM::AddrSpaceCastOp::create(b, loc, global, adaptor.getDescs().front()[0]);
      Value offset = arith::SubIOp::create(b, loc, LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), first),
                                           addressOf(mapsName, thread));
      Value number = arith::DivUIOp::create(b, loc, offset, thread.i64(release.getDescs().size() * mapBytes));
      number = arith::TruncIOp::create(b, loc, b.getI32Type(), number);
      actByPtx("st.release.gpu.global.b32 [$0], $1;", "l,r", {takenAddress(number, thread), thread.i32(0)}, thread);
    }
    return thread.replace(release);
  }
};

} // namespace

void tilewright::populateTensorMapPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  patterns.add<WriteTmaDescsPattern, ReleaseTmaDescsPattern>(kernel);
}

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
