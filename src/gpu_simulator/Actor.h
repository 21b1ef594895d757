// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A group of warps that executes a kernel. Its private steps are done at once; before an operation that others observe
// (shared memory, barriers, pipelines, copies) it stops, so that a schedule can choose the next actor.
#ifndef TILEWRIGHT_GPU_SIMULATOR_ACTOR_H
#define TILEWRIGHT_GPU_SIMULATOR_ACTOR_H

#include "gpu_simulator/SimulatedKernel.h"
#include "gpu_simulator/memory/Clock.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <functional>

namespace tilewright::simulator {

class TileBlock;

class Actor {
public:
  Actor(SimulatedKernel &kernel, TileBlock &block, unsigned number, WarpGroup group, bool isProducer);

  SimulatedKernel &kernel;
  TileBlock &block;
  const unsigned number;
  const WarpGroup group;
  const bool isProducer;
  /// The events known to have happened before, its own steps included.
  Clock clock;
  bool isWaiting = false; // has arrived at a meeting of actors

  /// Begins a region: operations from there on are its own.
  void enter(mlir::Region &region);
  /// Runs up to the next operation that others observe.
  llvm::Error advance();
  /// That operation; null at the end.
  mlir::Operation *next() const { return levels.empty() ? nullptr : &*levels.back().next; }
  /// Continues after that operation.
  void pass() { ++levels.back().next; }
  void finish() { levels.clear(); }
  /// A step that others observe.
  Event makeEvent(mlir::Operation *op);
  /// One that accesses shared memory, by its number there.
  uint32_t makeAccess(mlir::Operation *op, mlir::Operation *owner);
  /// "warp 2", "warps 4 to 7", "the producer"; with a verb, as in "waits".
  std::string name() const;
  std::string does(llvm::StringRef what) const;

  /// Values. A tile with another layout than `wanted` is reordered: a missing element is a fault of the kernel.
  SimulatedValue &get(mlir::Value value) { return values[kernel.placeOf(value)]; }
  const Tile &tile(mlir::Value value) { return std::get<Tile>(get(value)); }
  Tile tileAs(mlir::Value value, const Holding *wanted);
  int64_t integer(mlir::Value value) { return tile(value).integer(); }
  void set(mlir::Value value, SimulatedValue content) { values[kernel.placeOf(value)] = std::move(content); }
  /// Of a tile's type; null for a scalar.
  const Holding *holdingOf(mlir::Type type);
  /// The places of the elements for which this group executes effects on memory.
  llvm::ArrayRef<uint32_t> originalsOf(const Tile &tile);
  bool isFirst() const { return group.first == 0 && !isProducer; }

  /// A running product of this warpgroup, with its result and the stages that it reads: the pipeline, and the number of
  /// stages released before it.
  struct RunningProduct {
    tileas::MmaOp op;
    std::shared_ptr<const std::vector<Bits>> result;
    llvm::SmallVector<std::pair<int, int64_t>, 2> stages;
  };
  /// Oldest first. All but the newest `pending` have ended.
  std::vector<RunningProduct> running;
  void endProducts(size_t pending) {
    if (running.size() > pending)
      running.erase(running.begin(), running.end() - pending);
  }
  /// The running product with that result.
  const RunningProduct *findRunning(mlir::Value value);
  /// An error if an operation reads the result of a running product.
  llvm::Error checkRunning(mlir::Operation *op);
  /// Whether the state that an operation is given, if any, is the actor's place in the pipeline's ring.
  llvm::Error checkState(tileas::PipelineStep step, const RingPlace &place);

  /// Reports a fault of the current operation; the first message is kept.
  void refuse(const llvm::Twine &message);
  llvm::Error takeFault(mlir::Operation *op);
  /// Runs the body of a reduction, whose arguments are set.
  llvm::Error runBody(mlir::Region &body, llvm::SmallVectorImpl<Tile> &yielded);

private:
  struct Level {
    mlir::Block *block;
    mlir::Block::iterator next;
    mlir::Operation *owner; // the loop or branch around it; null for a body or a function
    Bits index = 0, upper = 0, step = 0;
  };

  llvm::Error run(size_t depth);
  llvm::Error execute(mlir::Operation *op);
  bool control(mlir::Operation *op);
  void follow(mlir::scf::ForOp loop);
  void follow(mlir::scf::IfOp branch);
  void follow(mlir::scf::WhileOp loop);
  void follow(mlir::scf::ConditionOp condition);
  void follow(mlir::scf::YieldOp yield);
  void follow(tileaa::YieldOp yield);
  void begin(mlir::Region &region, mlir::Operation *owner);
  bool beginIteration(Level &level);
  llvm::SmallVector<SimulatedValue, 4> copy(mlir::ValueRange range);
  void assign(mlir::ValueRange range, llvm::SmallVectorImpl<SimulatedValue> &contents);

  std::vector<SimulatedValue> values;
  std::vector<Level> levels;
  llvm::SmallVector<Tile> bodyResults;
  std::string fault;
  uint32_t time = 0;
};

/// Whether others observe an operation, or it waits for them.
bool isVisible(mlir::Operation *op);

using Handler = std::function<llvm::Error(mlir::Operation *, Actor &)>;

/// The handler of each operation that no other actor observes; those that are observed are in Steps.cpp.
class HandlerTable {
public:
  template <typename Op, typename Function> void on(Function function) {
    handlers[mlir::TypeID::get<Op>()] = [function](mlir::Operation *op, Actor &actor) -> llvm::Error {
      if constexpr (std::is_void_v<decltype(function(llvm::cast<Op>(op), actor))>) {
        function(llvm::cast<Op>(op), actor);
        return llvm::Error::success();
      } else {
        return function(llvm::cast<Op>(op), actor);
      }
    };
  }
  const Handler *find(mlir::OperationName name) const {
    auto found = handlers.find(name.getTypeID());
    return found == handlers.end() ? nullptr : &found->second;
  }

private:
  llvm::DenseMap<mlir::TypeID, Handler> handlers;
};

const HandlerTable &handlers();
void registerIntegerOps(HandlerTable &table);
void registerFloatOps(HandlerTable &table);
void registerConvertOps(HandlerTable &table);
void registerShapeOps(HandlerTable &table);
void registerFoldOps(HandlerTable &table);
void registerMemoryOps(HandlerTable &table);
void registerValueOps(HandlerTable &table);
void registerSharedOps(HandlerTable &table);

} // namespace tilewright::simulator

#endif
