// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/AgentRecords.h"
#include "support/Diagnostics.h"
#include "tileas/ir/Tileas.h"
#include "tileas/memory/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASINSERTRECORDS
#include "tileas/memory/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

bool isTile(Type type) {
  return isa<RankedTensorType>(type);
}

// The kind of work of an operation; empty for operations on scalars, and those that have no code of their own.
StringRef kindOf(Operation *op) {
  using namespace tileas;
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case<ConsumerWaitOp, AsyncWaitOp>([](auto) { return "wait"; })
      .Case([](ProducerAcquireOp) { return "acquire"; })
      .Case<TmaLoadOp, AsyncLoadOp, AsyncLoadPtrOp>([](auto) { return "copy"; })
      .Case<MmaOp, ScaledMmaOp, TmemMmaOp>([](auto) { return "product"; })
      .Case<MmaWaitOp, TmemWaitOp>([](auto) { return "product wait"; })
      .Case<TmaStoreOp, tileaa::StoreViewOp, tileaa::StorePtrOp>([](auto) { return "store"; })
      .Case([](TmaStoreWaitOp) { return "store wait"; })
      .Case<tileaa::LoadViewOp, tileaa::LoadPtrOp>([](auto) { return "load"; })
      .Case<tileaa::AtomicRmwOp, tileaa::AtomicCasOp>([](auto) { return "atomic"; })
      .Case([](ClusterSumOp) { return "exchange"; })
      .Case([](BarrierOp) { return "barrier"; })
      .Case<arith::ConstantOp, ub::PoisonOp, scf::YieldOp, scf::ConditionOp>([](auto) { return ""; })
      .Default([](Operation *op) {
        return llvm::any_of(op->getOperandTypes(), isTile) || llvm::any_of(op->getResultTypes(), isTile) ? "work" : "";
      });
}

// The tracks that the threads of a region write: one for each warpgroup, or one where a single thread runs it.
struct Writers {
  int64_t first, count;
};

class Inserter {
public:
  explicit Inserter(func::FuncOp function)
      : function(function), builder(function.getContext()), cta(tileas::ctaOf(function)) {}

  LogicalResult run() {
    if (failed(addParameters()))
      return failure();
    tileas::AgentsOp agents;
    function.walk([&](tileas::AgentsOp op) { agents = op; });
    SmallVector<std::pair<Block *, Writers>> regions;
    if (agents) {
      Writers consumers = addTracks("consumers", agents.getWarps()[0]);
      Writers producer =
          agents.isProducedTogether() ? addTracks("producer", agents.getWarps()[1]) : addTrack("producer");
      regions = {{&agents.getConsumer().front(), consumers}, {&agents.getProducer().front(), producer}};
    } else {
      regions = {{&function.getBody().front(), addTracks("threads", tileas::warpsOf(function))}};
    }
    for (auto [block, writers] : regions)
      fill(*block, writers);
    function->setAttr(tileas::recordTracksAttr, builder.getArrayAttr(tracks));
    function->setAttr(tileas::recordSitesAttr, builder.getArrayAttr(sites));
    return success();
  }

private:
  LogicalResult addParameters() {
    unsigned number = function.getNumArguments() - tileas::tmaDescsOf(function).size();
    Type types[] = {builder.getI64Type(), builder.getI32Type()};
    for (auto [i, type] : llvm::enumerate(types))
      if (failed(function.insertArgument(number + i, type, DictionaryAttr(), function.getLoc())))
        return failure();
    buffer = function.getArgument(number), capacity = function.getArgument(number + 1);
    return success();
  }

  Writers addTrack(const Twine &name) {
    tracks.push_back(builder.getStringAttr(name));
    return {int64_t(tracks.size()) - 1, 0};
  }
  Writers addTracks(StringRef name, int64_t warps) {
    int64_t first = tracks.size(), count = llvm::divideCeil(warps, 4);
    for (int64_t i = 0; i != count; ++i)
      addTrack(count == 1 ? name : name + " " + Twine(i));
    return {first, count};
  }

  void fill(Block &block, Writers writers) {
    this->writers = writers;
    Operation *loop = loopOverBlocks(block);
    bool hasTerminator = block.mightHaveTerminator() && block.back().hasTrait<OpTrait::IsTerminator>();
    visit(block, loop);
    builder.setInsertionPointToStart(&block);
    make<tileas::BeginRecordsOp>(function.getLoc());
    builder.setInsertionPoint(&block, hasTerminator ? Block::iterator(block.back()) : block.end());
    make<tileas::EndRecordsOp>(function.getLoc());
  }

  // Of a persistent kernel: it encloses all work on tiles.
  Operation *loopOverBlocks(Block &block) {
    if (!cta.getBlocksPerSm())
      return nullptr;
    auto loops = block.getOps<scf::ForOp>();
    return loops.empty() ? nullptr : (*loops.begin()).getOperation();
  }

  // The kind is known from one operation of a block to the next, not behind an operation with regions.
  void visit(Block &block, Operation *loop) {
    StringRef now;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (op.getNumRegions() && !isa<tileaa::ReduceOp, tileaa::ScanOp>(op)) {
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            visit(inner, nullptr);
        if (&op == loop)
          recordBlock(cast<scf::ForOp>(op));
        now = "";
        continue;
      }
      StringRef kind = kindOf(&op);
      if (kind.empty() || kind == now)
        continue;
      now = kind;
      builder.setInsertionPoint(&op);
      record(arith::ConstantIntOp::create(builder, op.getLoc(), numberOf(kind, op.getLoc()), 32), op.getLoc());
    }
  }

  void recordBlock(scf::ForOp loop) {
    builder.setInsertionPointToStart(loop.getBody());
    Location loc = loop.getLoc();
    Value mark = arith::ConstantIntOp::create(builder, loc, cuda::recordOfBlock, 32);
    record(arith::OrIOp::create(builder, loc, loop.getInductionVar(), mark), loc);
  }

  void record(Value word, Location loc) {
    tileas::RecordOp::create(builder, loc, word, buffer, capacity, writers.first, writers.count, tracks.size());
  }
  template <typename Op> void make(Location loc) {
    Op::create(builder, loc, buffer, capacity, writers.first, writers.count, tracks.size());
  }

  int64_t numberOf(StringRef kind, Location loc) {
    FileLineColLoc source = sourceOf(loc);
    Attribute site =
        tileas::RecordSiteAttr::get(builder.getContext(), kind, source ? source.getFilename().strref() : StringRef(),
                                    source ? source.getLine() : 0);
    auto found = llvm::find(sites, site);
    if (found == sites.end())
      found = sites.insert(sites.end(), site);
    return found - sites.begin();
  }

  func::FuncOp function;
  OpBuilder builder;
  tileas::CtaAttr cta;
  Value buffer, capacity;
  Writers writers{};
  SmallVector<Attribute> tracks, sites;
};

struct InsertRecords : tilewright::impl::TileasInsertRecordsBase<InsertRecords> {
  void runOnOperation() override {
    if (!tileaa::isKernel(getOperation()))
      return;
    tileas::TargetAttr target = tileas::targetOf(getOperation());
    if (!target)
      return signalPassFailure();
    if (target.isPortable()) {
      getOperation().emitError("records need parameters that the launcher adds, which kernels of the launch ABI "
                               "'portable' do not have");
      return signalPassFailure();
    }
    if (!tileas::expectCta(getOperation()) || failed(Inserter(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
