// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of the dialect at functions, whose operations are of other dialects: their verifiers, and the operations
// that may have them.
#include "tileaa/ir/DialectAttributes.h"
#include "tileas/ir/Decisions.h"
#include "tileas/ir/LoopParts.h"
#include "tileas/ir/Tileas.h"

#include "machine/Architecture.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

//===-- TargetAttr --------------------------------------------------------===//

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name, LaunchAbi) {
  auto architecture = nvidia::parseArchitecture(name);
  if (!architecture)
    return emitError() << llvm::toString(architecture.takeError());
  if ((*architecture)->name != name)
    return emitError() << "a target '" << name << "', expected the whole name of the architecture, "
                       << (*architecture)->name;
  return success();
}

const nvidia::Architecture &TargetAttr::getArchitecture() const {
  return *llvm::cantFail(nvidia::parseArchitecture(getName()));
}

TargetAttr tileas::targetOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto target = module ? module->getAttrOfType<TargetAttr>(targetAttr) : TargetAttr();
  if (!target)
    op->emitOpError() << "is of a module without " << targetAttr << ", expected it from tileas-attach-target";
  return target;
}

const nvidia::Architecture *tileas::architectureOf(Operation *op) {
  TargetAttr target = targetOf(op);
  return target ? &target.getArchitecture() : nullptr;
}

//===-- CtaAttr -----------------------------------------------------------===//

LogicalResult CtaAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t warps,
                              std::optional<int64_t> threads, std::optional<int64_t> sharedBytes,
                              std::optional<int64_t> blocksPerSm, bool firstBlocks, std::optional<int64_t> hostPlace,
                              int64_t cluster, int64_t resident, int64_t split) {
  // How many of them there may be is the architecture's (verify-tileas).
  if (warps < 1 || !llvm::isPowerOf2_64(warps))
    return emitError() << "a CTA of " << warps << " warps, expected a power of two";
  if (threads && (*threads <= warps * 32 || *threads % 32 != 0))
    return emitError() << "a CTA of " << *threads << " threads, expected a multiple of 32 above those of its " << warps
                       << " warps, " << warps * 32;
  if (sharedBytes && *sharedBytes < 0)
    return emitError() << "a CTA with " << *sharedBytes << " bytes of shared memory";
  if (blocksPerSm && *blocksPerSm < 1)
    return emitError() << "a persistent CTA with " << *blocksPerSm << " on each multiprocessor, expected one at least";
  if (blocksPerSm && firstBlocks)
    return emitError() << "a CTA with blocks_per_sm and first_blocks, expected one of them: either the launcher knows "
                          "that it is persistent, or it launches the whole grid";
  constexpr int64_t most = nvidia::Architecture::blocksPerCluster;
  if (cluster < 1 || cluster > most || !llvm::isPowerOf2_64(cluster))
    return emitError() << "a CTA in a cluster of " << cluster << ", expected a power of two up to " << most;
  if (cluster > 1 && !blocksPerSm)
    return emitError()
           << "a CTA in a cluster without blocks_per_sm, expected it: clusters take tile blocks of the grid "
              "among themselves";
  if (split != 1 && split != cluster)
    return emitError() << "a CTA with a split of " << split << ", expected 1, or all CTAs of its cluster, " << cluster;
  if (resident < 1)
    return emitError() << "a CTA with " << resident << " resident on a multiprocessor, expected one at least";
  if (resident > 1 && (blocksPerSm || firstBlocks))
    return emitError() << "a persistent CTA with " << resident << " resident on a multiprocessor, expected one";
  if (hostPlace && sharedBytes && (*hostPlace < 0 || *hostPlace + hostPlaceBytes > *sharedBytes))
    return emitError() << "a CTA with a host_place at " << *hostPlace << ", expected " << hostPlaceBytes
                       << " bytes of its " << *sharedBytes << " of shared memory";
  return success();
}

CtaAttr CtaAttr::ofWarps(MLIRContext *context, int64_t warps) {
  return get(context, warps, std::nullopt, std::nullopt, std::nullopt, false, std::nullopt, 1, 1, 1);
}
CtaAttr CtaAttr::withThreads(int64_t threads) const {
  return get(getContext(), getWarps(), threads, getSharedBytes(), getBlocksPerSm(), getFirstBlocks(), getHostPlace(),
             getCluster(), getResident(), getSplit());
}
CtaAttr CtaAttr::withSharedBytes(std::optional<int64_t> bytes) const {
  return get(getContext(), getWarps(), getThreads(), bytes, getBlocksPerSm(), getFirstBlocks(), getHostPlace(),
             getCluster(), getResident(), getSplit());
}
CtaAttr CtaAttr::withBlocksPerSm(int64_t blocks) const {
  return get(getContext(), getWarps(), getThreads(), getSharedBytes(), blocks, getFirstBlocks(), getHostPlace(),
             getCluster(), getResident(), getSplit());
}
CtaAttr CtaAttr::withFirstBlocks(bool only) const {
  return get(getContext(), getWarps(), getThreads(), getSharedBytes(), getBlocksPerSm(), only, getHostPlace(),
             getCluster(), getResident(), getSplit());
}
CtaAttr CtaAttr::withHostPlace(int64_t offset) const {
  return get(getContext(), getWarps(), getThreads(), getSharedBytes(), getBlocksPerSm(), getFirstBlocks(), offset,
             getCluster(), getResident(), getSplit());
}
CtaAttr CtaAttr::withCluster(int64_t blocks) const {
  return get(getContext(), getWarps(), getThreads(), getSharedBytes(), getBlocksPerSm(), getFirstBlocks(),
             getHostPlace(), blocks, getResident(), getSplit());
}
CtaAttr CtaAttr::withResident(int64_t blocks) const {
  return get(getContext(), getWarps(), getThreads(), getSharedBytes(), getBlocksPerSm(), getFirstBlocks(),
             getHostPlace(), getCluster(), blocks, getSplit());
}
CtaAttr CtaAttr::withSplit(int64_t blocks) const {
  return get(getContext(), getWarps(), getThreads(), getSharedBytes(), getBlocksPerSm(), getFirstBlocks(),
             getHostPlace(), blocks, getResident(), blocks);
}

//===-- TmaDescAttr -------------------------------------------------------===//

llvm::hash_code tileas::hash_value(const LaunchValue &value) {
  return llvm::hash_combine(value.parameter.has_value(), value.parameter.value_or(0), value.constant);
}
raw_ostream &tileas::operator<<(raw_ostream &os, const LaunchValue &value) {
  return value.parameter ? os << "arg " << *value.parameter : os << value.constant;
}

LogicalResult TmaDescAttr::verify(function_ref<InFlightDiagnostic()> emitError, LaunchValue base,
                                  ArrayRef<LaunchValue> shape, ArrayRef<LaunchValue> strides, ArrayRef<int64_t> box,
                                  Type, int64_t swizzle) {
  if (!base.parameter)
    return emitError() << "a tensor map of the array at " << base.constant << ", expected a parameter as its base";
  if (shape.empty() || shape.size() != strides.size() || shape.size() != box.size())
    return emitError() << "a tensor map with " << shape.size() << " extents, " << strides.size()
                       << " strides and a box of " << box.size() << ", expected as many of each";
  if (!llvm::is_contained({16, 32, 64, 128}, swizzle))
    return emitError() << "a tensor map with a swizzle of " << swizzle << " bytes, expected 16, 32, 64 or 128";
  return success();
}

//===-- ScheduleAttr ------------------------------------------------------===//

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<ScheduleItem> items,
                                   std::optional<int64_t>, std::optional<int64_t>) {
  std::string why = refusalOf(items);
  return why.empty() ? success() : LogicalResult(emitError() << "an impossible schedule: " << why);
}

//===-- verifiers ----------------------------------------------------------===//

namespace {

LogicalResult verifyTmaDescs(FunctionOpInterface function, ArrayAttr descs) {
  size_t parameters = function.getNumArguments();
  if (descs.size() > parameters)
    return function.emitError() << "has " << descs.size() << " tensor maps and " << parameters
                                << " parameters, expected a parameter for each";
  size_t own = parameters - descs.size();
  for (auto desc : descs.getAsRange<TmaDescAttr>()) {
    SmallVector<LaunchValue> values{desc.getBase()};
    values.append(desc.getShape().begin(), desc.getShape().end());
    values.append(desc.getStrides().begin(), desc.getStrides().end());
    for (const LaunchValue &value : values)
      if (value.parameter && *value.parameter >= own)
        return function.emitError() << "has a tensor map of parameter " << *value.parameter << ", expected one of the "
                                    << own << " before the tensor maps";
  }
  return success();
}

LogicalResult verifySchedule(scf::ForOp loop, ScheduleAttr schedule) {
  std::string why = LoopParts(loop).refusalOf(schedule.getItems());
  return why.empty() ? success() : LogicalResult(loop.emitError() << "has an impossible schedule: " << why);
}

bool hasNumber(Operation *op) {
  std::optional<Part> part = partOf(op);
  return part && *part != Part::Kernel;
}
bool isInLoop(Operation *op) {
  return isa_and_nonnull<scf::ForOp>(op->getParentOp());
}

constexpr tileaa::DialectAttribute known[] = {
    {targetAttr, tileaa::isOp<ModuleOp>, "a module", tileaa::isKind<TargetAttr>, "#tileas.target"},
    {hostSitesAttr, tileaa::isOp<ModuleOp>, "a module", tileaa::isArrayOf<HostSiteAttr>,
     "an array of #tileas.host_site"},
    {ctaAttr, tileaa::isFunction, "a function", tileaa::isKind<CtaAttr>, "#tileas.cta"},
    {tmaDescsAttr, tileaa::isFunction, "a function", tileaa::isArrayOf<TmaDescAttr>, "an array of #tileas.tma_desc"},
    {recordTracksAttr, tileaa::isFunction, "a function", tileaa::isArrayOf<StringAttr>, "an array of texts"},
    {recordSitesAttr, tileaa::isFunction, "a function", tileaa::isArrayOf<RecordSiteAttr>,
     "an array of #tileas.record_site"},
    {planAttr, tileaa::isFunction, "a function", tileaa::isArrayOf<DecisionAttr>, "an array of #tileas.decision"},
    {numberAttr, hasNumber, "a loop, product, reduction, load or store", tileaa::isKind<IntegerAttr>, "a number"},
    {scheduleAttr, tileaa::isOp<scf::ForOp>, "a loop", tileaa::isKind<ScheduleAttr>, "#tileas.schedule"},
    {serialAttr, tileaa::isOp<scf::ForOp>, "a loop", tileaa::isKind<StringAttr>, "a text"},
    {costAttr, isInLoop, "an operation of a loop", tileaa::isKind<CostAttr>, "#tileas.cost"},
};

} // namespace

LogicalResult TileasDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (failed(tileaa::verifyDialectAttribute(op, attribute, known)))
    return failure();
  if (attribute.getName() == tmaDescsAttr)
    return verifyTmaDescs(cast<FunctionOpInterface>(op), cast<ArrayAttr>(attribute.getValue()));
  if (attribute.getName() == scheduleAttr)
    return verifySchedule(cast<scf::ForOp>(op), cast<ScheduleAttr>(attribute.getValue()));
  return success();
}

LogicalResult TileasDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                      NamedAttribute attribute) {
  return tileaa::refuseOfParameter(op, argument, attribute);
}

//===-- access ------------------------------------------------------------===//

namespace tilewright::tileas {

CtaAttr ctaOf(Operation *function) {
  return function->getAttrOfType<CtaAttr>(ctaAttr);
}
CtaAttr expectCta(Operation *function) {
  CtaAttr cta = ctaOf(function);
  if (!cta)
    function->emitOpError() << "has no attribute '" << ctaAttr << "', expected it from tileas-plan-cta";
  return cta;
}
void setCta(Operation *function, CtaAttr cta) {
  function->setAttr(ctaAttr, cta);
}
int64_t warpsOf(Operation *function) {
  return ctaOf(function).getWarps();
}
int64_t clusterOf(Operation *function) {
  CtaAttr cta = ctaOf(function);
  return cta ? cta.getCluster() : 1;
}
int64_t splitOf(Operation *function) {
  CtaAttr cta = ctaOf(function);
  return cta ? cta.getSplit() : 1;
}
int64_t sharedBytesOf(Operation *function) {
  CtaAttr cta = ctaOf(function);
  return cta ? cta.getSharedBytes().value_or(0) : 0;
}

SmallVector<TmaDescAttr> tmaDescsOf(Operation *function) {
  auto descs = function->getAttrOfType<ArrayAttr>(tmaDescsAttr);
  return descs ? llvm::to_vector(descs.getAsRange<TmaDescAttr>()) : SmallVector<TmaDescAttr>();
}

ArrayRef<int64_t> boxOf(Value desc) {
  if (auto make = desc.getDefiningOp<MakeTmaDescOp>())
    return make.getBox();
  if (auto write = desc.getDefiningOp<WriteTmaDescsOp>())
    return write.getMap(cast<OpResult>(desc).getResultNumber()).getBox();
  auto argument = cast<BlockArgument>(desc);
  auto function = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  SmallVector<TmaDescAttr> descs = tmaDescsOf(function);
  return descs[argument.getArgNumber() + descs.size() - function.getNumArguments()].getBox();
}

} // namespace tilewright::tileas
