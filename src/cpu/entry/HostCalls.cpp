// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/Passes.h"
#include "lower/tileas_to_nvvm/memory/HostRecords.h"
#include "support/Diagnostics.h"
#include "tileaa/ir/Tileaa.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tilewright {
#define GEN_PASS_DEF_CPUHOSTCALLS
#include "cpu/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class HostCalls {
public:
  HostCalls(ModuleOp module, func::FuncOp function)
      : module(module), function(function), pointer(LLVM::LLVMPointerType::get(module.getContext())),
        i64(IntegerType::get(module.getContext(), 64)) {}

  void run() {
    Block &body = function.getBody().front();
    context = body.addArgument(pointer, function.getLoc());
    function.setType(FunctionType::get(function.getContext(), body.getArgumentTypes(), {}));
    function.walk([&](tileaa::AssertOp op) { lowerAssert(op); });
    function.walk([&](tileaa::PrintOp op) { lowerPrint(op); });
  }

private:
  Value text(OpBuilder &builder, Location loc, StringRef value) {
    std::string name = ("tilewright.text." + Twine(module.getBody()->getOperations().size())).str();
    return LLVM::createGlobalString(loc, builder, name, (value + Twine('\0')).str(), LLVM::Linkage::Internal);
  }

  LLVM::LLVMFuncOp declare(StringRef name, ArrayRef<Type> arguments) {
    if (auto known = module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      return known;
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()), arguments);
    return LLVM::LLVMFuncOp::create(builder, module.getLoc(), name, type);
  }

  Value integer(OpBuilder &builder, Location loc, int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }

  // Every element is true.
  Value all(OpBuilder &builder, Location loc, Value condition) {
    auto type = dyn_cast<MemRefType>(condition.getType());
    if (!type)
      return condition;
    Value result = arith::ConstantIntOp::create(builder, loc, 1, 1);
    SmallVector<Value> indices;
    return allFrom(builder, loc, condition, type, indices, result);
  }

  Value allFrom(OpBuilder &builder, Location loc, Value buffer, MemRefType type, SmallVectorImpl<Value> &indices,
                Value sofar) {
    int64_t dim = indices.size();
    if (dim == type.getRank())
      return arith::AndIOp::create(builder, loc, sofar, memref::LoadOp::create(builder, loc, buffer, indices));
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value end = arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
    auto loop = scf::ForOp::create(builder, loc, zero, end, one, sofar);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    indices.push_back(loop.getInductionVar());
    scf::YieldOp::create(inner, loc, allFrom(inner, loc, buffer, type, indices, loop.getRegionIterArg(0)));
    indices.pop_back();
    return loop.getResult(0);
  }

  // The number of the first element that is false, row-major.
  Value firstFalse(OpBuilder &builder, Location loc, Value buffer, MemRefType type, SmallVectorImpl<Value> &indices,
                   Value number, Value sofar) {
    int64_t dim = indices.size();
    if (dim == type.getRank()) {
      Value earlier = arith::MinSIOp::create(builder, loc, sofar, number);
      Value holds = memref::LoadOp::create(builder, loc, buffer, indices);
      return arith::SelectOp::create(builder, loc, holds, sofar, earlier);
    }
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value extent = arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
    auto loop = scf::ForOp::create(builder, loc, zero, extent, one, sofar);
    OpBuilder inner = OpBuilder::atBlockEnd(loop.getBody());
    indices.push_back(loop.getInductionVar());
    Value scaled = arith::MulIOp::create(inner, loc, number, extent);
    Value next = arith::AddIOp::create(inner, loc, scaled, loop.getInductionVar());
    scf::YieldOp::create(inner, loc, firstFalse(inner, loc, buffer, type, indices, next, loop.getRegionIterArg(0)));
    indices.pop_back();
    return loop.getResult(0);
  }

  // The address of the indices of the first element that is false.
  Value positionOf(OpBuilder &builder, Location loc, Value condition) {
    auto type = dyn_cast<MemRefType>(condition.getType());
    if (!type || type.getRank() == 0)
      return LLVM::ZeroOp::create(builder, loc, pointer);
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    Value last = arith::ConstantIndexOp::create(builder, loc, type.getNumElements() - 1);
    SmallVector<Value> indices;
    Value number = firstFalse(builder, loc, condition, type, indices, zero, last);
    Value position = allocate(loc, {type.getRank()}, i64);
    for (int64_t dim = type.getRank(); dim-- > 0;) {
      Value extent = arith::ConstantIndexOp::create(builder, loc, type.getDimSize(dim));
      Value index = arith::RemSIOp::create(builder, loc, number, extent);
      storeAt(builder, loc, arith::IndexCastOp::create(builder, loc, i64, index), position, dim);
      number = arith::DivSIOp::create(builder, loc, number, extent);
    }
    return LLVM::IntToPtrOp::create(builder, loc, pointer, addressOf(builder, loc, position));
  }

  void lowerAssert(tileaa::AssertOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value truth = arith::ConstantIntOp::create(builder, loc, 1, 1);
    Value failed = arith::XOrIOp::create(builder, loc, all(builder, loc, op.getCondition()), truth);
    auto choice = scf::IfOp::create(builder, loc, TypeRange(), failed, false);
    OpBuilder then = choice.getThenBodyBuilder();
    FileLineColLoc source = sourceOf(loc);
    auto block = tileaa::BlockIdOp::create(then, loc);
    SmallVector<Value> arguments{context, text(then, loc, op.getMessage()),
                                 text(then, loc, source ? source.getFilename().getValue() : "?"),
                                 integer(then, loc, source ? source.getLine() : 0)};
    for (Value coordinate : block->getResults())
      arguments.push_back(arith::ExtSIOp::create(then, loc, i64, coordinate));
    arguments.push_back(positionOf(then, loc, op.getCondition()));
    auto type = dyn_cast<MemRefType>(op.getCondition().getType());
    arguments.push_back(integer(then, loc, type ? type.getRank() : 0));
    LLVM::LLVMFuncOp callee =
        declare("tilewright_assert_fail", {pointer, pointer, pointer, i64, i64, i64, i64, pointer, i64});
    LLVM::CallOp::create(then, loc, callee, arguments);
    op.erase();
  }

  // Scratch at the function's entry.
  Value allocate(Location loc, ArrayRef<int64_t> shape, Type element) {
    OpBuilder entry = OpBuilder::atBlockBegin(&function.getBody().front());
    return memref::AllocOp::create(entry, loc, MemRefType::get(shape, element));
  }

  Value addressOf(OpBuilder &builder, Location loc, Value buffer) {
    Value index = memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
    return arith::IndexCastOp::create(builder, loc, i64, index);
  }

  void storeAt(OpBuilder &builder, Location loc, Value value, Value buffer, int64_t position) {
    Value index = arith::ConstantIndexOp::create(builder, loc, position);
    memref::StoreOp::create(builder, loc, value, buffer, ValueRange(index));
  }

  // The elements row by row without gaps, as the host reads them: a part or a transpose of a tile is neither.
  Value contiguous(OpBuilder &builder, Location loc, Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    if (type.getLayout().isIdentity())
      return buffer;
    Value copy = allocate(loc, type.getShape(), type.getElementType());
    SmallVector<Value> indices;
    OpBuilder inner = builder;
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0), one = arith::ConstantIndexOp::create(builder, loc, 1);
    for (int64_t extent : type.getShape()) {
      Value end = arith::ConstantIndexOp::create(inner, loc, extent);
      auto loop = scf::ForOp::create(inner, loc, zero, end, one);
      inner.setInsertionPointToStart(loop.getBody());
      indices.push_back(loop.getInductionVar());
    }
    memref::StoreOp::create(inner, loc, memref::LoadOp::create(inner, loc, buffer, indices), copy, indices);
    return copy;
  }

  void lowerPrint(tileaa::PrintOp op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    int64_t count = op.getValues().size();
    // One record of three words per value: data, type and rank, shape.
    Value records = allocate(loc, {std::max<int64_t>(1, 3 * count)}, i64);
    for (auto [i, value] : llvm::enumerate(op.getValues())) {
      auto type = dyn_cast<MemRefType>(value.getType());
      Value data;
      if (type) {
        data = contiguous(builder, loc, value);
      } else {
        data = allocate(loc, {1}, value.getType());
        storeAt(builder, loc, value, data, 0);
      }
      int64_t rank = type ? type.getRank() : 0;
      Value shape = allocate(loc, {std::max<int64_t>(1, rank)}, i64);
      for (int64_t dim = 0; dim < rank; ++dim)
        storeAt(builder, loc, integer(builder, loc, type.getDimSize(dim)), shape, dim);
      std::optional<ArrayRef<bool>> isUnsigned = op.getUnsignedArgs();
      int64_t code = hostType(getElementTypeOrSelf(value.getType()), isUnsigned && (*isUnsigned)[i]);
      storeAt(builder, loc, addressOf(builder, loc, data), records, 3 * i);
      storeAt(builder, loc, integer(builder, loc, code | (rank << 32)), records, 3 * i + 1);
      storeAt(builder, loc, addressOf(builder, loc, shape), records, 3 * i + 2);
    }
    Value array = LLVM::IntToPtrOp::create(builder, loc, pointer, addressOf(builder, loc, records));
    LLVM::LLVMFuncOp callee = declare("tilewright_print", {pointer, pointer, i64, pointer});
    LLVM::CallOp::create(builder, loc, callee,
                         ValueRange{context, text(builder, loc, op.getFormat()), integer(builder, loc, count), array});
    op.erase();
  }

  ModuleOp module;
  func::FuncOp function;
  Type pointer, i64;
  Value context;
};

struct CpuHostCalls : tilewright::impl::CpuHostCallsBase<CpuHostCalls> {
  void runOnOperation() override {
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (tileaa::isKernel(function))
        HostCalls(getOperation(), function).run();
  }
};

} // namespace
