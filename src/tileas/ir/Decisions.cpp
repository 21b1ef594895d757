// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/ir/Decisions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "support/Diagnostics.h"
#include "tileaa/ir/Hints.h"
#include "tileaa/ir/Slices.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

//===-- table -------------------------------------------------------------===//

namespace {

constexpr Part ofKernel[] = {Part::Kernel}, ofLoop[] = {Part::Loop}, ofProduct[] = {Part::Product},
               ofReduction[] = {Part::Reduction}, ofAccess[] = {Part::Load, Part::Store};
constexpr StringLiteral truth[] = {"false", "true"}, producers[] = {"threads", "agent"},
                        atoms[] = {"fma", "mma_sync", "wgmma", "tcgen05"},
                        ways[] = {"threads", "cp_async", "tma", "turned"}, places[] = {"registers", "shared"},
                        caches[] = {"default", "streaming"}, forms[] = {"warp", "registers", "lanes", "two_steps"};
constexpr int64_t mostWarps = 32, mostStages = 64, mostOfGroup = 64, mostBlocks = 32;
// Of 4, multiprocessors of an H100 that are left over by fours idle.
constexpr int64_t mostClustered = 4, mostSplit = int64_t(1) << ExchangeType::mostSteps;

bool isAnyWord(int64_t) {
  return true;
}
bool isWarps(int64_t value) {
  return value > 0 && value <= mostWarps && llvm::isPowerOf2_64(value);
}
bool isStages(int64_t value) {
  return value > 0 && value <= mostStages;
}
bool isTileOrder(int64_t value) {
  return value >= 0 && value <= mostOfGroup;
}
bool isOccupancy(int64_t value) {
  return value > 0 && value <= mostBlocks;
}
bool isCluster(int64_t value) {
  return value > 0 && value <= mostClustered && llvm::isPowerOf2_64(value);
}
bool isSplit(int64_t value) {
  return value > 0 && value <= mostSplit && llvm::isPowerOf2_64(value);
}
// The values that setmaxnreg takes (PTX ISA 9.7.19.5).
bool isRegisters(int64_t value) {
  return value >= 24 && value <= 256 && value % 8 == 0;
}
bool isSlice(int64_t value) {
  return value >= tileaa::leastOfSlice && value <= tileaa::mostOfSlice && llvm::isPowerOf2_64(value);
}

constexpr DecisionInfo known[] = {
    {DecisionKind::Warps, ofKernel, {}, isWarps, "a power of two of at most 32"},
    {DecisionKind::Persistent, ofKernel, truth, isAnyWord, "true or false"},
    {DecisionKind::Producer, ofKernel, producers, isAnyWord, "threads or agent"},
    {DecisionKind::TileOrder,
     ofKernel,
     {},
     isTileOrder,
     "0, the order of the grid, or a group of up to 64 tile blocks"},
    {DecisionKind::Cluster, ofKernel, {}, isCluster, "1, or 2 or 4 CTAs that share what they load"},
    {DecisionKind::Split, ofKernel, {}, isSplit, "1, or 2, 4 or 8 CTAs that share the iterations of a tile block"},
    {DecisionKind::Occupancy, ofKernel, {}, isOccupancy, "a number of CTAs of a multiprocessor, from 1 to 32"},
    {DecisionKind::ProducerRegisters, ofKernel, {}, isRegisters, "a multiple of 8 from 24 to 256"},
    {DecisionKind::Slice, ofKernel, {}, isSlice, "a power of two from 1024 to 32768"},
    {DecisionKind::Atom, ofProduct, atoms, isAnyWord, "fma, mma_sync, wgmma or tcgen05"},
    {DecisionKind::Lhs, ofProduct, places, isAnyWord, "registers or shared"},
    {DecisionKind::Form, ofReduction, forms, isAnyWord, "warp, registers, lanes or two_steps"},
    {DecisionKind::Stages, ofLoop, {}, isStages, "a number from 1, without prefetching, to 64"},
    {DecisionKind::Way, ofAccess, ways, isAnyWord, "threads, cp_async or tma"},
    {DecisionKind::Cache, ofAccess, caches, isAnyWord, "default or streaming"},
};

} // namespace

ArrayRef<DecisionInfo> tileas::knownDecisions() {
  return known;
}
const DecisionInfo &tileas::infoOf(DecisionKind kind) {
  return *llvm::find_if(known, [&](const DecisionInfo &info) { return info.kind == kind; });
}

std::optional<int64_t> tileas::parseValue(DecisionKind kind, StringRef text) {
  const DecisionInfo &info = infoOf(kind);
  int64_t value;
  if (info.words.empty())
    return text.getAsInteger(10, value) ? std::nullopt : std::optional(value);
  auto word = llvm::find(info.words, text);
  return word == info.words.end() ? std::nullopt : std::optional<int64_t>(word - info.words.begin());
}

std::string tileas::valueText(DecisionKind kind, int64_t value) {
  const DecisionInfo &info = infoOf(kind);
  return info.words.empty() ? std::to_string(value) : info.words[value].str();
}

std::string tileas::quotedText(DecisionKind kind, int64_t value) {
  std::string text = valueText(kind, value);
  bool isWord = !infoOf(kind).words.empty() && !llvm::is_contained(truth, StringRef(text));
  return isWord ? '"' + text + '"' : text;
}

std::string tileas::refusalOf(Part part, DecisionKind kind, std::optional<int64_t> value) {
  const DecisionInfo &info = infoOf(kind);
  if (!llvm::is_contained(info.parts, part))
    return ("a " + stringifyPart(part) + " has no " + stringifyDecisionKind(kind)).str();
  bool isLegal =
      value && (info.words.empty() ? info.isLegal(*value) : *value >= 0 && *value < int64_t(info.words.size()));
  if (!isLegal)
    return (stringifyDecisionKind(kind) + " of a " + stringifyPart(part) + " is expected to be " + info.expected).str();
  if (part == Part::Store && kind == DecisionKind::Way && *value != way::threads && *value != way::tma)
    return "way of a store is expected to be threads or tma";
  return "";
}

//===-- DecisionAttr ------------------------------------------------------===//

LogicalResult DecisionAttr::verify(function_ref<InFlightDiagnostic()> emitError, Part part, int64_t number,
                                   DecisionKind kind, std::optional<int64_t> value, std::optional<int64_t> asked,
                                   StringRef, StringRef, StringRef) {
  if (number < 0 || (part == Part::Kernel && number != 0))
    return emitError() << "a decision on " << stringifyPart(part) << " " << number << ", expected the number of a part";
  if (!value && !asked)
    return emitError() << "a decision without a value";
  for (std::optional<int64_t> given : {value, asked})
    if (std::string why = given ? refusalOf(part, kind, given) : ""; !why.empty())
      return emitError() << why;
  return success();
}

//===-- access ------------------------------------------------------------===//

namespace {

FunctionOpInterface functionOf(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  return function ? function : op->getParentOfType<FunctionOpInterface>();
}

// A part by its kind and number.
struct Name {
  Part part;
  int64_t number;

  bool is(DecisionAttr decision, DecisionKind kind) const {
    return decision.getPart() == part && decision.getNumber() == number && decision.getKind() == kind;
  }
};

std::optional<Name> nameOf(Operation *op) {
  std::optional<Part> part = partOf(op);
  if (!part)
    return std::nullopt;
  if (*part == Part::Kernel)
    return Name{*part, 0};
  auto number = op->getAttrOfType<IntegerAttr>(numberAttr);
  return number ? std::optional(Name{*part, number.getInt()}) : std::nullopt;
}

DecisionAttr find(Operation *op, DecisionKind kind) {
  std::optional<Name> name = nameOf(op);
  if (!name)
    return {};
  if (auto plan = functionOf(op)->getAttrOfType<ArrayAttr>(planAttr))
    for (DecisionAttr decision : plan.getAsRange<DecisionAttr>())
      if (name->is(decision, kind))
        return decision;
  return {};
}

// The record of a decision; `known` is that of before, if there is one.
DecisionAttr recordOf(Operation *part, Name name, DecisionKind kind, int64_t value, const Twine &reason,
                      DecisionAttr known) {
  // A part that was copied is decided on again: a copy that is not as asked for counts.
  if (known && known.getValue() && known.getAsked() != known.getValue())
    return known;
  std::string text = name.part == Part::Kernel ? "" : placeText(part->getLoc());
  StringRef place = text;
  place.consume_front(" at ");
  std::optional<int64_t> asked = known ? known.getAsked() : std::nullopt;
  std::string why = asked == value ? "the plan file asks for it" : reason.str();
  return DecisionAttr::get(part->getContext(), name.part, name.number, kind, value, asked,
                           known ? known.getAskedBy() : "", place, why);
}

} // namespace

std::optional<Part> tileas::partOf(Operation *op) {
  if (isa<FunctionOpInterface>(op))
    return Part::Kernel;
  if (isa<scf::ForOp>(op))
    return Part::Loop;
  if (isa<tileaa::MmaOp, tileaa::MmaScaledOp, MmaOp, ScaledMmaOp, TmemMmaOp>(op))
    return Part::Product;
  if (isa<tileaa::ReduceOp>(op))
    return Part::Reduction;
  if (isa<tileaa::LoadViewOp, tileaa::LoadPtrOp>(op))
    return Part::Load;
  if (isa<tileaa::StoreViewOp, tileaa::StorePtrOp>(op))
    return Part::Store;
  return std::nullopt;
}

SmallVector<DecisionAttr> tileas::decisionsOf(Operation *function) {
  auto plan = function->getAttrOfType<ArrayAttr>(planAttr);
  return plan ? llvm::to_vector(plan.getAsRange<DecisionAttr>()) : SmallVector<DecisionAttr>();
}

void tileas::setDecisions(Operation *function, ArrayRef<DecisionAttr> decisions) {
  function->setAttr(planAttr, ArrayAttr::get(function->getContext(), SmallVector<Attribute>(decisions)));
}

std::optional<int64_t> tileas::askedFor(Operation *part, DecisionKind kind) {
  DecisionAttr decision = find(part, kind);
  return decision ? decision.getAsked() : std::nullopt;
}

bool tileas::mayUseTma(Operation *access) {
  std::optional<int64_t> asked = askedFor(access, DecisionKind::Way);
  return tileaa::mayUseTma(access) && (!asked || *asked == way::tma || *asked == way::turned);
}

void tileas::decide(Operation *part, DecisionKind kind, int64_t value, const Twine &reason) {
  FunctionOpInterface function = functionOf(part);
  std::optional<Name> name = nameOf(part);
  if (!name || !function || !function->hasAttr(planAttr))
    return;
  SmallVector<DecisionAttr> decisions = decisionsOf(function);
  auto known = llvm::find_if(decisions, [&](DecisionAttr decision) { return name->is(decision, kind); });
  if (known == decisions.end())
    decisions.push_back(recordOf(part, *name, kind, value, reason, {}));
  else
    *known = recordOf(part, *name, kind, value, reason, *known);
  setDecisions(function, decisions);
}

//===-- DecisionTable -----------------------------------------------------===//

DecisionTable::DecisionTable(FunctionOpInterface function) : function(function), decisions(decisionsOf(function)) {
  for (auto [place, decision] : llvm::enumerate(decisions))
    places[{decision.getPart(), decision.getNumber(), decision.getKind()}] = place;
}

bool DecisionTable::isDecided(Operation *part, DecisionKind kind) const {
  std::optional<Name> name = nameOf(part);
  auto place = name ? places.find({name->part, name->number, kind}) : places.end();
  return place != places.end() && decisions[place->second].getValue();
}

void DecisionTable::decide(Operation *part, DecisionKind kind, int64_t value, const Twine &reason) {
  std::optional<Name> name = nameOf(part);
  if (!name)
    return;
  auto [place, isNew] = places.try_emplace({name->part, name->number, kind}, decisions.size());
  if (isNew)
    decisions.emplace_back();
  DecisionAttr &decision = decisions[place->second];
  decision = recordOf(part, *name, kind, value, reason, decision);
}

void DecisionTable::write() {
  if (function->hasAttr(planAttr))
    setDecisions(function, decisions);
}
