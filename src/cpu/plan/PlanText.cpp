// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/plan/PlanText.h"

#include "cpu/plan/Plan.h"
#include "support/PlanLines.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

DictionaryAttr planOf(Operation *function) {
  return function->getAttrOfType<DictionaryAttr>("plan");
}

SmallVector<func::FuncOp> plannedFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  module.walk([&](func::FuncOp function) {
    if (planOf(function))
      functions.push_back(function);
  });
  return functions;
}

// One decision as the plan of that function has it, with another value; null if `text` is none of its kind.
Attribute parseValue(Attribute planned, StringRef text) {
  MLIRContext *context = planned.getContext();
  if (isa<BoolAttr>(planned)) {
    if (text != "true" && text != "false")
      return {};
    return BoolAttr::get(context, text == "true");
  }
  int64_t value;
  if (text.getAsInteger(10, value))
    return {};
  return IntegerAttr::get(cast<IntegerAttr>(planned).getType(), value);
}

// The legal values of a choice. Vectors and columns are halved repeatedly, so they must be powers of two.
struct Rule {
  StringLiteral name;
  StringLiteral expected;
  bool (*holds)(int64_t value, const Plan &plan, const Machine &machine);
};

constexpr Rule rules[] = {
    {"vector_bits", "128, 256 or 512, and no more than the target has",
     [](int64_t value, const Plan &, const Machine &machine) {
       return value >= 128 && value <= machine.vectorBits && llvm::isPowerOf2_64(value);
     }},
    {"micro_tile_m", "1 to 32 rows",
     [](int64_t value, const Plan &, const Machine &) { return value >= 1 && value <= 32; }},
    {"micro_tile_n", "a power of two from vector_bits / 32 to 512",
     [](int64_t value, const Plan &plan, const Machine &) {
       return value >= plan.lanes(32) && value <= 512 && llvm::isPowerOf2_64(value);
     }},
    {"loop_vectors", "1, 2, 4, 8 or 16",
     [](int64_t value, const Plan &, const Machine &) {
       return value >= 1 && value <= 16 && llvm::isPowerOf2_64(value);
     }},
    {"depth", "1 to 65536", [](int64_t value, const Plan &, const Machine &) { return value >= 1 && value <= 65536; }},
    {"prefetch_tiles", "0 to 64",
     [](int64_t value, const Plan &, const Machine &) { return value >= 0 && value <= 64; }},
    {"stream_bytes", "0 (never) or more", [](int64_t value, const Plan &, const Machine &) { return value >= 0; }},
    {"kept_bytes", "0 (none) or more", [](int64_t value, const Plan &, const Machine &) { return value >= 0; }},
    {"pair_dot", "false, except for 512-bit vectors on a target with avx512bf16",
     [](int64_t value, const Plan &plan, const Machine &machine) {
       return !value || (plan.vectorBits == 512 && StringRef(machine.features).contains("+avx512bf16"));
     }},
};

int64_t numberOf(Attribute value) {
  if (auto flag = dyn_cast<BoolAttr>(value))
    return flag.getValue();
  return cast<IntegerAttr>(value).getInt();
}

} // namespace

std::string cpu::printPlans(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (func::FuncOp function : plannedFunctions(module)) {
    os << '@' << function.getName() << '\n';
    for (NamedAttribute entry : planOf(function)) {
      os << "  " << entry.getName().getValue() << " = ";
      entry.getValue().print(os, /*elideType=*/true);
      os << '\n';
    }
  }
  return text;
}

llvm::Error cpu::applyPlans(ModuleOp module, StringRef text, StringRef name) {
  SmallVector<func::FuncOp> functions = plannedFunctions(module);
  auto names = llvm::map_to_vector(functions, [](func::FuncOp each) { return each.getName().str(); });
  return forEachDecision(text, name, names, [&](size_t kernel, StringRef key, StringRef value) -> llvm::Error {
    func::FuncOp function = functions[kernel];
    NamedAttrList entries(planOf(function));
    Attribute planned = entries.get(key);
    if (!planned)
      return llvm::createStringError(
          "a plan has no '" + key + "', expected one of " +
          llvm::join(llvm::map_range(planOf(function), [](NamedAttribute each) { return each.getName().str(); }),
                     ", "));
    Attribute edited = parseValue(planned, value);
    if (!edited)
      return llvm::createStringError(key + " is '" + value + "', expected " +
                                     (isa<BoolAttr>(planned) ? "true or false" : "a number"));
    entries.set(key, edited);
    function->setAttr("plan", entries.getDictionary(function.getContext()));
    return llvm::Error::success();
  });
}

LogicalResult cpu::verifyPlans(ModuleOp module, const Machine &machine) {
  for (func::FuncOp function : plannedFunctions(module)) {
    Plan plan = Plan::of(function);
    for (const Rule &rule : rules) {
      Attribute value = planOf(function).get(rule.name);
      if (!value)
        continue;
      if (!isa<IntegerAttr>(value))
        return function.emitError() << "plan of @" << function.getName() << ": " << rule.name << " is " << value
                                    << ", expected " << rule.expected;
      if (!rule.holds(numberOf(value), plan, machine))
        return function.emitError() << "plan of @" << function.getName() << ": " << rule.name << " is "
                                    << numberOf(value) << ", expected " << rule.expected;
    }
  }
  return success();
}
