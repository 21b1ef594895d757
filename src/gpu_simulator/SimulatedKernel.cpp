// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "gpu_simulator/SimulatedKernel.h"

#include "interpreter/Context.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::simulator;

llvm::Expected<std::unique_ptr<SimulatedKernel>> SimulatedKernel::prepare(func::FuncOp function) {
  std::unique_ptr<SimulatedKernel> kernel(new SimulatedKernel(function));
  if (!function.getBody().hasOneBlock())
    return interpreter::errorAt(function, "a kernel has one block and structured control flow, expected no branches");
  tileas::CtaAttr cta = tileas::ctaOf(function);
  kernel->groups = cta ? cta.getWarps() : 1;
  kernel->cluster = tileas::clusterOf(function);
  kernel->split = tileas::splitOf(function);
  bool byWarpgroups = false;
  function.walk([&](Operation *op) {
    for (mlir::Value result : op->getResults())
      kernel->places.try_emplace(result, kernel->places.size());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          kernel->places.try_emplace(argument, kernel->places.size());
    if (auto create = dyn_cast<tileas::CreatePipelineOp>(op))
      kernel->pipelines.push_back(create);
    if (auto create = dyn_cast<tileas::CreateExchangeOp>(op))
      kernel->exchanges.push_back(create);
    if (auto alloc = dyn_cast<tileas::TmemAllocOp>(op)) {
      kernel->tmems.push_back(alloc);
      kernel->tmemOffsets.push_back(kernel->tmemBytes);
      kernel->tmemBytes += int64_t(ShapedType::getNumElements(alloc.getTmem().getType().getShape())) * 4;
      byWarpgroups = true;
    }
    if (auto agents = dyn_cast<tileas::AgentsOp>(op)) {
      kernel->hasProducer = true;
      kernel->groups = agents.getWarps()[0];
      kernel->producerWarps = agents.getWarps()[1];
    }
    auto mma = dyn_cast<tileas::MmaOp>(op);
    bool isCollective = mma && mma.getAtom().getKind() == tileas::AtomKind::Wgmma;
    byWarpgroups |= isCollective || isa<tileas::AgentsOp>(op);
  });
  if (byWarpgroups && kernel->groups % 4 == 0) {
    kernel->warpsPerGroup = 4;
    kernel->groups /= 4;
  }
  kernel->placeBuffers();
  kernel->describeParameters();
  return kernel;
}

// Buffers that tileas-allocate-shared has not placed lie one after the other: none shares memory.
void SimulatedKernel::placeBuffers() {
  sharedBytes = tileas::sharedBytesOf(function);
  auto place = [&](Operation *op, std::optional<uint64_t> offset, int64_t bytes) {
    int64_t begin = offset ? *offset : llvm::alignTo(sharedBytes, 1024);
    offsets[op] = begin;
    sharedBytes = std::max(sharedBytes, begin + bytes);
  };
  function.walk([&](Operation *op) {
    if (auto alloc = dyn_cast<tileas::AllocOp>(op))
      place(op, alloc.getOffset(), alloc.getType().getBytes());
    else if (auto create = dyn_cast<tileas::CreatePipelineOp>(op))
      place(op, create.getOffset(), create.getPipeline().getType().getBytes());
    else if (auto create = dyn_cast<tileas::CreateExchangeOp>(op))
      place(op, create.getOffset(), create.getExchange().getType().getBytes());
  });
}

llvm::ArrayRef<uint32_t> SimulatedKernel::elementOffsets(tileas::BufferType type) {
  auto [found, isNew] = bufferOffsets.try_emplace(type);
  if (!isNew)
    return found->second;
  const layout::LinearLayout &layout = type.getLayout().getLayout();
  std::vector<uint32_t> &offsets = found->second;
  offsets.assign(uint64_t(1) << layout.outputBits(), 0);
  // From the last to the first: of copies the first counts.
  for (uint64_t offset = layout.inputSize(layout::Dim::Offset); offset-- != 0;)
    offsets[layout.applyFlat({{layout::Dim::Offset, offset}})] = offset;
  return offsets;
}

// A pointer is an i64 from which views or accesses are created, which determine the type of its elements.
static Type pointeeOf(mlir::Value address, llvm::SmallPtrSetImpl<Operation *> &seen) {
  for (Operation *user : address.getUsers()) {
    if (!seen.insert(user).second)
      continue;
    if (auto make = dyn_cast<tileaa::MakeViewOp>(user); make && make.getBase() == address)
      return make.getResult().getType().getElementType();
    if (auto load = dyn_cast<tileaa::LoadPtrOp>(user); load && load.getAddresses() == address)
      return getElementTypeOrSelf(load.getTile().getType());
    if (auto store = dyn_cast<tileaa::StorePtrOp>(user); store && store.getAddresses() == address)
      return getElementTypeOrSelf(store.getTile().getType());
    if (auto rmw = dyn_cast<tileaa::AtomicRmwOp>(user); rmw && rmw.getAddresses() == address)
      return getElementTypeOrSelf(rmw.getValue().getType());
    if (user->getNumRegions() == 0)
      for (mlir::Value result : user->getResults())
        if (getElementTypeOrSelf(result.getType()).isInteger(64))
          if (Type found = pointeeOf(result, seen))
            return found;
  }
  return {};
}

void SimulatedKernel::describeParameters() {
  entry.name = function.getName().str();
  size_t own = llvm::count_if(function.getArgumentTypes(), [](Type type) { return !isa<tileas::TmaDescType>(type); });
  tileas::CtaAttr cta = tileas::ctaOf(function);
  persists = cta && cta.getBlocksPerSm();
  if (persists)
    own -= 3; // the grid's extents follow the kernel's own
  for (BlockArgument argument : function.getArguments().take_front(own)) {
    EntryParameter &parameter = entry.parameters.emplace_back();
    Type type = argument.getType();
    llvm::SmallPtrSet<Operation *, 16> seen;
    Type pointee = type.isInteger(64) ? pointeeOf(argument, seen) : Type();
    parameter.kind = pointee                ? EntryParameter::Kind::Pointer
                     : isa<FloatType>(type) ? EntryParameter::Kind::Float
                                            : EntryParameter::Kind::Integer;
    Type shown = pointee ? pointee : type;
    parameter.bits = shown.getIntOrFloatBitWidth();
    parameter.written = static_cast<bool>(pointee);
    parameter.element = interpreter::elementName(elementOfType(shown)).str();
  }
}

Element simulator::elementOfType(Type type) {
  type = getElementTypeOrSelf(type);
  if (type.isIndex())
    return Element::I64;
  return interpreter::elementOf(type).value_or(Element::I64);
}
