// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of the dialect at functions, loops and buffers, whose operations are of other dialects: their text and
// verifiers, and the operations that may have them.
#include "cpu/ir/Cpu.h"
#include "tileaa/ir/DialectAttributes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

#define GET_ATTRDEF_CLASSES
#include "cpu/ir/CpuAttrs.cpp.inc"

void CpuDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cpu/ir/CpuAttrs.cpp.inc"
      >();
}

//===-- PlanAttr ----------------------------------------------------------===//

// `depth = 64`, `pair_dot = true`.
static ParseResult parseDecision(AsmParser &parser, Plan &plan, SmallPtrSetImpl<const Decision *> &made) {
  SMLoc start = parser.getCurrentLocation();
  std::string name, text;
  int64_t number;
  if (parser.parseKeywordOrString(&name) || parser.parseEqual())
    return failure();
  if (failed(parser.parseOptionalKeywordOrString(&text))) { // an integer may be `true`, too
    if (parser.parseInteger(number))
      return failure();
    text = std::to_string(number);
  }
  auto decision = Decision::named(name);
  if (!decision)
    return parser.emitError(start) << llvm::toString(decision.takeError());
  if (!made.insert(*decision).second)
    return parser.emitError(start) << "a plan with two values of " << name << ", expected one";
  if (llvm::Error wrong = (*decision)->setIn(plan, text))
    return parser.emitError(start) << llvm::toString(std::move(wrong));
  return success();
}

Attribute PlanAttr::parse(AsmParser &parser, Type) {
  Plan plan;
  llvm::SmallPtrSet<const Decision *, 16> made;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     [&] { return parseDecision(parser, plan, made); }))
    return {};
  return parser.getChecked<PlanAttr>(start, parser.getContext(), plan);
}

void PlanAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(Decision::all(), printer, [&](const Decision &decision) {
    printer << decision.name << " = " << decision.textIn(getPlan());
  });
  printer << '>';
}

LogicalResult PlanAttr::verify(function_ref<InFlightDiagnostic()> emitError, Plan plan) {
  if (llvm::Error wrong = plan.check())
    return emitError() << "a plan whose " << llvm::toString(std::move(wrong));
  return success();
}

//===-- FetchAttr ---------------------------------------------------------===//

LogicalResult FetchAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t count,
                                std::optional<int64_t> half) {
  if (count < 1)
    return emitError() << "a fetch of " << count << " inputs, expected one at least";
  if (half && *half != 0 && *half != 1)
    return emitError() << "a fetch of half " << *half << ", expected 0 or 1";
  if (half && count != 1)
    return emitError() << "a fetch of half of " << count << " inputs, expected one";
  return success();
}

//===-- verifiers ---------------------------------------------------------===//

namespace {

LogicalResult verifyFetch(linalg::GenericOp loop, FetchAttr fetch) {
  int64_t inputs = loop.getNumDpsInputs(), read = inputs - fetch.getCount();
  if (read < 0)
    return loop.emitError() << "prefetches " << fetch.getCount() << " inputs, expected at most the " << inputs
                            << " that it has";
  // The loop itself is verified later.
  if (loop.getRegion().empty() || loop.getBody()->getNumArguments() != loop->getNumOperands())
    return success();
  for (int64_t input = read; input < inputs; ++input)
    if (!loop.getBody()->getArgument(input).use_empty())
      return loop.emitError() << "prefetches input " << input << ", expected a body that does not use it";
  return success();
}

LogicalResult verifyBounds(linalg::GenericOp loop) {
  unsigned bounds = 2 * loop.getNumLoops();
  auto isIndex = [](Value input) { return input.getType().isIndex(); };
  if (loop.getInputs().size() < bounds || !llvm::all_of(loop.getInputs().take_front(bounds), isIndex))
    return loop.emitError() << "has " << boundsAttr << ", expected an index as each of its first " << bounds
                            << " inputs: where its box begins and ends along each dimension";
  return success();
}

LogicalResult verifyEnd(linalg::GenericOp loop, int64_t dim) {
  if (loop.getNumDpsInputs() == 0 || !loop.getInputs().front().getType().isIndex())
    return loop.emitError() << "has " << endAttr << ", expected an index as input 0"
                            << ": where what is needed along the dimension ends";
  if (dim >= (int64_t)loop.getIteratorTypes().size())
    return loop.emitError() << "ends along dimension " << dim << ", expected one of its "
                            << loop.getIteratorTypes().size();
  return success();
}

template <int64_t least> bool isNumberFrom(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isSignlessInteger(64) && number.getInt() >= least;
}

constexpr tileaa::DialectAttribute known[] = {
    {planAttr, tileaa::isFunction, "a function", tileaa::isKind<PlanAttr>, "#cpu.plan"},
    {scratchBytesAttr, tileaa::isFunction, "a function", isNumberFrom<0>, "an i64 of 0 or more"},
    {joinedAttr, tileaa::isFunction, "a function", isNumberFrom<2>, "an i64 of 2 or more"},
    {fetchAttr, tileaa::isOp<linalg::GenericOp>, "a linalg.generic", tileaa::isKind<FetchAttr>, "#cpu.fetch"},
    {streamAttr, tileaa::isOp<linalg::GenericOp>, "a linalg.generic", tileaa::isKind<UnitAttr>, "a unit"},
    {endAttr, tileaa::isOp<linalg::GenericOp>, "a linalg.generic", isNumberFrom<0>, "an i64 of 0 or more"},
    {boundsAttr, tileaa::isOp<linalg::GenericOp>, "a linalg.generic", tileaa::isKind<UnitAttr>, "a unit"},
    {effectOnlyAttr, tileaa::isOp<linalg::GenericOp>, "a linalg.generic", tileaa::isKind<UnitAttr>, "a unit"},
    {stepsAttr, tileaa::isOp<memref::AllocOp>, "a memref.alloc", isNumberFrom<1>, "an i64 of 1 or more"},
    {keptAttr, tileaa::isOp<memref::AllocOp>, "a memref.alloc", tileaa::isKind<UnitAttr>, "a unit"},
    {stateAttr, tileaa::isOp<memref::AllocOp>, "a memref.alloc", tileaa::isKind<UnitAttr>, "a unit"},
};

} // namespace

LogicalResult CpuDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (failed(tileaa::verifyDialectAttribute(op, attribute, known)))
    return failure();
  if (attribute.getName() == fetchAttr)
    return verifyFetch(cast<linalg::GenericOp>(op), cast<FetchAttr>(attribute.getValue()));
  if (attribute.getName() == endAttr)
    return verifyEnd(cast<linalg::GenericOp>(op), cast<IntegerAttr>(attribute.getValue()).getInt());
  if (attribute.getName() == boundsAttr)
    return verifyBounds(cast<linalg::GenericOp>(op));
  return success();
}

LogicalResult CpuDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                   NamedAttribute attribute) {
  return tileaa::refuseOfParameter(op, argument, attribute);
}

//===-- access ------------------------------------------------------------===//

PlanAttr cpu::planOf(Operation *function) {
  return function->getAttrOfType<PlanAttr>(planAttr);
}
Plan Plan::of(Operation *function) {
  PlanAttr plan = planOf(function);
  return plan ? plan.getPlan() : Plan();
}

FetchAttr cpu::fetchOf(Operation *loop) {
  return loop->getAttrOfType<FetchAttr>(fetchAttr);
}
int64_t cpu::countFetched(Operation *loop) {
  FetchAttr fetch = fetchOf(loop);
  return fetch ? fetch.getCount() : 0;
}

int64_t cpu::countJoined(Operation *function) {
  auto joined = function->getAttrOfType<IntegerAttr>(joinedAttr);
  return joined ? joined.getInt() : 1;
}
