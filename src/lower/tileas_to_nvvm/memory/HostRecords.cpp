// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints and failed asserts write records for the host, or without a reader of those call the driver's vprintf. All
// threads of the block come here together.
#include "lower/tileas_to_nvvm/memory/HostRecords.h"

#include "lower/tileas_to_nvvm/memory/DriverPrintCalls.h"
#include "lower/tileas_to_nvvm/memory/GlobalMemory.h"
#include "lower/tileas_to_nvvm/memory/MemoryPatterns.h"
#include "support/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using cuda::HostRecordHeader;
using cuda::HostSite;

namespace {

// The type of a tile in a record: its elements in the order of the shape, with their sign.
Type typeInRecord(Type type, bool isUnsigned) {
  Type element = getElementTypeOrSelf(type);
  if (isUnsigned && isa<IntegerType>(element))
    element = IntegerType::get(type.getContext(), element.getIntOrFloatBitWidth(), IntegerType::Unsigned);
  auto shaped = dyn_cast<RankedTensorType>(type);
  return shaped ? RankedTensorType::get(shaped.getShape(), element) : element;
}

tileas::HostSiteAttr siteOf(tileaa::PrintOp print) {
  SmallVector<Type> tiles;
  std::optional<ArrayRef<bool>> isUnsigned = print.getUnsignedArgs();
  for (auto [i, value] : llvm::enumerate(print.getValues()))
    tiles.push_back(typeInRecord(value.getType(), isUnsigned && (*isUnsigned)[i]));
  return tileas::HostSiteAttr::get(print.getContext(), tileas::HostSiteKind::Print, print.getFormat(), "", 0, tiles);
}

tileas::HostSiteAttr siteOf(tileaa::AssertOp assertion) {
  FileLineColLoc source = sourceOf(assertion.getLoc());
  return tileas::HostSiteAttr::get(assertion.getContext(), tileas::HostSiteKind::Assert, assertion.getMessage(),
                                   source ? source.getFilename().strref() : StringRef("?"),
                                   source ? source.getLine() : 0,
                                   {typeInRecord(assertion.getCondition().getType(), /*isUnsigned=*/false)});
}

HostSite describe(tileas::HostSiteAttr attribute) {
  HostSite site;
  site.kind = attribute.getKind() == tileas::HostSiteKind::Assert ? HostSite::Kind::Assert : HostSite::Kind::Print;
  site.text = attribute.getText().str();
  site.file = attribute.getFile().str();
  site.line = attribute.getLine();
  for (Type type : attribute.getTiles()) {
    Type element = getElementTypeOrSelf(type);
    cuda::HostTile tile{hostType(element, element.isUnsignedInteger()), {}};
    if (auto shaped = dyn_cast<RankedTensorType>(type))
      tile.shape = shaped.getShape().vec();
    site.tiles.push_back(std::move(tile));
  }
  return site;
}

// The sites of a function, numbered in the order of the program. The module keeps them, and has the pointer to the
// host's buffer; the function keeps a place in shared memory.
class HostSites {
public:
  explicit HostSites(func::FuncOp function) : module(function->getParentOfType<ModuleOp>()) {
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto print = dyn_cast<tileaa::PrintOp>(op))
        add(op, siteOf(print));
      else if (auto assertion = dyn_cast<tileaa::AssertOp>(op))
        add(op, siteOf(assertion));
    });
    if (sites.empty())
      return;
    place = llvm::alignTo(tileas::sharedBytesOf(function), tileas::hostPlaceBytes);
    tileas::CtaAttr cta = tileas::ctaOf(function).withSharedBytes(place + tileas::hostPlaceBytes);
    tileas::setCta(function, cta.withHostPlace(place));
    addBufferPointer();
  }

  const HostSite &siteAt(Operation *op) const { return sites.find(op)->second.second; }
  int32_t numberOf(Operation *op) const { return sites.find(op)->second.first; }
  /// The offset in shared memory where the first thread tells the others where their record is. Behind the buffers:
  /// beside a variable of 8 bytes these were not where 1024 divides, and the tensor memory accelerator faulted
  /// (misaligned address, H200).
  int64_t place = 0;

private:
  void add(Operation *op, tileas::HostSiteAttr site) {
    SmallVector<Attribute> known;
    if (auto attribute = module->getAttrOfType<ArrayAttr>(tileas::hostSitesAttr))
      known.assign(attribute.begin(), attribute.end());
    int32_t number = known.size();
    known.push_back(site);
    module->setAttr(tileas::hostSitesAttr, ArrayAttr::get(module.getContext(), known));
    sites.try_emplace(op, number, describe(site));
  }
  void addBufferPointer() {
    if (module.lookupSymbol(cuda::hostBufferSymbol))
      return;
    auto top = OpBuilder::atBlockBegin(module.getBody());
    LLVM::GlobalOp::create(top, module.getLoc(), top.getI64Type(), /*isConstant=*/false, LLVM::Linkage::External,
                           cuda::hostBufferSymbol, top.getI64IntegerAttr(0), /*alignment=*/8, /*addrSpace=*/1);
  }

  ModuleOp module;
  llvm::DenseMap<Operation *, std::pair<int32_t, HostSite>> sites;
};

class RecordWriter {
public:
  // `registers` are those of `values`, which are of the original IR.
  RecordWriter(Operation *op, const HostSites &sites, ValueRange values, ArrayRef<ValueRange> registers,
               ThreadBuilder &thread)
      : module(op->getParentOfType<ModuleOp>()), thread(thread), b(thread.builder), loc(thread.loc),
        site(sites.siteAt(op)), number(sites.numberOf(op)), place(sites.place), types(values.getTypes()),
        values(registers) {}

  /// The address of the buffer's header; zero without one.
  Value buffer() {
    auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
    return load(b.getI64Type(), LLVM::AddressOfOp::create(b, loc, pointer, cuda::hostBufferSymbol));
  }
  Value isThere(Value buffer) { return compare(arith::CmpIPredicate::ne, buffer, thread.i64(0)); }

  /// At a place where the buffer is there: the record, if it has room. True in all threads if it has.
  Value write(Value buffer) {
    Value offset = reserve(buffer);
    Value end = arith::AddIOp::create(b, loc, offset, thread.i64(cuda::recordBytes(site)));
    Value capacity = load(b.getI64Type(), at(buffer, offsetof(cuda::HostBufferHeader, capacity)));
    Value fits = compare(arith::CmpIPredicate::ule, end, capacity);
    inside(fits, [&] {
      Value record = arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, buffer, offset),
                                           thread.i64(sizeof(cuda::HostBufferHeader)));
      for (size_t i = 0; i != values.size(); ++i)
        writeTile(i, arith::AddIOp::create(b, loc, record, thread.i64(cuda::tileOffset(site, i))));
      fence(); // each thread what it wrote; then all have
      thread.barrier();
      inside(thread.isFirstThread(), [&] { writeHeader(record); });
    });
    return fits;
  }

  /// The same by the driver's vprintf.
  void printByDriver() {
    // Before the lock: no thread is still at the previous print, whose last thread has released it.
    inside(thread.isFirstThread(), [&] { takeStaging(module, b, loc); });
    thread.barrier();
    Value staging = stagingAddress(module, site, b, loc);
    for (size_t i = 0; i != values.size(); ++i)
      writeTile(i, arith::AddIOp::create(b, loc, staging, thread.i64(cuda::tileOffset(site, i))));
    thread.barrier();
    inside(thread.isFirstThread(), [&] {
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
    return thread.globalPointer(offset ? arith::AddIOp::create(b, loc, address, thread.i64(offset)).getResult()
                                       : address);
  }
  void fence() { NVVM::MembarOp::create(b, loc, NVVM::MemScopeKind::SYS); }

  // The offset of the block's record, in all of its threads.
  Value reserve(Value buffer) {
    Value pointer = thread.sharedPointer(place);
    thread.barrier(); // all threads have read the place of the previous record
    inside(thread.isFirstThread(), [&] {
      Value offset = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add,
                                               at(buffer, offsetof(cuda::HostBufferHeader, reserved)),
                                               thread.i64(cuda::recordBytes(site)), LLVM::AtomicOrdering::monotonic);
      LLVM::StoreOp::create(b, loc, offset, pointer);
    });
    thread.barrier();
    return load(b.getI64Type(), pointer);
  }

  // Every element once: by a thread that holds no copy.
  void writeTile(size_t number, Value address) {
    auto type = dyn_cast<RankedTensorType>(types[number]);
    if (!type) {
      inside(thread.isFirstThread(), [&] { store(values[number][0], address); });
      return;
    }
    layout::LinearLayout layout = tileas::layoutOf(type);
    int64_t bytes = bytesOf(type.getElementType());
    auto storeAll = [&] {
      for (auto [reg, element] : llvm::enumerate(values[number])) {
        Value offset = thread.i32(0);
        int64_t stride = bytes;
        for (int64_t dim = type.getRank(); dim-- > 0; stride *= type.getDimSize(dim)) {
          Value part = arith::MulIOp::create(b, loc, thread.coordinate(layout, dim, reg), thread.i32(stride));
          offset = arith::AddIOp::create(b, loc, offset, part);
        }
        store(element, arith::AddIOp::create(b, loc, address, arith::ExtUIOp::create(b, loc, b.getI64Type(), offset)));
      }
    };
    Value condition = thread.holdsOriginal(layout);
    if (condition)
      inside(condition, storeAll);
    else
      storeAll();
  }

  void store(Value element, Value address) {
    if (element.getType().isInteger(1))
      element = arith::ExtUIOp::create(b, loc, b.getI8Type(), element);
    LLVM::StoreOp::create(b, loc, element, thread.globalPointer(address));
  }

  void writeHeader(Value record) {
    auto store = [&](Value value, int64_t offset, bool isLast = false) {
      LLVM::StoreOp::create(b, loc, value, at(record, offset), /*alignment=*/4, /*isVolatile=*/isLast);
    };
    store(thread.i32(number), offsetof(HostRecordHeader, site));
    Type i32 = b.getI32Type();
    const Value block[] = {NVVM::BlockIdXOp::create(b, loc, i32), NVVM::BlockIdYOp::create(b, loc, i32),
                           NVVM::BlockIdZOp::create(b, loc, i32)};
    for (auto [axis, coordinate] : llvm::enumerate(block))
      store(coordinate, offsetof(HostRecordHeader, block) + 4 * axis);
    fence();
    store(thread.i32(1), offsetof(HostRecordHeader, complete), /*isLast=*/true);
  }

  ModuleOp module;
  ThreadBuilder &thread;
  OpBuilder &b;
  Location loc;
  const HostSite &site;
  int32_t number;
  int64_t place;
  SmallVector<Type> types;
  ArrayRef<ValueRange> values;
};

struct PrintPattern : TilePatternWith<tileaa::PrintOp, HostSites> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileaa::PrintOp print, Adaptor adaptor, ThreadBuilder &thread) const override {
    RecordWriter writer(print, *facts, print.getValues(), adaptor.getValues(), thread);
    Value buffer = writer.buffer();
    auto write = [&] { writer.write(buffer); };
    auto printByDriver = [&] { writer.printByDriver(); };
    if (kernel.channel == PrintChannel::HostBuffer)
      writer.inside(writer.isThere(buffer), write);
    else
      writer.inside(writer.isThere(buffer), write, printByDriver);
    return thread.replace(print);
  }
};

struct AssertPattern : TilePatternWith<tileaa::AssertOp, HostSites> {
  using TilePatternWith::TilePatternWith;
  LogicalResult lower(tileaa::AssertOp assertion, Adaptor adaptor, ThreadBuilder &thread) const override {
    OpBuilder &b = thread.builder;
    ValueRange condition = adaptor.getCondition();
    RecordWriter writer(assertion, *facts, assertion.getCondition(), condition, thread);
    Value all = thread.i1(true);
    for (Value element : condition)
      all = arith::AndIOp::create(b, thread.loc, all, element);
    Value failed = thread.barrier(arith::XOrIOp::create(b, thread.loc, all, thread.i1(true)));
    writer.inside(failed, [&] { end(writer, thread); });
    return thread.replace(assertion);
  }

private:
  // The block leaves the kernel: the other blocks and the context go on. Without room for a record the
  // failure would be lost, so there it traps; and where others wait for these warps.
  void end(RecordWriter &writer, ThreadBuilder &thread) const {
    OpBuilder &b = thread.builder;
    Value buffer = writer.buffer();
    auto write = [&] {
      Value isWritten = writer.write(buffer);
      if (thread.isConsumer())
        return;
      writer.inside(isWritten, [&] {
        LLVM::CallIntrinsicOp::create(b, thread.loc, b.getStringAttr("llvm.nvvm.exit"), ValueRange());
      });
    };
    // All of the text is written before any thread traps.
    auto printByDriver = [&] {
      writer.printByDriver();
      NVVM::MembarOp::create(b, thread.loc, NVVM::MemScopeKind::SYS);
      thread.barrier();
    };
    if (kernel.channel == PrintChannel::HostBuffer)
      writer.inside(writer.isThere(buffer), write);
    else
      writer.inside(writer.isThere(buffer), write, printByDriver);
    LLVM::Trap::create(b, thread.loc);
  }
};

} // namespace

void tilewright::populateHostRecordPatterns(RewritePatternSet &patterns, KernelContext &kernel) {
  auto sites = std::make_shared<HostSites>(kernel.function);
  patterns.add<PrintPattern, AssertPattern>(kernel, sites);
}

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
  if (auto known = module->getAttrOfType<ArrayAttr>(tileas::hostSitesAttr))
    for (auto site : known.getAsRange<tileas::HostSiteAttr>())
      sites.push_back(describe(site));
  return sites;
}
