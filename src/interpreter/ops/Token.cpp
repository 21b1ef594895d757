// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens. The monitor records the order they impose; here everything happens in program order, which is consistent with
// every order that tokens allow.
#include "interpreter/Handlers.h"

using namespace mlir;

namespace tilewright::interpreter {
namespace {

llvm::Error handleMakeToken(cuda_tile::MakeTokenOp op, Context &context) {
  context.set(op.getResult(), Token{context.monitor ? context.monitor->makeToken() : 0});
  return llvm::Error::success();
}

llvm::Error handleJoinTokens(cuda_tile::JoinTokensOp op, Context &context) {
  llvm::SmallVector<uint64_t> tokens;
  for (mlir::Value token : op.getTokens())
    tokens.push_back(std::get<Token>(context.frame.get(token)).id);
  context.set(op.getResult(), Token{context.monitor ? context.monitor->joinTokens(tokens) : 0});
  return llvm::Error::success();
}

// Fences, and waiting for the grid before: launches run one after the other, and nothing is reordered.
template <typename Op> llvm::Error handleFence(Op op, Context &context) {
  std::optional<uint64_t> token;
  if (op.getToken())
    token = std::get<Token>(context.frame.get(op.getToken())).id;
  context.set(op.getResultToken(), Token{context.monitor ? context.monitor->tokenAfter(op, token) : 0});
  return llvm::Error::success();
}

} // namespace

void registerTokenOps(HandlerTable &table) {
  table.add<handleMakeToken>();
  table.add<handleJoinTokens>();
  table.add<handleFence<cuda_tile::MemoryFenceAliasTkoOp>>();
  table.add<handleFence<cuda_tile::GdcLaunchDependentsTkoOp>>();
  table.add<handleFence<cuda_tile::GdcWaitTkoOp>>();
}

} // namespace tilewright::interpreter
