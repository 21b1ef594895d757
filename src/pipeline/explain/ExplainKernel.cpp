// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The facts of a kernel that its module shows.
#include "cpu/ir/Cpu.h"
#include "cpu/plan/PlanText.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "pipeline/NvidiaPlan.h"
#include "pipeline/explain/Explanation.h"
#include "support/Diagnostics.h"
#include "tileas/ir/Decisions.h"
#include "tileas/schedule/SchedulableLoops.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright {
namespace {

// A tile's bits; a scalar is a tile of one.
uint64_t bitsOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  Type element = tile ? tile.getElementType() : type;
  return element.isIntOrFloat() ? (tile ? tile.getNumElements() : 1) * element.getIntOrFloatBitWidth() : 0;
}

uint64_t elementsOf(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getNumElements() : 1;
}

bool isFloatTile(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && isa<FloatType>(tile.getElementType());
}

void add(Operation *op, uint64_t turns, BlockWork &work) {
  if (isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op)) {
    work.loadedBytes += turns * bitsOf(op->getResult(0).getType()) / 8;
  } else if (auto store = dyn_cast<tileaa::StoreViewOp>(op)) {
    work.storedBytes += turns * bitsOf(store.getTile().getType()) / 8;
  } else if (auto store = dyn_cast<tileaa::StorePtrOp>(op)) {
    work.storedBytes += turns * bitsOf(store.getTile().getType()) / 8;
  } else if (auto atomic = dyn_cast<tileaa::AtomicRmwOp>(op)) {
    work.loadedBytes += turns * bitsOf(atomic.getValue().getType()) / 8;
    work.storedBytes += turns * bitsOf(atomic.getValue().getType()) / 8;
  } else if (isa<tileaa::MmaOp, tileaa::MmaScaledOp>(op)) {
    auto left = cast<RankedTensorType>(op->getOperand(0).getType());
    work.products += turns * 2 * elementsOf(op->getResult(0).getType()) * left.getShape().back();
  } else if (isa<tileaa::ReduceOp, tileaa::ScanOp>(op)) {
    work.operations += turns * elementsOf(op->getOperand(0).getType());
  } else if (op->getNumResults() == 1 && (isFloatTile(op->getResult(0).getType()) ||
                                          (op->getNumOperands() && isFloatTile(op->getOperand(0).getType())))) {
    bool isFma = op->getName().getStringRef() == "math.fma";
    StringRef dialect = op->getName().getDialectNamespace();
    if ((dialect == "arith" || dialect == "math" || isa<tileaa::FloatOp, tileaa::ConvertOp>(op)) &&
        !op->hasTrait<OpTrait::ConstantLike>())
      work.operations += turns * elementsOf(op->getResult(0).getType()) * (isFma ? 2 : 1);
  }
}

// Loops with constant trip counts are part of the enclosing region.
void addRegion(Region &region, uint64_t turns, size_t at, std::vector<BlockWork> &work) {
  for (Operation &op : region.getOps()) {
    add(&op, turns, work[at]);
    if (isa<tileaa::ReduceOp, tileaa::ScanOp>(op))
      continue; // their regions are one step of what they have done
    uint64_t inner = turns;
    size_t place = at;
    if (auto loop = dyn_cast<LoopLikeOpInterface>(op)) {
      std::optional<APInt> known;
      if (auto counted = dyn_cast<scf::ForOp>(op))
        known = counted.getStaticTripCount();
      if (known) {
        inner *= known->getZExtValue();
      } else {
        place = work.size();
        work.push_back({"each iteration of the loop" + placeText(op.getLoc())});
        inner = 1;
      }
    }
    for (Region &nested : op.getRegions())
      addRegion(nested, inner, place, work);
  }
}

std::string textOf(Attribute value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.print(os, /*elideType=*/true);
  return text;
}

std::vector<ExplainedDecision> decisionsOf(func::FuncOp function) {
  std::vector<ExplainedDecision> decisions;
  for (tileas::DecisionAttr decision : tileas::decisionsOf(function))
    if (std::optional<int64_t> value = decision.getValue())
      decisions.push_back({decisionName(decision), tileas::valueText(decision.getKind(), *value),
                           decision.getReason().str(), decision.getPlace().str(), decision.getAskedBy().str()});
  for (auto [number, loop] : scheduledLoops(function))
    decisions.push_back({("loop." + Twine(number) + ".schedule").str(),
                         tileas::scheduleOf(loop),
                         tileas::reasonOfSchedule(loop),
                         "",
                         "",
                         {}});
  return decisions;
}

// As in 128x64xbf16.
std::string tileText(ArrayRef<int64_t> shape, Type element) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (int64_t extent : shape)
    os << extent << 'x';
  os << element;
  return text;
}

std::string tileText(Type type) {
  if (auto buffer = dyn_cast<tileas::BufferType>(type))
    return tileText(buffer.getShape(), buffer.getElementType()) + " in shared memory";
  auto tile = cast<RankedTensorType>(type);
  return tileText(tile.getShape(), tile.getElementType());
}

// As in wgmma m64n256k16, without the name of the attribute.
std::string atomText(Attribute atom) {
  std::string text = textOf(atom);
  return StringRef(text).split('<').second.drop_back().str();
}

// The operations of a kernel that show decisions, a line for each kind of thing.
NamedValues describeOperations(func::FuncOp function) {
  NamedValues rows;
  unsigned conversions = 0;
  int64_t bufferBytes = 0;
  llvm::MapVector<std::string, unsigned, llvm::StringMap<unsigned>> products;
  function.walk([&](Operation *op) {
    conversions += isa<tileas::ConvertLayoutOp>(op);
    if (auto alloc = dyn_cast<tileas::AllocOp>(op))
      bufferBytes += alloc.getBuffer().getType().getBytes();
    if (auto agents = dyn_cast<tileas::AgentsOp>(op)) {
      std::string text;
      for (auto [warps, registers] : llvm::zip(agents.getWarps(), agents.getRegisters()))
        text += llvm::formatv("{0}{1} warps of {2} registers", text.empty() ? "" : ", ", warps, registers).str();
      rows.emplace_back("agents", text);
    }
    if (auto create = dyn_cast<tileas::CreatePipelineOp>(op)) {
      tileas::PipelineType type = create.getPipeline().getType();
      std::string text = llvm::formatv("{0} stages of {1} bytes:", type.getStages(), type.getStageBytes()).str();
      for (tileas::BufferType buffer : type.getBuffers())
        text += " " + tileText(buffer.getShape(), buffer.getElementType());
      rows.emplace_back("pipeline", text);
    }
    if (auto mma = dyn_cast<tileas::TmemMmaOp>(op)) {
      tileas::TmemType acc = mma.getAcc().getType();
      ++products[atomText(mma.getAtom()) + ": " + tileText(acc.getShape(), acc.getElementType()) +
                 " in tensor memory + " + tileText(mma.getLhs().getType()) + " @ " + tileText(mma.getRhs().getType())];
    }
    if (auto mma = dyn_cast<tileas::ScaledMmaOp>(op))
      ++products[atomText(mma.getAtom()) + " with block scales: " + tileText(mma.getAcc().getType()) + " + " +
                 tileText(mma.getLhs().getType()) + " @ " + tileText(mma.getRhs().getType())];
    if (auto schedule = op->getAttrOfType<tileas::ScheduleAttr>(tileas::scheduleAttr); schedule && schedule.getCycles())
      rows.emplace_back("iteration of the loop" + placeText(op->getLoc()),
                        llvm::formatv("{0} cycles, {1} in the program's order; operations of several iterations",
                                      *schedule.getCycles(), *schedule.getSerialCycles())
                            .str());
    if (auto mma = dyn_cast<tileas::MmaOp>(op))
      ++products[atomText(mma.getAtom()) + ": " + tileText(mma.getAcc().getType()) + " + " +
                 tileText(mma.getLhs().getType()) + " @ " + tileText(mma.getRhs().getType())];
  });
  for (const auto &[product, count] : products)
    rows.emplace_back("product", product + (count == 1 ? "" : ", " + std::to_string(count) + " times"));
  rows.emplace_back("layout conversions", std::to_string(conversions));
  if (bufferBytes)
    rows.emplace_back("buffers in shared memory", std::to_string(bufferBytes) + " bytes");
  return rows;
}

// The layouts of a kernel's tiles, those with the most values first.
std::vector<std::string> layoutsOf(func::FuncOp function) {
  llvm::MapVector<Type, unsigned> counts;
  function.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (tileas::hasLayout(type))
        ++counts[type];
  });
  auto sorted = counts.takeVector();
  llvm::stable_sort(sorted, [](const auto &a, const auto &b) { return bitsOf(a.first) > bitsOf(b.first); });
  std::vector<std::string> lines;
  for (auto [type, count] : sorted) {
    auto tile = cast<RankedTensorType>(type);
    const layout::LinearLayout &layout = tileas::layoutOf(tile);
    uint64_t values = layout.inputSize(layout::Dim::Register);
    lines.push_back(
        llvm::formatv("{0}: {1} values a thread, {2} of these tiles; {3}", tileText(type), values, count, layout.str())
            .str());
  }
  return lines;
}

KernelExplanation &explanationOf(func::FuncOp function, std::vector<KernelExplanation> &kernels) {
  auto known = llvm::find_if(kernels, [&](const auto &kernel) { return kernel.name == function.getName(); });
  KernelExplanation &kernel = known == kernels.end() ? kernels.emplace_back() : *known;
  kernel.name = function.getName();
  return kernel;
}

} // namespace

std::vector<KernelExplanation> explainWork(ModuleOp module) {
  std::vector<KernelExplanation> kernels;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!tileaa::isKernel(function))
      continue;
    KernelExplanation &kernel = kernels.emplace_back();
    kernel.name = function.getName();
    kernel.work.push_back({});
    addRegion(function.getBody(), 1, 0, kernel.work);
  }
  return kernels;
}

void explainDecisions(ModuleOp module, std::vector<KernelExplanation> &kernels) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!tileaa::isKernel(function))
      continue;
    KernelExplanation &kernel = explanationOf(function, kernels);
    kernel.decisions = decisionsOf(function);
    kernel.facts = resourcesOf(function);
    llvm::append_range(kernel.facts, describeOperations(function));
    kernel.layouts = layoutsOf(function);
  }
}

void explainCpuDecisions(ModuleOp module, const Machine &machine, std::vector<KernelExplanation> &kernels) {
  module.walk([&](func::FuncOp function) {
    if (!cpu::planOf(function))
      return;
    KernelExplanation &kernel = explanationOf(function, kernels);
    cpu::Plan plan = cpu::Plan::of(function);
    for (const cpu::Decision &decision : cpu::Decision::all())
      kernel.decisions.push_back(
          {decision.name.str(), decision.textIn(plan), cpu::reasonOf(decision, plan, machine), "", "", {}});
  });
}

std::vector<ExplainedHint> hintsOf(StringRef kernel, ArrayRef<OptimizationRemark> remarks) {
  std::vector<ExplainedHint> hints;
  for (const OptimizationRemark &remark : remarks)
    if (remark.category == "Hints" && remark.function == kernel)
      hints.push_back({remark.message(), remark.file.empty() ? "" : remark.file + ":" + std::to_string(remark.line),
                       remark.kind == OptimizationRemark::Kind::Passed});
  return hints;
}

} // namespace tilewright
