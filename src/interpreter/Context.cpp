// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/Context.h"

#include "interpreter/Handlers.h"
#include "support/Diagnostics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright::interpreter {

// An operation takes between 0.1 and 1000 microseconds; a person notices a tenth of a second.
constexpr int64_t stepsBetweenPolls = 256;

Monitor::~Monitor() = default;

llvm::Error errorAt(Operation *op, const llvm::Twine &message) {
  return llvm::createStringError(render(op->getLoc(), "error", message.str()));
}

llvm::Error Context::countStep(Operation *op) {
  ++steps;
  if (options.stepLimit && steps > options.stepLimit)
    return errorAt(op, "the launch has executed " + llvm::Twine(options.stepLimit) +
                           " operations, the limit it was given; give a higher one if it is no endless loop");
  if (options.poll && steps % stepsBetweenPolls == 0)
    return options.poll();
  return llvm::Error::success();
}

llvm::Error Context::step(Operation *op) {
  if (llvm::Error error = countStep(op))
    return error;
  if (monitor)
    if (llvm::Error error = monitor->beforeOp(op, *this))
      return error;
  Handler handler = handlers().find(op->getName());
  if (!handler)
    return errorAt(op, "the interpreter does not know '" + op->getName().getStringRef() + "'");
  if (llvm::Error error = handler(op, *this))
    return error;
  if (missingMemory)
    return errorAt(op, llvm::formatv("access to address {0:x}, where the process has no memory that it may use, in "
                                     "block ({1}, {2}, {3}); an index is out of bounds, or an argument does not match "
                                     "the kernel's assumptions",
                                     *missingMemory, block[0], block[1], block[2])
                           .str());
  return monitor ? monitor->afterOp(op, *this) : llvm::Error::success();
}

llvm::Error Context::run(Region &region) {
  for (Operation &op : region.front()) {
    if (llvm::Error error = step(&op))
      return error;
    if (pending)
      return llvm::Error::success();
  }
  llvm_unreachable("a verified region ends in a terminator");
}

Exit Context::takeExit() {
  Exit exit = std::move(*pending);
  pending.reset();
  return exit;
}

void Context::leave(Exit::Kind kind, ValueRange operands) {
  Exit exit{kind, {}};
  for (mlir::Value operand : operands)
    exit.values.push_back(frame.get(operand));
  pending = std::move(exit);
}

} // namespace tilewright::interpreter
