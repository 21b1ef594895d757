// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/plan/PlanText.h"

#include "cpu/ir/Cpu.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "support/PlanFile.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

static SmallVector<func::FuncOp> plannedFunctions(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  module.walk([&](func::FuncOp function) {
    if (planOf(function))
      functions.push_back(function);
  });
  return functions;
}

std::string cpu::reasonOf(const Decision &decision, const Plan &plan, const Machine &machine) {
  bool isPlain = Isa(plan.isa) == Isa::Aarch64;
  if (decision.number == &Plan::byteWords && isPlain && !machine.hasByteDot)
    return "the target has no dotprod";
  if (decision.flag == &Plan::pairDot && isPlain && !machine.hasBf16Dot)
    return "the target has no bf16";
  if (decision.number != &Plan::mmaUnit)
    return "";
  if (plan.hasMatrixUnit())
    return machine.hasAmx ? "the target has amx-bf16 and amx-int8" : "in the place of the unit: " + machine.whyNoAmx;
  return machine.hasAmx ? "the plan file asks for it" : machine.whyNoAmx;
}

std::string cpu::printPlans(ModuleOp module, const Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (func::FuncOp function : plannedFunctions(module)) {
    if (!text.empty())
      os << '\n';
    printPlanTable(os, function.getName(), "");
    os << '\n';
    for (const Decision &decision : Decision::all()) {
      os << decision.name << " = " << decision.tomlIn(Plan::of(function));
      if (std::string reason = reasonOf(decision, Plan::of(function), machine); !reason.empty())
        os << "  # " << reason;
      os << '\n';
    }
  }
  return text;
}

llvm::Error cpu::applyPlans(ModuleOp module, StringRef text, StringRef name) {
  SmallVector<func::FuncOp> functions = plannedFunctions(module);
  auto names = llvm::map_to_vector(functions, [](func::FuncOp each) { return each.getName().str(); });
  auto plans = llvm::map_to_vector(functions, [](func::FuncOp each) { return Plan::of(each); });
  auto decide = [&](size_t kernel, const PlanLine &line) -> llvm::Error {
    auto decision = Decision::named(line.key);
    return decision ? (*decision)->setIn(plans[kernel], line.value) : decision.takeError();
  };
  if (llvm::Error wrong = forEachDecision(text, name, names, decide))
    return wrong;
  for (auto [function, plan] : llvm::zip_equal(functions, plans)) {
    if (llvm::Error wrong = plan.check())
      return llvm::createStringError(name + ": plan of @" + function.getName() + ": " +
                                     llvm::toString(std::move(wrong)));
    function->setAttr(planAttr, PlanAttr::get(module.getContext(), plan));
  }
  return llvm::Error::success();
}

LogicalResult cpu::verifyPlans(ModuleOp module, const Machine &machine) {
  for (func::FuncOp function : plannedFunctions(module))
    if (llvm::Error wrong = Plan::of(function).check(&machine))
      return function.emitError() << "plan of @" << function.getName() << ": " << llvm::toString(std::move(wrong));
  return success();
}
