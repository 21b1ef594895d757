// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipeline/entry/EntryInterface.h"

#include "support/Diagnostics.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tilewright {
namespace {

// Values through which memory can be reached.
bool isAddress(Value value) {
  return cuda_tile::isPtrTile(value.getType()) || isa<cuda_tile::TensorViewType>(value.getType()) ||
         isa<cuda_tile::TileView>(value.getType());
}

bool mayWrite(Operation *op) {
  StringRef name = op->getName().stripDialect();
  return name.starts_with("store") || name.starts_with("atomic") || name == "preview$call" ||
         name == "multimem_reduce_view_tko" || name == "multimem_store_view_tko";
}

// Where the bits of an integer may have been loaded from, if it is an address in a table.
SmallVector<Value> sourcesOf(Value integer) {
  SmallVector<Value> addresses;
  llvm::SetVector<Value> worklist;
  worklist.insert(integer);
  auto follow = [&](ValueRange values) {
    for (Value value : values)
      if (isAddress(value))
        addresses.push_back(value);
      else
        worklist.insert(value);
  };
  for (unsigned next = 0; next < worklist.size(); ++next) {
    Operation *op = worklist[next].getDefiningOp();
    if (!op) {
      auto argument = cast<BlockArgument>(worklist[next]);
      op = argument.getOwner()->getParentOp();
      if (isa<cuda_tile::EntryOp>(op))
        continue;
    }
    follow(op->getOperands());
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        if (inner->hasTrait<OpTrait::IsTerminator>())
          follow(inner->getOperands());
      });
  }
  return addresses;
}

// Addresses that may lead to the same memory: an operation's results and operands, and whatever its regions pass
// around. Coarse where a loop carries several pointers, which only makes a launch refuse a read-only array it might
// have taken.
class AddressClasses {
public:
  explicit AddressClasses(cuda_tile::EntryOp entry) {
    entry.getBody().walk([&](Operation *op) {
      const void *first = nullptr;
      auto join = [&](ValueRange values) {
        for (Value value : values)
          if (isAddress(value)) {
            const void *address = value.getAsOpaquePointer();
            classes.unionSets(first ? first : address, address);
            first = address;
          }
      };
      if (auto cast = dyn_cast<cuda_tile::IntToPtrOp>(op)) {
        join(op->getResults());
        join(sourcesOf(cast.getSource()));
      }
      // A store joins nothing: the pointers it may write as data stay apart from the one it writes through.
      if (op->getNumResults() || op->getNumRegions()) {
        join(op->getOperands());
        join(op->getResults());
      }
      for (Region &region : op->getRegions())
        for (Block &block : region) {
          join(block.getArguments());
          if (block.mightHaveTerminator())
            join(block.getTerminator()->getOperands());
        }
    });
  }

  bool connected(Value a, Value b) {
    return a == b || classes.isEquivalent(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }

private:
  llvm::EquivalenceClasses<const void *> classes;
};

EntryParameter describeParameter(BlockArgument argument) {
  EntryParameter parameter;
  Type element = cast<cuda_tile::TileType>(argument.getType()).getElementType();
  if (auto pointer = dyn_cast<cuda_tile::PtrType>(element))
    element = pointer.getPointee();
  else
    parameter.kind = isa<FloatType>(element) ? EntryParameter::Kind::Float : EntryParameter::Kind::Integer;
  parameter.bits = cuda_tile::getElementBitWidth(element);
  llvm::raw_string_ostream(parameter.element) << element;
  if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
    parameter.name = named.getName().str();
  return parameter;
}

// Facts that hold on every path of the kernel: an assumption in a branch may hold there only.
void collectFacts(Value value, Block *body, ParameterFacts &facts) {
  for (Operation *user : value.getUsers()) {
    auto assume = dyn_cast<cuda_tile::AssumeOp>(user);
    if (!assume || assume->getBlock() != body)
      continue;
    if (auto divBy = dyn_cast<cuda_tile::DivByAttr>(assume.getPredicate()); divBy && !divBy.getEvery())
      facts.divisor = std::max(facts.divisor, divBy.getDivisor()); // powers of two
    if (auto bounded = dyn_cast<cuda_tile::BoundedAttr>(assume.getPredicate())) {
      if (bounded.getLb())
        facts.least = std::max(facts.least.value_or(INT64_MIN), *bounded.getLb());
      if (bounded.getUb())
        facts.most = std::min(facts.most.value_or(INT64_MAX), *bounded.getUb());
    }
    collectFacts(assume.getResult(), body, facts);
  }
}

} // namespace

std::string typeText(Type type) {
  constexpr StringLiteral prefix = "!cuda_tile.";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  for (size_t at; (at = text.find(prefix)) != std::string::npos;)
    text.erase(at, prefix.size());
  return text;
}

std::vector<ParameterFacts> describeFacts(cuda_tile::EntryOp entry) {
  std::vector<ParameterFacts> result;
  Block *body = &entry.getBody().front();
  for (BlockArgument argument : body->getArguments()) {
    ParameterFacts &facts = result.emplace_back();
    Type element = cast<cuda_tile::TileType>(argument.getType()).getElementType();
    if (auto pointer = dyn_cast<cuda_tile::PtrType>(element))
      element = pointer.getPointee();
    facts.type = typeText(element);
    collectFacts(argument, body, facts);
  }
  return result;
}

std::vector<EntryInfo> describeEntries(Operation *module) {
  std::vector<EntryInfo> entries;
  module->walk([&](cuda_tile::EntryOp entry) {
    EntryInfo &info = entries.emplace_back();
    info.name = entry.getSymName().str();
    for (BlockArgument argument : entry.getBody().getArguments())
      info.parameters.push_back(describeParameter(argument));

    AddressClasses addresses(entry);
    entry.getBody().walk([&](Operation *op) {
      if (!mayWrite(op))
        return;
      for (Value target : op->getOperands()) {
        if (!isAddress(target))
          continue;
        for (BlockArgument argument : entry.getBody().getArguments())
          if (isAddress(argument) && addresses.connected(target, argument))
            info.parameters[argument.getArgNumber()].written = true;
      }
    });
  });
  return entries;
}

std::string identityText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().printGenericOpForm().useLocalScope().assumeVerified());
  module.walk([&](cuda_tile::AssertOp op) { os << sourceOf(op.getLoc()) << '\n'; });
  return text;
}

} // namespace tilewright
