// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/memory/DriverPrintCalls.h"

#include "abi/DriverPrint.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;
using Argument = cuda::DriverPrintArgument;
using Call = cuda::DriverPrintCall;
using cuda::HostSite;
using cuda::HostTile;

namespace {

constexpr StringLiteral stagingName = "tilewright_print_staging", lockName = "tilewright_print_lock";
constexpr unsigned globalSpace = 1;

LLVM::GlobalOp addGlobal(ModuleOp module, StringRef name, Type type, bool isConstant, Attribute value) {
  auto top = OpBuilder::atBlockBegin(module.getBody());
  return LLVM::GlobalOp::create(top, module.getLoc(), type, isConstant, LLVM::Linkage::Internal, name, value,
                                /*alignment=*/16, globalSpace);
}

Value addressOf(StringRef name, OpBuilder &b, Location loc) {
  return LLVM::AddressOfOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), globalSpace), name);
}

// How an element lies in a record.
Type memoryTypeOf(tilewright_type type, Builder &b) {
  switch (type) {
  case TILEWRIGHT_I1:
  case TILEWRIGHT_I8:
  case TILEWRIGHT_U8:
    return b.getI8Type();
  case TILEWRIGHT_I16:
  case TILEWRIGHT_U16:
    return b.getI16Type();
  case TILEWRIGHT_I32:
  case TILEWRIGHT_U32:
    return b.getI32Type();
  case TILEWRIGHT_F16:
    return b.getF16Type();
  case TILEWRIGHT_BF16:
    return b.getBF16Type();
  case TILEWRIGHT_F32:
    return b.getF32Type();
  case TILEWRIGHT_F64:
    return b.getF64Type();
  default:
    return b.getI64Type();
  }
}

bool hasSign(tilewright_type type) {
  return llvm::is_contained({TILEWRIGHT_I8, TILEWRIGHT_I16, TILEWRIGHT_I32, TILEWRIGHT_I64}, type);
}

// The body of the function of one site.
class Body {
public:
  Body(ModuleOp module, const HostSite &site, LLVM::LLVMFuncOp function)
      : module(module), site(site), b(function.getContext()), loc(function.getLoc()) {
    b.setInsertionPointToStart(function.addEntryBlock(b));
  }

  void build() {
    std::vector<Call> calls = cuda::driverPrintCalls(site);
    unsigned bytes = 0;
    for (const Call &call : calls)
      bytes = std::max(bytes, cuda::packArguments(call.arguments).back());
    Type generic = LLVM::LLVMPointerType::get(b.getContext());
    packed = bytes ? LLVM::AllocaOp::create(b, loc, generic, LLVM::LLVMArrayType::get(b.getI8Type(), bytes), i64(1),
                                            /*alignment=*/8)
                         .getResult()
                   : LLVM::ZeroOp::create(b, loc, generic).getResult();
    if (site.kind == HostSite::Kind::Assert)
      failed = findFirstFalse();
    for (const Call &call : calls)
      add(call);
    LLVM::ReturnOp::create(b, loc, ValueRange());
  }

private:
  Value i64(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
  template <typename Op, typename... Args> Value make(Args &&...args) {
    return Op::create(b, loc, std::forward<Args>(args)...);
  }

  // Read as it is now: other threads have written it.
  Value load(size_t tile, Value element) {
    const HostTile &known = site.tiles[tile];
    Type type = memoryTypeOf(known.type, b);
    Value place = make<arith::MulIOp>(element, i64(type.getIntOrFloatBitWidth() / 8));
    place = make<arith::AddIOp>(place, i64(cuda::tileOffset(site, tile)));
    Value pointer = LLVM::GEPOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext(), globalSpace), b.getI8Type(),
                                        addressOf(stagingName, b, loc), ArrayRef<LLVM::GEPArg>{place});
    return LLVM::LoadOp::create(b, loc, type, pointer, /*alignment=*/0, /*isVolatile=*/true);
  }

  Type typeOf(Argument::Width width) {
    switch (width) {
    case Argument::Width::I32:
      return b.getI32Type();
    case Argument::Width::I64:
      return b.getI64Type();
    case Argument::Width::F64:
      return b.getF64Type();
    }
    llvm_unreachable("all widths are above");
  }

  Value keepLowBits(Value value, const Argument &argument) {
    if (argument.bits >= static_cast<int64_t>(value.getType().getIntOrFloatBitWidth()))
      return value;
    Value kept = make<arith::TruncIOp>(b.getIntegerType(argument.bits), value);
    return argument.keepsSign ? make<arith::ExtSIOp>(value.getType(), kept)
                              : make<arith::ExtUIOp>(value.getType(), kept);
  }

  Value widen(Value value, const Argument &argument) {
    Type f64 = b.getF64Type(), i64Type = b.getI64Type();
    tilewright_type type = site.tiles[argument.tile].type;
    bool isReal = isa<FloatType>(value.getType());
    if (isReal && value.getType().getIntOrFloatBitWidth() < 32)
      value = make<arith::ExtFOp>(b.getF32Type(), value);
    if (isReal && !value.getType().isF64())
      value = make<arith::ExtFOp>(f64, value);
    if (argument.width == Argument::Width::F64)
      return isReal ? value : hasSign(type) ? make<arith::SIToFPOp>(f64, value) : make<arith::UIToFPOp>(f64, value);
    if (isReal) { // as C's conversion, and zero where that is undefined
      Value limit = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(9.2e18));
      Value below = make<arith::CmpFOp>(arith::CmpFPredicate::OLT, value, limit);
      Value above = make<arith::CmpFOp>(arith::CmpFPredicate::OGT, value, make<arith::NegFOp>(limit));
      Value whole = make<arith::FPToSIOp>(i64Type, value);
      return make<arith::SelectOp>(make<arith::AndIOp>(below, above), whole, i64(0));
    }
    Type wide = typeOf(argument.width);
    if (value.getType() == wide)
      return value;
    return hasSign(type) ? make<arith::ExtSIOp>(wide, value) : make<arith::ExtUIOp>(wide, value);
  }

  // The number of the first element of the condition that is false.
  Value findFirstFalse() {
    auto loop = scf::WhileOp::create(b, loc, TypeRange{b.getI64Type()}, ValueRange{i64(0)});
    OpBuilder::InsertionGuard guard(b);
    Block *before = b.createBlock(&loop.getBefore(), {}, {b.getI64Type()}, {loc});
    Value number = before->getArgument(0);
    Value next = make<arith::AddIOp>(number, i64(1));
    Value holds = make<arith::CmpIOp>(arith::CmpIPredicate::ne, load(0, number),
                                      arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0)));
    Value more = make<arith::CmpIOp>(arith::CmpIPredicate::slt, next, i64(site.tiles.front().numElements()));
    scf::ConditionOp::create(b, loc, make<arith::AndIOp>(holds, more), number);
    Block *after = b.createBlock(&loop.getAfter(), {}, {b.getI64Type()}, {loc});
    scf::YieldOp::create(b, loc, ValueRange{make<arith::AddIOp>(after->getArgument(0), i64(1))});
    return loop.getResult(0);
  }

  Value position(int64_t axis) {
    ArrayRef<int64_t> shape = site.tiles.front().shape;
    int64_t step = 1;
    for (int64_t extent : shape.drop_front(axis + 1))
      step *= extent;
    Value number = make<arith::DivUIOp>(failed, i64(step));
    return make<arith::TruncIOp>(b.getI32Type(), make<arith::RemUIOp>(number, i64(shape[axis])));
  }

  Value valueOf(const Argument &argument, Value first) {
    Type i32 = b.getI32Type();
    switch (argument.source) {
    case Argument::Source::Element:
      return keepLowBits(widen(load(argument.tile, make<arith::AddIOp>(first, i64(argument.number))), argument),
                         argument);
    case Argument::Source::Position:
      return position(argument.number);
    case Argument::Source::Block:
      return argument.number == 0   ? make<NVVM::BlockIdXOp>(i32)
             : argument.number == 1 ? make<NVVM::BlockIdYOp>(i32)
                                    : make<NVVM::BlockIdZOp>(i32);
    }
    llvm_unreachable("all sources are above");
  }

  Value textOf(StringRef text) {
    std::string name;
    do
      name = "tilewright_print_text_" + std::to_string(nextText++);
    while (module.lookupSymbol(name));
    std::string ended = text.str() + '\0';
    addGlobal(module, name, LLVM::LLVMArrayType::get(b.getI8Type(), ended.size()), true, b.getStringAttr(ended));
    return LLVM::AddrSpaceCastOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), addressOf(name, b, loc));
  }

  Value formatOf(const Call &call, Value first) {
    Value chosen;
    for (auto [begins, format] : llvm::enumerate(call.formats)) {
      if (format.empty())
        continue;
      Value text = textOf(format);
      if (!chosen) {
        chosen = text;
        continue;
      }
      Value rest = make<arith::RemUIOp>(first, i64(call.steps[begins - 1]));
      chosen = make<arith::SelectOp>(make<arith::CmpIOp>(arith::CmpIPredicate::eq, rest, i64(0)), text, chosen);
    }
    return chosen;
  }

  void add(const Call &call) {
    if (!call.isLoop())
      return addOnce(call, i64(0));
    auto loop = scf::ForOp::create(b, loc, i64(0), i64(call.times), i64(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    addOnce(call, make<arith::MulIOp>(loop.getInductionVar(), i64(call.arguments.size())));
  }

  void addOnce(const Call &call, Value first) {
    Type generic = LLVM::LLVMPointerType::get(b.getContext());
    for (auto [argument, offset] : llvm::zip(call.arguments, cuda::packArguments(call.arguments))) {
      Value place = LLVM::GEPOp::create(b, loc, generic, b.getI8Type(), packed,
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(offset)});
      LLVM::StoreOp::create(b, loc, valueOf(argument, first), place);
    }
    LLVM::CallOp::create(b, loc, driversFunction(), ValueRange{formatOf(call, first), packed});
  }

  LLVM::LLVMFuncOp driversFunction() {
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>("vprintf"))
      return known;
    auto end = OpBuilder::atBlockEnd(module.getBody());
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    return LLVM::LLVMFuncOp::create(end, module.getLoc(), "vprintf",
                                    LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer}));
  }

  ModuleOp module;
  const HostSite &site;
  OpBuilder b;
  Location loc;
  Value packed, failed;
  unsigned nextText = 0;
};

} // namespace

Value tilewright::stagingAddress(ModuleOp module, const HostSite &site, OpBuilder &b, Location loc) {
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), cuda::recordBytes(site));
  if (auto known = module.lookupSymbol<LLVM::GlobalOp>(stagingName)) {
    if (cast<LLVM::LLVMArrayType>(known.getGlobalType()).getNumElements() < type.getNumElements())
      known.setGlobalType(type);
  } else {
    addGlobal(module, stagingName, type, false, {});
  }
  return LLVM::PtrToIntOp::create(b, loc, b.getI64Type(), addressOf(stagingName, b, loc));
}

void tilewright::takeStaging(ModuleOp module, OpBuilder &b, Location loc) {
  Type i32 = b.getI32Type();
  if (!module.lookupSymbol(lockName))
    addGlobal(module, lockName, i32, false, b.getI32IntegerAttr(0));
  auto loop = scf::WhileOp::create(b, loc, TypeRange(), ValueRange());
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&loop.getBefore());
    Value one = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
    Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
    Value before = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg, addressOf(lockName, b, loc), one,
                                             LLVM::AtomicOrdering::monotonic);
    Value isTaken = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, before, zero);
    scf::ConditionOp::create(b, loc, isTaken, ValueRange());
    b.createBlock(&loop.getAfter());
    scf::YieldOp::create(b, loc);
  }
  NVVM::MembarOp::create(b, loc, NVVM::MemScopeKind::GPU);
}

void tilewright::releaseStaging(ModuleOp module, OpBuilder &b, Location loc) {
  NVVM::MembarOp::create(b, loc, NVVM::MemScopeKind::GPU);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::xchg, addressOf(lockName, b, loc), zero,
                            LLVM::AtomicOrdering::monotonic);
}

void tilewright::callDriverPrint(ModuleOp module, const HostSite &site, OpBuilder &b, Location loc) {
  unsigned number = 0;
  std::string name;
  do
    name = "tilewright_print_" + std::to_string(number++);
  while (module.lookupSymbol(name));
  auto end = OpBuilder::atBlockEnd(module.getBody());
  auto function = LLVM::LLVMFuncOp::create(end, module.getLoc(), name,
                                           LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {}),
                                           LLVM::Linkage::Internal);
  function.setNoInline(true); // its loops and local memory are none of the kernel's
  Body(module, site, function).build();
  LLVM::CallOp::create(b, loc, function, ValueRange());
}
