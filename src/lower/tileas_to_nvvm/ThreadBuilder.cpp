// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/tileas_to_nvvm/ThreadBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tilewright;
using layout::Dim;
using layout::LinearLayout;

Type tilewright::memoryType(Type element) {
  return element.isInteger(1) ? IntegerType::get(element.getContext(), 8) : element;
}

SmallVector<Value> tilewright::scalarsOf(ArrayRef<ValueRange> operands) {
  return llvm::map_to_vector(operands, [](ValueRange operand) { return llvm::getSingleElement(operand); });
}

LogicalResult ThreadBuilder::replace(Operation *op, ValueRange registers) {
  SmallVector<ValueRange> results(op->getNumResults());
  if (!results.empty())
    results.front() = registers;
  builder.replaceOpWithMultiple(op, ArrayRef<ValueRange>(results));
  return success();
}

LogicalResult ThreadBuilder::fail(Operation *op, const Twine &reason) {
  kernel.failure = reason.str();
  return builder.notifyMatchFailure(op, reason);
}

Value ThreadBuilder::constant(Type type, int64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(type, value));
}
Value ThreadBuilder::i32(int64_t value) {
  return constant(builder.getI32Type(), value);
}
Value ThreadBuilder::i64(int64_t value) {
  return constant(builder.getI64Type(), value);
}
Value ThreadBuilder::i1(bool value) {
  return constant(builder.getI1Type(), value);
}

Value ThreadBuilder::constantTable(DenseElementsAttr elements) {
  auto module = kernel.function->getParentOfType<ModuleOp>();
  auto atTop = OpBuilder::atBlockBegin(module.getBody());
  std::string name;
  for (unsigned number = 0; name.empty() || module.lookupSymbol(name); ++number)
    name = "tilewright_table_" + std::to_string(number);
  auto type = LLVM::LLVMArrayType::get(elements.getElementType(), elements.getNumElements());
  LLVM::GlobalOp::create(atTop, loc, type, /*isConstant=*/true, LLVM::Linkage::Internal, name, elements,
                         /*alignment=*/16, /*addrSpace=*/1);
  return LLVM::AddressOfOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), 1), name);
}

Value ThreadBuilder::barrier(Value any) {
  // Of the sixteen barriers of a block; number 0 is that of all threads.
  constexpr int64_t consumerBarrier = 1;
  auto fence = [&](NVVM::Tcgen05FenceKind kind) {
    if (kernel.usesTmem)
      NVVM::Tcgen05FenceOp::create(builder, loc, kind);
  };
  fence(NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC);
  Value result;
  if (any && isByConsumers) {
    // nvvm.barrier reduces at barrier 0 alone.
    auto made = LLVM::CallIntrinsicOp::create(builder, loc, builder.getI1Type(),
                                              builder.getStringAttr("llvm.nvvm.barrier.cta.red.or.aligned.count"),
                                              ValueRange{i32(consumerBarrier), i32(warps() * 32), any});
    result = made.getResults();
  } else if (any) {
    Type type = builder.getI32Type();
    auto reduction = NVVM::BarrierReductionAttr::get(builder.getContext(), NVVM::BarrierReduction::OR);
    auto made = NVVM::BarrierOp::create(builder, loc, TypeRange(type), Value(), Value(), reduction,
                                        arith::ExtUIOp::create(builder, loc, type, any));
    result = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, made.getRes(), i32(0));
  } else {
    NVVM::BarrierOp::create(builder, loc, TypeRange(), isByConsumers ? i32(consumerBarrier) : Value(),
                            isByConsumers ? i32(warps() * 32) : Value(), NVVM::BarrierReductionAttr(), Value());
  }
  fence(NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
  return result;
}

Value ThreadBuilder::isFirstThread() {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, id(), i32(0));
}

Value ThreadBuilder::isFirstLane() {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, lane(), i32(0));
}

void ThreadBuilder::where(Value condition, function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(scf::IfOp::create(builder, loc, condition, /*withElseRegion=*/false).thenBlock());
  body();
}

Value ThreadBuilder::holdsOriginal(const LinearLayout &layout) {
  Value zero;
  for (auto [number, dim] : {std::pair(lane(), Dim::Lane), std::pair(warp(), Dim::Warp)})
    if (uint64_t bits = layout.redundantBits(dim)) {
      Value part = arith::AndIOp::create(builder, loc, number, i32(bits));
      zero = zero ? arith::OrIOp::create(builder, loc, zero, part).getResult() : part;
    }
  // Warps that the layout does not know hold copies too.
  if (int64_t known = layout.inputSize(Dim::Warp); known < warps()) {
    Value part = arith::AndIOp::create(builder, loc, warp(), i32((warps() - 1) & ~(known - 1)));
    zero = zero ? arith::OrIOp::create(builder, loc, zero, part).getResult() : part;
  }
  if (layout.inputBits(Dim::Lane) < 5) {
    Value part = arith::AndIOp::create(builder, loc, lane(), i32(31 & ~(layout.inputSize(Dim::Lane) - 1)));
    zero = zero ? arith::OrIOp::create(builder, loc, zero, part).getResult() : part;
  }
  if (!zero)
    return {};
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, zero, i32(0));
}

Value ThreadBuilder::isOriginal(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? holdsOriginal(tileas::layoutOf(tile)) : isFirstThread();
}

Value ThreadBuilder::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return builder.createOrFold<arith::AndIOp>(loc, a, b);
}

// Bits that step by the same factor move together: (x >> low & mask) << or >> by.
Value ThreadBuilder::threadPart(const LinearLayout &map, Dim out) {
  LinearLayout threads = map.restrictInputs({Dim::Lane, Dim::Warp});
  for (const ThreadScope::Number &known : scope.numbers)
    if (known.out == out && known.map == threads)
      return known.value;
  OpBuilder::InsertionGuard guard(builder);
  if (scope.top)
    builder.setInsertionPointAfter(scope.top);
  Value value = computeThreadPart(threads, out);
  if (scope.top)
    scope.top = &*std::prev(builder.getInsertionPoint());
  scope.numbers.push_back({threads, out, value});
  return value;
}

void ThreadBuilder::readThreadAgain(llvm::function_ref<void(ThreadBuilder &)> compute) {
  // That it acts keeps others from moving it, or from taking two for one.
  Value lane =
      LLVM::InlineAsmOp::create(builder, loc, builder.getI32Type(), ValueRange(), "mov.u32 $0, %laneid;", "=r",
                                /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
                                LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr())
          .getResult(0);
  ThreadScope here{warps(), lane, warp(), id()};
  ThreadBuilder again(*this, here);
  compute(again);
}

Value ThreadBuilder::computeThreadPart(const LinearLayout &map, Dim out) {
  Value result;
  uint64_t covered = 0;
  for (auto [number, dim] : {std::pair(lane(), Dim::Lane), std::pair(warp(), Dim::Warp)}) {
    unsigned bits = map.inputBits(dim);
    for (unsigned bit = 0; bit != bits;) {
      uint64_t step = map.basis(dim, bit, out);
      unsigned end = bit + 1;
      if (step == 0) {
        bit = end;
        continue;
      }
      while (end != bits && map.basis(dim, end, out) == step << (end - bit))
        ++end;
      Value part = number;
      if (bit != 0)
        part = arith::ShRUIOp::create(builder, loc, part, i32(bit));
      bool whole = dim == Dim::Lane ? end == 5 : (int64_t(1) << end) >= warps();
      if (!whole)
        part = arith::AndIOp::create(builder, loc, part, i32((1 << (end - bit)) - 1));
      // A product with a step of one bit is a shift; of several bits it is right because the images of these bits do
      // not meet, and where they do, bit by bit.
      uint64_t images = 0;
      bool meet = false;
      for (unsigned i = bit; i != end; ++i) {
        meet |= (images & map.basis(dim, i, out)) != 0;
        images |= map.basis(dim, i, out);
      }
      if (meet) {
        end = bit + 1;
        part = arith::AndIOp::create(builder, loc,
                                     bit ? arith::ShRUIOp::create(builder, loc, number, i32(bit)) : number, i32(1));
        images = step;
      }
      if (step != 1)
        part = llvm::isPowerOf2_64(step)
                   ? arith::ShLIOp::create(builder, loc, part, i32(llvm::Log2_64(step))).getResult()
                   : arith::MulIOp::create(builder, loc, part, i32(step)).getResult();
      if (!result)
        result = part;
      else if (covered & images)
        result = arith::XOrIOp::create(builder, loc, result, part);
      else
        result = arith::AddIOp::create(builder, loc, result, part,
                                       arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
      covered |= images;
      bit = end;
    }
  }
  return result ? result : i32(0);
}

Value ThreadBuilder::output(const LinearLayout &map, Dim out, uint64_t reg) {
  Value thread = threadPart(map, out);
  uint64_t part = map.coordinate(map.applyFlat({{Dim::Register, reg}}), out);
  if (part == 0)
    return thread;
  uint64_t covered = 0;
  for (Dim dim : {Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit != map.inputBits(dim); ++bit)
      covered |= map.basis(dim, bit, out);
  if (covered & part)
    return arith::XOrIOp::create(builder, loc, thread, i32(part));
  return arith::AddIOp::create(builder, loc, thread, i32(part),
                               arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw);
}

Value ThreadBuilder::sharedPointer(int64_t offset) {
  return sharedPointer(i32(offset));
}

Value ThreadBuilder::sharedPointer(Value offset) {
  return LLVM::GEPOp::create(builder, loc, kernel.sharedBase.getType(), builder.getI8Type(), kernel.sharedBase,
                             ArrayRef<LLVM::GEPArg>{offset}, LLVM::GEPNoWrapFlags::inbounds);
}

Value ThreadBuilder::globalPointer(Value address) {
  return LLVM::IntToPtrOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), kernel.addressSpace),
                                  address);
}
