// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: blocks are walked in order; what is lowered stands before the operation it comes from, which goes at the
// end. Loops and branches are rebuilt around registers first, then what is in them.
#include "lower/tileas_to_nvvm/TileasToNvvm.h"
#include "lower/tileas_to_nvvm/GlobalMemory.h"
#include "lower/tileas_to_nvvm/InlinePtx.h"
#include "lower/tileas_to_nvvm/Lowerings.h"
#include "lower/tileas_to_nvvm/PipelineState.h"
#include "lower/tileas_to_nvvm/TensorMaps.h"
#include "lower/tileas_to_nvvm/TmemState.h"
#include "tileas/analysis/ArchitectureOption.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASTONVVM
#include "lower/tileas_to_nvvm/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class FunctionLowering {
public:
  FunctionLowering(func::FuncOp function, const nvidia::Architecture &architecture, PrintChannel channel)
      : function(function), channel(channel), tiles(function, architecture), pipelines(tiles), tmem(tiles) {}

  LogicalResult run() {
    // The thread's own numbers are computed at the top.
    SmallVector<Operation *> body;
    Operation *first = tiles.firstOperation();
    for (Operation *op = first; op; op = op->getNextNode())
      body.push_back(op);
    if (function->removeAttr(tileas::firstBlocksAttr))
      leaveRest();
    if (failed(lower(body)))
      return failure();
    // Users before what they use.
    for (Operation *op : llvm::reverse(done)) {
      op->dropAllReferences();
      op->dropAllUses();
    }
    for (Operation *op : llvm::reverse(done))
      op->erase();
    return success();
  }

private:
  LogicalResult lower(ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      tiles.builder.setInsertionPoint(op);
      tiles.loc = op->getLoc();
      if (failed(lower(op)))
        return failure();
    }
    return success();
  }
  LogicalResult lower(Block &block) {
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    return lower(ops);
  }

  bool isTouched(Operation *op) const {
    auto expanded = [&](Type type) { return tiles.isExpanded(type); };
    return llvm::any_of(op->getOperandTypes(), expanded) || llvm::any_of(op->getResultTypes(), expanded);
  }

  // A failure where the operation has none of these forms has been reported by the lowering.
  LogicalResult lower(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return lowerFor(loop);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return lowerIf(branch);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return lowerWhile(loop);
    if (auto agents = dyn_cast<tileas::AgentsOp>(op))
      return lowerAgents(agents);
    if (isa<scf::YieldOp, scf::ConditionOp>(op))
      return lowerTerminator(op);
    if (!isTouched(op) && !isa<tileaa::TileaaDialect, tileas::TileasDialect>(op->getDialect()))
      return success();
    done.push_back(op);
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](arith::ConstantOp op) { return lowerConstant(op, tiles); })
        .Case([&](ub::PoisonOp op) { return lowerPoison(op); })
        .Case([&](tileaa::IotaOp op) { return lowerIota(op, tiles); })
        .Case([&](tileaa::BroadcastOp op) { return lowerBroadcast(op, tiles); })
        .Case([&](tileaa::ReshapeOp op) { return lowerReshape(op, tiles); })
        .Case([&](tileaa::PermuteOp op) { return lowerPermute(op, tiles); })
        .Case([&](tileaa::ReduceOp op) { return lowerReduce(op, tiles); })
        .Case([&](tileas::MmaOp op) {
          bool byGroups = op.getAtom().getKind() == tileas::AtomKind::Wgmma;
          return byGroups ? lowerWgmma(op, tiles) : lowerMma(op, tiles);
        })
        .Case([&](tileas::ScaledMmaOp op) { return lowerScaledMma(op, tiles); })
        .Case([&](tileaa::LoadViewOp op) { return lowerLoadView(op, tiles); })
        .Case([&](tileaa::StoreViewOp op) { return lowerStoreView(op, tiles); })
        .Case([&](tileaa::ScanOp op) { return lowerScan(op, tiles); })
        .Case([&](tileaa::CatOp op) { return lowerCat(op, tiles); })
        .Case([&](tileaa::ExtractOp op) { return lowerExtract(op, tiles); })
        .Case([&](tileaa::InsertOp op) { return lowerInsert(op, tiles); })
        .Case([&](tileaa::LoadPtrOp op) { return lowerLoadPtr(op, tiles); })
        .Case([&](tileaa::StorePtrOp op) { return lowerStorePtr(op, tiles); })
        .Case([&](tileaa::AtomicRmwOp op) { return lowerAtomicRmw(op, tiles); })
        .Case([&](tileaa::AtomicCasOp op) { return lowerAtomicCas(op, tiles); })
        .Case([&](tileaa::AllocaOp op) { return lowerAlloca(op, tiles); })
        .Case([&](tileaa::GetGlobalOp op) { return lowerGetGlobal(op, tiles), success(); })
        .Case([&](tileaa::FenceOp op) { return lowerFence(op, tiles), success(); })
        .Case([&](tileaa::MakeViewOp op) { return lowerMakeView(op, tiles), success(); })
        .Case([&](tileaa::ViewBaseOp op) { return lowerViewBase(op, tiles), success(); })
        .Case([&](tileaa::ViewDimOp op) { return lowerViewDim(op, tiles), success(); })
        .Case([&](tileaa::ViewStrideOp op) { return lowerViewStride(op, tiles), success(); })
        .Case([&](tileaa::BlockIdOp op) { return lowerBlockId(op); })
        .Case([&](tileaa::NumBlocksOp op) { return lowerNumBlocks(op); })
        .Case([&](tileaa::AssumeDivByOp op) { return lowerAssume(op); })
        .Case<tileaa::MakeTokenOp, tileaa::JoinTokensOp>([&](auto) { return success(); })
        .Case([&](tileaa::PrintOp op) { return lowerPrint(op, tiles, channel), success(); })
        .Case([&](tileaa::AssertOp op) { return lowerAssert(op, tiles, channel), success(); })
        .Case([&](tileas::SplitWarpsOp op) { return lowerSplitWarps(op, tiles); })
        .Case([&](tileas::ConvertLayoutOp op) { return lowerConvertLayout(op, tiles); })
        .Case([&](tileas::AllocOp op) { return lowerAlloc(op, tiles); })
        .Case([&](tileas::WriteOp op) { return lowerWrite(op, tiles); })
        .Case([&](tileas::ReadOp op) { return lowerRead(op, tiles); })
        .Case([&](tileas::BarrierOp op) { return lowerBarrier(op); })
        .Case([&](tileas::MmaWaitOp op) { return lowerMmaWait(op, tiles); })
        .Case([&](tileas::MultiprocessorsOp op) { return lowerMultiprocessors(op); })
        .Case([&](tileas::MakeTmaDescOp op) { return success(); }) // with all others, by write_tma_descs
        .Case([&](tileas::WriteTmaDescsOp op) { return lowerWriteTmaDescs(op, tiles); })
        .Case([&](tileas::ReleaseTmaDescsOp op) { return lowerReleaseTmaDescs(op, tiles); })
        .Case([&](tileas::TmaStoreOp op) { return lowerTmaStore(op, tiles); })
        .Case([&](tileas::TmaStoreWaitOp op) { return lowerTmaStoreWait(op, tiles); })
        .Case([&](tileas::AsyncLoadOp op) { return lowerAsyncLoad(op, tiles), success(); })
        .Case([&](tileas::AsyncLoadPtrOp op) { return lowerAsyncLoadPtr(op, pipelines.filled(op), tiles), success(); })
        .Case([&](tileas::AsyncCommitOp op) { return lowerAsyncCommit(op, tiles), success(); })
        .Case([&](tileas::AsyncWaitOp op) { return lowerAsyncWait(op, tiles), success(); })
        .Case([&](tileas::StageOp op) { return lowerStage(op, tiles), success(); })
        .Case([&](tileas::CreatePipelineOp op) { return pipelines.create(op); })
        .Case([&](tileas::ProducerAcquireOp op) { return pipelines.acquire(op), success(); })
        .Case([&](tileas::TmaLoadOp op) { return pipelines.load(op), success(); })
        .Case([&](tileas::ProducerCommitOp op) { return pipelines.commit(op), success(); })
        .Case([&](tileas::ConsumerWaitOp op) { return pipelines.wait(op), success(); })
        .Case([&](tileas::ConsumerReadOp op) { return pipelines.read(op), success(); })
        .Case([&](tileas::ConsumerReleaseOp op) { return pipelines.release(op), success(); })
        .Case([&](tileas::TmemAllocOp op) { return tmem.allocate(op); })
        .Case([&](tileas::TmemDeallocOp op) { return tmem.deallocate(op), success(); })
        .Case([&](tileas::TmemLoadOp op) { return tmem.load(op); })
        .Case([&](tileas::TmemStoreOp op) { return tmem.store(op); })
        .Case([&](tileas::TmemMmaOp op) { return tmem.multiply(op); })
        .Case([&](tileas::TmemWaitOp op) { return tmem.wait(op), success(); })
        .Default([&](Operation *op) -> LogicalResult {
          if (op->hasTrait<OpTrait::Elementwise>())
            return isTouched(op) ? lowerElementwise(op, tiles) : (done.pop_back(), success());
          return op->emitError() << "internal error: " << op->getName() << " has no form in registers";
        });
  }

  LogicalResult lowerPoison(ub::PoisonOp poison) {
    SmallVector<Value> registers;
    for (Type type : tiles.typesOf(poison.getType()))
      registers.push_back(ub::PoisonOp::create(tiles.builder, tiles.loc, type));
    tiles.set(poison, registers);
    return success();
  }
  LogicalResult lowerAssume(tileaa::AssumeDivByOp assume) {
    if (tiles.isExpanded(assume.getType()))
      tiles.set(assume.getResult(), tiles.get(assume.getValue()));
    else
      kept.push_back(assume), done.pop_back(); // divisors are asked for until the end
    return success();
  }
  template <typename X, typename Y, typename Z, typename Op> LogicalResult lowerGrid(Op op) {
    Type i32 = tiles.builder.getI32Type();
    op.getX().replaceAllUsesWith(X::create(tiles.builder, tiles.loc, i32));
    op.getY().replaceAllUsesWith(Y::create(tiles.builder, tiles.loc, i32));
    op.getZ().replaceAllUsesWith(Z::create(tiles.builder, tiles.loc, i32));
    return success();
  }
  LogicalResult lowerBlockId(tileaa::BlockIdOp op) {
    return lowerGrid<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(op);
  }
  LogicalResult lowerNumBlocks(tileaa::NumBlocksOp op) {
    return lowerGrid<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(op);
  }

  LogicalResult lowerMultiprocessors(tileas::MultiprocessorsOp op) {
    op.replaceAllUsesWith(NVVM::SmDimOp::create(tiles.builder, tiles.loc, tiles.builder.getI32Type()).getResult());
    return success();
  }
  // Blocks that would go past the loop over blocks: before they set up what they do not use.
  void leaveRest() {
    OpBuilder &b = tiles.builder;
    b.setInsertionPoint(tiles.firstOperation());
    Location loc = tiles.loc;
    Type i32 = b.getI32Type();
    Value planes =
        arith::MulIOp::create(b, loc, NVVM::GridDimYOp::create(b, loc, i32), NVVM::BlockIdZOp::create(b, loc, i32));
    Value rows = arith::AddIOp::create(b, loc, planes, NVVM::BlockIdYOp::create(b, loc, i32));
    rows = arith::MulIOp::create(b, loc, NVVM::GridDimXOp::create(b, loc, i32), rows);
    Value number = arith::AddIOp::create(b, loc, rows, NVVM::BlockIdXOp::create(b, loc, i32));
    Value isRest = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, number, NVVM::SmDimOp::create(b, loc, i32));
    actByPtx("@$0 exit;", "b", {isRest}, tiles);
  }

  SmallVector<Value> expand(ValueRange values) {
    SmallVector<Value> registers;
    for (Value value : values)
      llvm::append_range(registers, tiles.get(value));
    return registers;
  }
  SmallVector<Type> expand(TypeRange types) {
    SmallVector<Type> expanded;
    for (Type type : types)
      llvm::append_range(expanded, tiles.typesOf(type));
    return expanded;
  }
  // Gives each of the old values its part of the new ones.
  void distribute(ValueRange old, ValueRange now) {
    for (Value value : old) {
      size_t count = tiles.typesOf(value.getType()).size();
      if (tiles.isExpanded(value.getType()))
        tiles.set(value, now.take_front(count));
      else
        value.replaceAllUsesWith(now[0]);
      now = now.drop_front(count);
    }
  }
  // The operations of a region's block go into another, whose arguments are the registers of the old one's.
  void move(Block &from, Block &to) {
    to.getOperations().splice(to.end(), from.getOperations());
    distribute(from.getArguments(), to.getArguments());
  }
  Block &blockFor(Region &old, Region &now, Location loc) {
    Block &block = now.emplaceBlock();
    for (BlockArgument argument : old.getArguments())
      for (Type type : tiles.typesOf(argument.getType()))
        block.addArgument(type, argument.getLoc());
    move(old.front(), block);
    return block;
  }

  LogicalResult lowerTerminator(Operation *op) {
    SmallVector<Value> operands = expand(op->getOperands());
    op->setOperands(operands);
    return success();
  }

  LogicalResult lowerFor(scf::ForOp loop) {
    auto now = scf::ForOp::create(tiles.builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                  loop.getStep(), expand(loop.getInitArgs()), nullptr, loop.getUnsignedCmp());
    now->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block &block = *now.getBody();
    // An empty loop was given a terminator.
    block.clear();
    move(*loop.getBody(), block);
    done.push_back(loop);
    if (failed(lower(block)))
      return failure();
    distribute(loop.getResults(), now.getResults());
    return success();
  }

  LogicalResult lowerIf(scf::IfOp branch) {
    SmallVector<Type> types = expand(branch.getResultTypes());
    auto now = scf::IfOp::create(tiles.builder, branch.getLoc(), types, branch.getCondition(),
                                 /*addThenBlock=*/false, /*addElseBlock=*/false);
    done.push_back(branch);
    for (auto [old, region] : llvm::zip_equal(branch->getRegions(), now->getRegions())) {
      if (old.empty())
        continue;
      Block &block = blockFor(old, region, branch.getLoc());
      if (failed(lower(block)))
        return failure();
    }
    distribute(branch.getResults(), now.getResults());
    return success();
  }

  LogicalResult lowerWhile(scf::WhileOp loop) {
    auto now =
        scf::WhileOp::create(tiles.builder, loop.getLoc(), expand(loop.getResultTypes()), expand(loop.getInits()));
    done.push_back(loop);
    for (auto [old, region] : llvm::zip_equal(loop->getRegions(), now->getRegions())) {
      Block &block = blockFor(old, region, loop.getLoc());
      if (failed(lower(block)))
        return failure();
    }
    distribute(loop.getResults(), now.getResults());
    return success();
  }

  LogicalResult lowerBarrier(tileas::BarrierOp) {
    tiles.barrier();
    return success();
  }

  // The region's warps find what it is they do by their number, which is the same for all lanes.
  LogicalResult lowerAgents(tileas::AgentsOp agents) {
    OpBuilder &b = tiles.builder;
    ArrayRef<int32_t> warps = agents.getWarps(), registers = agents.getRegisters();
    Type i32 = b.getI32Type();
    done.push_back(agents);
    // Barriers in memory are seen by all before anybody waits at one.
    NVVM::BarrierOp::create(b, tiles.loc);
    Value number = NVVM::ShflOp::create(b, tiles.loc, i32, tiles.i32(-1),
                                        arith::ShRUIOp::create(b, tiles.loc, tiles.thread(), tiles.i32(5)),
                                        tiles.i32(0), tiles.i32(31), NVVM::ShflKind::idx, UnitAttr());
    Value isProducer = arith::CmpIOp::create(b, tiles.loc, arith::CmpIPredicate::uge, number, tiles.i32(warps[0]));
    auto branch = scf::IfOp::create(b, tiles.loc, isProducer, /*withElseRegion=*/true);
    auto setRegisters = [&](int32_t count, NVVM::SetMaxRegisterAction action) {
      if (count)
        NVVM::SetMaxRegisterOp::create(b, tiles.loc, count, action);
    };
    b.setInsertionPointToStart(branch.thenBlock());
    setRegisters(registers[1], NVVM::SetMaxRegisterAction::decrease);
    if (failed(lowerProducer(agents, number, *branch.thenBlock())))
      return failure();
    b.setInsertionPointToStart(branch.elseBlock());
    setRegisters(registers[0], NVVM::SetMaxRegisterAction::increase);
    tiles.consumersOnly = true;
    LogicalResult consumer = lowerInto(agents.getConsumer().front(), *branch.elseBlock());
    tiles.consumersOnly = false;
    return consumer;
  }
  LogicalResult lowerProducer(tileas::AgentsOp agents, Value number, Block &to) {
    OpBuilder &b = tiles.builder;
    ArrayRef<int32_t> warps = agents.getWarps();
    Block &producer = agents.getProducer().front();
    if (agents.isProducedTogether()) {
      TileRegisters::SomeWarps some(tiles, warps[0], warps[1], &producer.front());
      return lowerInto(producer, to);
    }
    Value isFirstWarp = arith::CmpIOp::create(b, tiles.loc, arith::CmpIPredicate::eq, number, tiles.i32(warps[0]));
    Value elected = NVVM::ElectSyncOp::create(b, tiles.loc, b.getI1Type(), Value());
    auto one = scf::IfOp::create(b, tiles.loc, arith::AndIOp::create(b, tiles.loc, isFirstWarp, elected), false);
    return lowerInto(producer, *one.thenBlock());
  }
  LogicalResult lowerInto(Block &from, Block &to) {
    SmallVector<Operation *> ops;
    for (Operation &op : from)
      ops.push_back(&op);
    to.getOperations().splice(to.getTerminator()->getIterator(), from.getOperations());
    return lower(ops);
  }

  func::FuncOp function;
  PrintChannel channel;
  TileRegisters tiles;
  PipelineState pipelines;
  TmemState tmem;
  SmallVector<Operation *> done, kept;
};

class TileasToNvvm : public tilewright::impl::TileasToNvvmBase<TileasToNvvm> {
public:
  using TileasToNvvmBase::TileasToNvvmBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const nvidia::Architecture *architecture = tileas::architectureOf(arch, getOperation());
    if (!architecture)
      return signalPassFailure();
    addMemories(module);
    addTensorMaps(module);
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      takeTensorMaps(function);
    PrintChannel channel = anyLauncher ? PrintChannel::HostBufferOrDriver : PrintChannel::HostBuffer;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (failed(FunctionLowering(function, *architecture, channel).run()))
        return signalPassFailure();
    lowerGlobals(module);
    // Divisors were asked for until now.
    module.walk([](tileaa::AssumeDivByOp assume) {
      assume.replaceAllUsesWith(assume.getValue());
      assume.erase();
    });
  }

private:
  // Tensor maps are passed by value, and read where the launch put them.
  static void takeTensorMaps(func::FuncOp function) {
    Builder builder(function.getContext());
    auto map = LLVM::LLVMArrayType::get(builder.getI8Type(), tileas::tmaDescBytes);
    for (BlockArgument argument : function.getArguments()) {
      if (!isa<tileas::TmaDescType>(argument.getType()))
        continue;
      argument.setType(LLVM::LLVMPointerType::get(function.getContext()));
      unsigned number = argument.getArgNumber();
      function.setArgAttr(number, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(map));
      function.setArgAttr(number, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(64));
    }
    function.setType(builder.getFunctionType(function.getBody().getArgumentTypes(), function.getResultTypes()));
  }
  static void addMemories(ModuleOp module) {
    auto builder = OpBuilder::atBlockBegin(module.getBody());
    auto add = [&](StringRef name, int64_t bytes, unsigned space, LLVM::Linkage linkage, Attribute value,
                   unsigned alignment, bool constant) {
      LLVM::GlobalOp::create(builder, module.getLoc(), LLVM::LLVMArrayType::get(builder.getI8Type(), bytes), constant,
                             linkage, name, value, alignment, space);
    };
    add(sharedMemoryName, 0, 3, LLVM::Linkage::External, {}, 1024, false);
    add(zerosName, 16, 1, LLVM::Linkage::Internal, builder.getStringAttr(std::string(16, '\0')), 16, true);
  }
};

} // namespace
