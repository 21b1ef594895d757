// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cpu/plan/WorthJoining.h"

#include "cpu/ir/Cpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cpu;

namespace {

class Question {
public:
  Question(func::FuncOp kernel, int64_t bytes) : kernel(kernel), bytes(bytes) {}

  // Whether the arrays of all these views are smaller.
  void ask(ArrayRef<tileaa::MakeViewOp> views) {
    OpBuilder builder(kernel->getContext());
    builder.setInsertionPointAfter(kernel);
    Location loc = kernel.getLoc();
    auto type = builder.getFunctionType(kernel.getArgumentTypes(), builder.getI1Type());
    auto function = func::FuncOp::create(builder, loc, (kernel.getName() + joinsSuffix).str(), type);
    function.setPrivate();
    builder.setInsertionPointToStart(function.addEntryBlock());
    known.map(kernel.getArguments(), function.getArguments());
    Value answer = arith::ConstantIntOp::create(builder, loc, 1, 1);
    for (tileaa::MakeViewOp view : views)
      answer = arith::AndIOp::create(builder, loc, answer, isSmall(builder, view));
    func::ReturnOp::create(builder, loc, answer);
  }

private:
  Value isSmall(OpBuilder &builder, tileaa::MakeViewOp view) {
    Location loc = kernel.getLoc();
    tileaa::ViewType type = view.getResult().getType();
    Value size = arith::ConstantIndexOp::create(builder, loc, type.getElementType().getIntOrFloatBitWidth() / 8);
    auto dynamic = view.getDynamicShape().begin();
    for (int64_t extent : type.getShape()) {
      Value factor = ShapedType::isDynamic(extent) ? copy(builder, *dynamic++)
                                                   : arith::ConstantIndexOp::create(builder, loc, extent).getResult();
      size = arith::MulIOp::create(builder, loc, size, factor);
    }
    Value limit = arith::ConstantIndexOp::create(builder, loc, bytes);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, size, limit);
  }

  Value copy(OpBuilder &builder, Value value) {
    if (Value copied = known.lookupOrNull(value))
      return copied;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      known.map(operand, copy(builder, operand));
    if (isa<tileaa::AssumeDivByOp>(op))
      known.map(value, known.lookup(op->getOperand(0)));
    else
      builder.clone(*op, known);
    return known.lookup(value);
  }

  func::FuncOp kernel;
  int64_t bytes;
  IRMapping known;
};

} // namespace

// Whether a value follows from the kernel's arguments alone.
static bool isOfLaunch(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  bool isPlain = isa<tileaa::AssumeDivByOp>(op) || (isPure(op) && !isa<tileaa::TileaaDialect>(op->getDialect()));
  return isPlain && op->getNumRegions() == 0 && llvm::all_of(op->getOperands(), isOfLaunch);
}

void cpu::askWhetherToJoin(func::FuncOp kernel, const BlockSpread &spread) {
  constexpr int64_t fewLines = 256;
  int64_t bytes = Plan::of(kernel).streamBytes;
  if (bytes == 0 || spread.bytesMoved() <= fewLines)
    return;
  SmallVector<tileaa::MakeViewOp> views;
  kernel.walk([&](tileaa::StoreViewOp store) {
    auto view = store.getView().getDefiningOp<tileaa::MakeViewOp>();
    if (view && view.getResult().getType().getElementType().getIntOrFloatBitWidth() >= 32 &&
        llvm::all_of(view.getDynamicShape(), isOfLaunch))
      views.push_back(view);
  });
  if (!views.empty())
    Question(kernel, bytes).ask(views);
}
