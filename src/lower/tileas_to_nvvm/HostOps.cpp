// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints and failed asserts write records for the host, or where nobody reads those may go to the driver's vprintf. All
// threads of the block come here together.
#include "lower/tileas_to_nvvm/HostOps.h"
#include "lower/tileas_to_nvvm/DriverPrintCalls.h"
#include "lower/tileas_to_nvvm/GlobalMemory.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using cuda::HostRecordHeader;
using cuda::HostSite;

namespace {

/// At the module: what hostSitesOf reads.
constexpr StringLiteral sitesAttr = "tileas.host_sites";

/// Of a function: the offset in its shared memory where the first thread tells the others where their record is. Behind
/// its buffers: beside a variable of 8 bytes these were not where 1024 divides, and the tensor memory accelerator
/// faulted (misaligned address, H200).
constexpr StringLiteral placeAttr = "tileas.host_place";

DictionaryAttr toAttribute(const HostSite &site, Builder &builder) {
  SmallVector<int32_t> types;
  SmallVector<Attribute> shapes;
  for (const cuda::HostTile &tile : site.tiles) {
    types.push_back(tile.type);
    shapes.push_back(builder.getDenseI64ArrayAttr(tile.shape));
  }
  return builder.getDictionaryAttr({
      builder.getNamedAttr("file", builder.getStringAttr(site.file)),
      builder.getNamedAttr("is_assert", builder.getBoolAttr(site.kind == HostSite::Kind::Assert)),
      builder.getNamedAttr("line", builder.getI64IntegerAttr(site.line)),
      builder.getNamedAttr("shapes", builder.getArrayAttr(shapes)),
      builder.getNamedAttr("text", builder.getStringAttr(site.text)),
      builder.getNamedAttr("types", builder.getDenseI32ArrayAttr(types)),
  });
}

HostSite fromAttribute(DictionaryAttr attribute) {
  HostSite site;
  site.kind = attribute.getAs<BoolAttr>("is_assert").getValue() ? HostSite::Kind::Assert : HostSite::Kind::Print;
  site.text = attribute.getAs<StringAttr>("text").str();
  site.file = attribute.getAs<StringAttr>("file").str();
  site.line = attribute.getAs<IntegerAttr>("line").getInt();
  for (auto [type, shape] :
       llvm::zip_equal(attribute.getAs<DenseI32ArrayAttr>("types").asArrayRef(), attribute.getAs<ArrayAttr>("shapes")))
    site.tiles.push_back({static_cast<tilewright_type>(type), cast<DenseI64ArrayAttr>(shape).asArrayRef().vec()});
  return site;
}

class RecordWriter {
public:
  RecordWriter(Operation *op, TileRegisters &tiles, HostSite site, ValueRange values)
      : op(op), module(op->getParentOfType<ModuleOp>()), tiles(tiles), b(tiles.builder), loc(tiles.loc),
        site(std::move(site)), values(values) {
    op->getParentOfType<FunctionOpInterface>()->setAttr(hostBufferAttr, b.getUnitAttr());
  }

  /// The address of the buffer's header; zero where nobody provides one.
  Value buffer() {
    if (!module.lookupSymbol(cuda::hostBufferSymbol)) {
      auto top = OpBuilder::atBlockBegin(module.getBody());
      LLVM::GlobalOp::create(top, module.getLoc(), top.getI64Type(), /*isConstant=*/false, LLVM::Linkage::External,
                             cuda::hostBufferSymbol, b.getI64IntegerAttr(0), /*alignment=*/8, /*addrSpace=*/1);
    }
    auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
    return load(b.getI64Type(), LLVM::AddressOfOp::create(b, loc, pointer, cuda::hostBufferSymbol));
  }
  Value isThere(Value buffer) { return compare(arith::CmpIPredicate::ne, buffer, tiles.i64(0)); }

  /// At a place where the buffer is there: the record, if it has room. True in all threads if it has.
  Value write(Value buffer) {
    int32_t number = addSite();
    Value place = reserve(buffer);
    Value end = arith::AddIOp::create(b, loc, place, tiles.i64(cuda::recordBytes(site)));
    Value capacity = load(b.getI64Type(), at(buffer, offsetof(cuda::HostBufferHeader, capacity)));
    Value fits = compare(arith::CmpIPredicate::ule, end, capacity);
    inside(fits, [&] {
      Value record = arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, buffer, place),
                                           tiles.i64(sizeof(cuda::HostBufferHeader)));
      for (auto [i, value] : llvm::enumerate(values))
        writeTile(value, arith::AddIOp::create(b, loc, record, tiles.i64(cuda::tileOffset(site, i))));
      fence(); // each thread what it wrote; then all have
      tiles.barrier();
      inside(tiles.isFirstThread(), [&] { writeHeader(record, number); });
    });
    return fits;
  }

  /// The same by the driver's vprintf.
  void printByDriver() {
    // Before the lock: nobody is still at the print before, whose last thread has given it back.
    inside(tiles.isFirstThread(), [&] { takeStaging(module, b, loc); });
    tiles.barrier();
    Value staging = stagingAddress(module, site, b, loc);
    for (auto [i, value] : llvm::enumerate(values))
      writeTile(value, arith::AddIOp::create(b, loc, staging, tiles.i64(cuda::tileOffset(site, i))));
    tiles.barrier();
    inside(tiles.isFirstThread(), [&] {
      callDriverPrint(module, site, b, loc);
      releaseStaging(module, b, loc);
    });
  }

  void inside(Value condition, llvm::function_ref<void()> fill, llvm::function_ref<void()> fillElse = {}) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/bool(fillElse));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    fill();
    if (!fillElse)
      return;
    b.setInsertionPointToStart(branch.elseBlock());
    fillElse();
  }

private:
  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(b, loc, predicate, left, right);
  }
  Value load(Type type, Value pointer) { return LLVM::LoadOp::create(b, loc, type, pointer); }
  Value at(Value address, int64_t offset) {
    return tiles.globalPointer(offset ? arith::AddIOp::create(b, loc, address, tiles.i64(offset)).getResult()
                                      : address);
  }
  int32_t addSite() {
    SmallVector<Attribute> sites;
    if (auto known = module->getAttrOfType<ArrayAttr>(sitesAttr))
      sites.assign(known.begin(), known.end());
    sites.push_back(toAttribute(site, b));
    module->setAttr(sitesAttr, b.getArrayAttr(sites));
    return sites.size() - 1;
  }

  void fence() { NVVM::MembarOp::create(b, loc, NVVM::MemScopeKind::SYS); }

  Value sharedPlace() {
    auto function = op->getParentOfType<FunctionOpInterface>();
    auto offset = function->getAttrOfType<IntegerAttr>(placeAttr);
    if (!offset) {
      auto buffers = function->getAttrOfType<IntegerAttr>(tileas::sharedBytesAttr);
      offset = b.getI64IntegerAttr(llvm::alignTo(buffers ? buffers.getInt() : 0, tileas::hostPlaceBytes));
      function->setAttr(placeAttr, offset);
      function->setAttr(tileas::sharedBytesAttr, b.getI64IntegerAttr(offset.getInt() + tileas::hostPlaceBytes));
    }
    return tiles.sharedPointer(offset.getInt());
  }

  // The offset of the block's record, in all of its threads.
  Value reserve(Value buffer) {
    Value place = sharedPlace();
    tiles.barrier(); // whoever reads the place for the record before has done so
    inside(tiles.isFirstThread(), [&] {
      Value offset = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add,
                                               at(buffer, offsetof(cuda::HostBufferHeader, reserved)),
                                               tiles.i64(cuda::recordBytes(site)), LLVM::AtomicOrdering::monotonic);
      LLVM::StoreOp::create(b, loc, offset, place);
    });
    tiles.barrier();
    return load(b.getI64Type(), place);
  }

  // Every element once: by a thread that holds no copy.
  void writeTile(Value value, Value address) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type) {
      inside(tiles.isFirstThread(), [&] { store(value, address); });
      return;
    }
    layout::LinearLayout layout = tileas::layoutOf(type);
    int64_t bytes = bytesOf(type.getElementType());
    auto storeAll = [&] {
      for (auto [reg, element] : llvm::enumerate(tiles.get(value))) {
        Value offset = tiles.i32(0);
        int64_t stride = bytes;
        for (int64_t dim = type.getRank(); dim-- > 0; stride *= type.getDimSize(dim)) {
          Value part = arith::MulIOp::create(b, loc, tiles.coordinate(layout, dim, reg), tiles.i32(stride));
          offset = arith::AddIOp::create(b, loc, offset, part);
        }
        store(element, arith::AddIOp::create(b, loc, address, arith::ExtUIOp::create(b, loc, b.getI64Type(), offset)));
      }
    };
    Value condition = tiles.holdsOriginal(layout);
    if (condition)
      inside(condition, storeAll);
    else
      storeAll();
  }

  void store(Value element, Value address) {
    if (element.getType().isInteger(1))
      element = arith::ExtUIOp::create(b, loc, b.getI8Type(), element);
    LLVM::StoreOp::create(b, loc, element, tiles.globalPointer(address));
  }

  void writeHeader(Value record, int32_t number) {
    auto store = [&](Value value, int64_t offset, bool isLast = false) {
      LLVM::StoreOp::create(b, loc, value, at(record, offset), /*alignment=*/4, /*isVolatile=*/isLast);
    };
    store(tiles.i32(number), offsetof(HostRecordHeader, site));
    Type i32 = b.getI32Type();
    const Value block[] = {NVVM::BlockIdXOp::create(b, loc, i32), NVVM::BlockIdYOp::create(b, loc, i32),
                           NVVM::BlockIdZOp::create(b, loc, i32)};
    for (auto [axis, coordinate] : llvm::enumerate(block))
      store(coordinate, offsetof(HostRecordHeader, block) + 4 * axis);
    fence();
    store(tiles.i32(1), offsetof(HostRecordHeader, complete), /*isLast=*/true);
  }

  Operation *op;
  ModuleOp module;
  TileRegisters &tiles;
  OpBuilder &b;
  Location loc;
  HostSite site;
  ValueRange values;
};

cuda::HostTile describe(Type type, bool isUnsigned) {
  cuda::HostTile tile{hostType(getElementTypeOrSelf(type), isUnsigned), {}};
  if (auto shaped = dyn_cast<RankedTensorType>(type))
    tile.shape = shaped.getShape().vec();
  return tile;
}

} // namespace

tilewright_type tilewright::hostType(Type type, bool isUnsigned) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return TILEWRIGHT_I1;
    case 8:
      return isUnsigned ? TILEWRIGHT_U8 : TILEWRIGHT_I8;
    case 16:
      return isUnsigned ? TILEWRIGHT_U16 : TILEWRIGHT_I16;
    case 32:
      return isUnsigned ? TILEWRIGHT_U32 : TILEWRIGHT_I32;
    default:
      return isUnsigned ? TILEWRIGHT_U64 : TILEWRIGHT_I64;
    }
  }
  return type.isF16()    ? TILEWRIGHT_F16
         : type.isBF16() ? TILEWRIGHT_BF16
         : type.isF32()  ? TILEWRIGHT_F32
                         : TILEWRIGHT_F64;
}

std::vector<HostSite> tilewright::hostSitesOf(ModuleOp module) {
  std::vector<HostSite> sites;
  if (auto known = module->getAttrOfType<ArrayAttr>(sitesAttr))
    for (Attribute site : known)
      sites.push_back(fromAttribute(cast<DictionaryAttr>(site)));
  return sites;
}

void tilewright::lowerPrint(tileaa::PrintOp print, TileRegisters &tiles, PrintChannel channel) {
  HostSite site{HostSite::Kind::Print, print.getFormat().str(), "", 0, {}};
  std::optional<ArrayRef<bool>> isUnsigned = print.getUnsignedArgs();
  for (auto [i, value] : llvm::enumerate(print.getValues()))
    site.tiles.push_back(describe(value.getType(), isUnsigned && (*isUnsigned)[i]));
  RecordWriter writer(print, tiles, std::move(site), print.getValues());
  Value buffer = writer.buffer();
  auto write = [&] { writer.write(buffer); };
  auto printByDriver = [&] { writer.printByDriver(); };
  if (channel == PrintChannel::HostBuffer)
    writer.inside(writer.isThere(buffer), write);
  else
    writer.inside(writer.isThere(buffer), write, printByDriver);
  tiles.set(print.getResultToken(), {});
}

void tilewright::lowerAssert(tileaa::AssertOp assertion, TileRegisters &tiles, PrintChannel channel) {
  OpBuilder &b = tiles.builder;
  Value condition = assertion.getCondition();
  FileLineColLoc source = sourceOf(assertion.getLoc());
  HostSite site{HostSite::Kind::Assert,
                assertion.getMessage().str(),
                source ? source.getFilename().str() : "?",
                source ? source.getLine() : 0,
                {describe(condition.getType(), false)}};
  RecordWriter writer(assertion, tiles, std::move(site), condition);
  Value all = tiles.i1(true);
  for (Value element : tiles.get(condition))
    all = arith::AndIOp::create(b, tiles.loc, all, element);
  Value failed = tiles.barrier(arith::XOrIOp::create(b, tiles.loc, all, tiles.i1(true)));
  writer.inside(failed, [&] {
    Value buffer = writer.buffer();
    auto write = [&] {
      // The block leaves the kernel: the other blocks and the context go on. Without room for a record nobody would
      // know, so there it traps; and where others wait for these warps.
      Value isWritten = writer.write(buffer);
      if (tiles.consumersOnly)
        return;
      writer.inside(isWritten, [&] {
        LLVM::CallIntrinsicOp::create(b, tiles.loc, b.getStringAttr("llvm.nvvm.exit"), ValueRange());
      });
    };
    // All of the text is written before any thread traps.
    auto printByDriver = [&] {
      writer.printByDriver();
      NVVM::MembarOp::create(b, tiles.loc, NVVM::MemScopeKind::SYS);
      tiles.barrier();
    };
    if (channel == PrintChannel::HostBuffer)
      writer.inside(writer.isThere(buffer), write);
    else
      writer.inside(writer.isThere(buffer), write, printByDriver);
    LLVM::Trap::create(b, tiles.loc);
  });
}
