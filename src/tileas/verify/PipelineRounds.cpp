// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/verify/PipelineRounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>
#include <set>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

namespace {

// A value as it is computed: the same number for equal expressions in both agents.
class Expressions {
public:
  unsigned numberOf(Value value) {
    if (auto found = numbers.find(value); found != numbers.end())
      return found->second;
    unsigned number = intern(describe(value));
    numbers[value] = number;
    return number;
  }
  unsigned numberOf(int64_t constant) { return intern({Constant, uintptr_t(constant)}); }
  // The trip count that a loop would have from another lower bound.
  unsigned tripsFrom(unsigned base, scf::ForOp loop) {
    return intern({Trips, base, numberOf(loop.getUpperBound()), numberOf(loop.getStep())});
  }

private:
  enum Kind : uintptr_t { Opaque, Constant, Induction, Iteration, Computed, Trips };

  unsigned intern(const std::vector<uintptr_t> &parts) {
    return expressions.try_emplace(parts, expressions.size()).first->second;
  }

  std::vector<uintptr_t> describe(Value value) {
    auto opaque = reinterpret_cast<uintptr_t>(value.getAsOpaquePointer());
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (!loop)
        return {Opaque, opaque};
      if (value == loop.getInductionVar())
        return {Induction, numberOf(loop.getLowerBound()), numberOf(loop.getUpperBound()), numberOf(loop.getStep())};
      return {Iteration, numberOf(loop.getInitArgs()[argument.getArgNumber() - 1])};
    }
    Operation *op = value.getDefiningOp();
    if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return {Opaque, opaque};
    std::vector<uintptr_t> parts{Computed, reinterpret_cast<uintptr_t>(op->getName().getAsOpaquePointer()),
                                 reinterpret_cast<uintptr_t>(op->getAttrDictionary().getAsOpaquePointer()),
                                 cast<OpResult>(value).getResultNumber()};
    for (Value operand : op->getOperands())
      parts.push_back(numberOf(operand));
    return parts;
  }

  llvm::DenseMap<Value, unsigned> numbers;
  std::map<std::vector<uintptr_t>, unsigned> expressions;
};

// Sums of products of trip counts, each product as its sorted factors.
using Polynomial = std::map<std::vector<unsigned>, int64_t>;

Polynomial constant(int64_t value) {
  return value ? Polynomial{{{}, value}} : Polynomial();
}
void add(Polynomial &sum, const Polynomial &more) {
  for (auto &[factors, count] : more)
    if ((sum[factors] += count) == 0)
      sum.erase(factors);
}
Polynomial multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial product;
  for (auto &[factors, count] : a)
    for (auto &[others, otherCount] : b) {
      std::vector<unsigned> all(factors);
      all.insert(all.end(), others.begin(), others.end());
      llvm::sort(all);
      add(product, {{all, count * otherCount}});
    }
  return product;
}
std::set<unsigned> factorsOf(const Polynomial &polynomial) {
  std::set<unsigned> all;
  for (auto &[factors, count] : polynomial)
    all.insert(factors.begin(), factors.end());
  return all;
}

class Rounds {
public:
  Rounds(Value pipeline, Expressions &expressions) : pipeline(pipeline), expressions(expressions) {}

  // How many stages an agent goes through, by the operation that ends one.
  template <typename End> std::optional<Polynomial> in(Block &block) {
    Polynomial sum;
    for (Operation &op : block) {
      std::optional<Polynomial> part = of<End>(&op);
      if (!part)
        return std::nullopt;
      add(sum, *part);
    }
    return sum;
  }

private:
  template <typename End> std::optional<Polynomial> of(Operation *op) {
    if (auto end = dyn_cast<End>(op))
      return constant(end.getPipeline() == pipeline);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      std::optional<Polynomial> inside = in<End>(*loop.getBody());
      return inside && !inside->empty() ? std::optional(multiply(tripsOf(loop), *inside)) : inside;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return ofBranch<End>(branch);
    bool isElsewhere = op->walk([&](End) { return WalkResult::interrupt(); }).wasInterrupted();
    return isElsewhere ? std::nullopt : std::optional(Polynomial());
  }
  // A loop that runs in a branch if it has an iteration counts as if it always ran.
  template <typename End> std::optional<Polynomial> ofBranch(scf::IfOp branch) {
    std::optional<Polynomial> one = in<End>(*branch.thenBlock());
    std::optional<Polynomial> other = branch.elseBlock() ? in<End>(*branch.elseBlock()) : Polynomial();
    if (!one || !other || *one == *other)
      return one && other ? one : std::nullopt;
    return one->empty() ? other : other->empty() ? one : std::nullopt;
  }

  Polynomial tripsOf(scf::ForOp loop) {
    auto first = getConstantIntValue(loop.getLowerBound()), last = getConstantIntValue(loop.getUpperBound()),
         step = getConstantIntValue(loop.getStep());
    if (first && last && step && *step > 0)
      return constant(std::max<int64_t>(0, llvm::divideCeilSigned(*last - *first, *step)));
    auto [base, skipped] = lowerBoundOf(loop);
    Polynomial trips{{{expressions.tripsFrom(base, loop)}, 1}};
    add(trips, constant(-skipped));
    return trips;
  }
  // A lower bound as another one and so many steps beyond it.
  std::pair<unsigned, int64_t> lowerBoundOf(scf::ForOp loop) {
    Value bound = loop.getLowerBound();
    auto first = getConstantIntValue(bound), step = getConstantIntValue(loop.getStep());
    if (first && step && *step > 0)
      return {expressions.numberOf(*first % *step), *first / *step};
    if (first && *first == 0)
      return {expressions.numberOf(int64_t(0)), 0};
    if (bound == loop.getStep())
      return {expressions.numberOf(int64_t(0)), 1};
    if (auto sum = bound.getDefiningOp<arith::AddIOp>())
      if (std::optional<int64_t> steps = stepsIn(sum.getRhs(), loop.getStep()))
        return {expressions.numberOf(sum.getLhs()), *steps};
    return {expressions.numberOf(bound), 0};
  }
  static std::optional<int64_t> stepsIn(Value distance, Value step) {
    if (distance == step)
      return 1;
    auto known = getConstantIntValue(distance), one = getConstantIntValue(step);
    if (known && one && *one > 0 && *known % *one == 0)
      return *known / *one;
    auto product = distance.getDefiningOp<arith::MulIOp>();
    return product && product.getLhs() == step ? getConstantIntValue(product.getRhs()) : std::nullopt;
  }

  Value pipeline;
  Expressions &expressions;
};

} // namespace

bool tileas::haveDifferentRounds(CreatePipelineOp create, AgentsOp agents) {
  Expressions expressions;
  Rounds rounds(create.getPipeline(), expressions);
  std::optional<Polynomial> filled = rounds.in<ProducerCommitOp>(agents.getProducer().front());
  std::optional<Polynomial> read = rounds.in<ConsumerReleaseOp>(agents.getConsumer().front());
  return filled && read && *filled != *read && factorsOf(*filled) == factorsOf(*read);
}
