// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileaa/ir/Tileaa.h"
#include "tileaa/transforms/Passes.h"
#include "tileaa/transforms/functions/Libdevice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tilewright {
#define GEN_PASS_DEF_CALLLIBDEVICEPASS
#include "tileaa/transforms/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

functions::LibdeviceFunction functions::libdeviceFunction(Operation *op) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!fast || op->getNumResults() != 1 || !getElementTypeOrSelf(op->getResult(0).getType()).isF32() ||
      arith::bitEnumContainsAny(fast.getFastMathFlagsAttr().getValue(), arith::FastMathFlags::afn))
    return {};
  return llvm::TypeSwitch<Operation *, LibdeviceFunction>(op)
      .Case([](math::SinOp) { return LibdeviceFunction{"__nv_sinf", true}; })
      .Case([](math::CosOp) { return LibdeviceFunction{"__nv_cosf", true}; })
      .Case([](math::TanOp) { return LibdeviceFunction{"__nv_tanf", false}; })
      .Case([](math::SinhOp) { return LibdeviceFunction{"__nv_sinhf", false}; })
      .Case([](math::CoshOp) { return LibdeviceFunction{"__nv_coshf", false}; })
      .Case([](math::TanhOp) { return LibdeviceFunction{"__nv_tanhf", false}; })
      .Case([](math::LogOp) { return LibdeviceFunction{"__nv_logf", true}; })
      .Case([](math::Log2Op) { return LibdeviceFunction{"__nv_log2f", true}; })
      .Case([](math::ExpOp) { return LibdeviceFunction{"__nv_expf", false}; })
      .Case([](math::Exp2Op) { return LibdeviceFunction{"__nv_exp2f", false}; })
      .Case([](math::PowFOp) { return LibdeviceFunction{"__nv_powf", false}; })
      .Case([](math::Atan2Op) { return LibdeviceFunction{"__nv_atan2f", true}; })
      .Case([](math::RsqrtOp) { return LibdeviceFunction{"__nv_rsqrtf", false}; })
      .Default(LibdeviceFunction());
}

namespace {

func::FuncOp declared(ModuleOp module, StringRef name, unsigned operands) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  SmallVector<Type> f32(operands, builder.getF32Type());
  auto function =
      func::FuncOp::create(builder, module.getLoc(), name, builder.getFunctionType(f32, builder.getF32Type()));
  function.setPrivate();
  return function;
}

// One call, or one for each element of a vector.
void call(Operation *op, func::FuncOp function) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  auto vector = dyn_cast<VectorType>(op->getResult(0).getType());
  if (!vector) {
    op->replaceAllUsesWith(func::CallOp::create(builder, loc, function, op->getOperands()));
    return op->erase();
  }
  auto flat = VectorType::get({vector.getNumElements()}, vector.getElementType());
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(vector::ShapeCastOp::create(builder, loc, flat, operand));
  Value result = arith::ConstantOp::create(builder, loc, builder.getZeroAttr(flat));
  for (int64_t lane = 0; lane != flat.getNumElements(); ++lane) {
    SmallVector<Value> elements;
    for (Value operand : operands)
      elements.push_back(vector::ExtractOp::create(builder, loc, operand, lane));
    Value element = func::CallOp::create(builder, loc, function, elements).getResult(0);
    result = vector::InsertOp::create(builder, loc, element, result, lane);
  }
  op->getResult(0).replaceAllUsesWith(vector::ShapeCastOp::create(builder, loc, vector, result));
  op->erase();
}

class CallLibdevice : public tilewright::impl::CallLibdevicePassBase<CallLibdevice> {
public:
  using CallLibdevicePassBase::CallLibdevicePassBase;

private:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringSet<> refused;
    module.walk([&](Operation *op) {
      functions::LibdeviceFunction function = functions::libdeviceFunction(op);
      if (function.name.empty())
        return;
      if (exactOnly && !function.isExact) {
        if (refused.insert(function.name).second)
          op->emitRemark() << "keeps the bits of this compiler: " << function.name
                           << " needs an instruction that only GPUs have";
        return;
      }
      call(op, declared(module, function.name, op->getNumOperands()));
      module->setAttr(tileaa::libdeviceAttr, StringAttr::get(&getContext(), path));
    });
  }
};

} // namespace
