// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/transforms/Passes.h"
#include "support/Diagnostics.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

namespace tilewright {

#define GEN_PASS_DEF_CUDATILESYNTHESIZEDEBUGINFOSCOPES
#include "cuda_tile/transforms/Passes.h.inc"

namespace {

// The first place in it that has no scope.
FileLineColLoc bareOf(Location location) {
  if (isa<DILocAttr>(location))
    return nullptr;
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    FileLineColLoc callee = bareOf(call.getCallee());
    return callee ? callee : bareOf(call.getCaller());
  }
  return sourceOf(location);
}

FileLineColLoc bareOf(EntryOp entry) {
  FileLineColLoc found = bareOf(entry.getLoc());
  entry.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!found)
      found = bareOf(op->getLoc());
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

DILocalScopeAttr makeScope(EntryOp entry, FileLineColLoc place) {
  MLIRContext *context = entry.getContext();
  StringRef path = place.getFilename().getValue();
  auto string = [&](StringRef text) { return StringAttr::get(context, text); };
  auto file =
      DIFileAttr::get(context, string(llvm::sys::path::filename(path)), string(llvm::sys::path::parent_path(path)));
  Attribute scope =
      DISubprogramAttr::get(context, file, place.getLine(), entry.getSymNameAttr(), entry.getSymNameAttr(),
                            DICompileUnitAttr::get(context, file), place.getLine());
  return cast<DILocalScopeAttr>(scope);
}

Location putInto(DILocalScopeAttr scope, Location location) {
  if (isa<DILocAttr>(location))
    return location;
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return CallSiteLoc::get(putInto(scope, call.getCallee()), putInto(scope, call.getCaller()));
  FileLineColLoc place = sourceOf(location);
  return place ? Location(DILocAttr::get(location.getContext(), place, scope)) : location;
}

struct SynthesizeDebugInfoScopes : impl::CudaTileSynthesizeDebugInfoScopesBase<SynthesizeDebugInfoScopes> {
  void runOnOperation() override { synthesizeDebugInfoScopes(getOperation()); }
};

} // namespace

void synthesizeDebugInfoScopes(cuda_tile::ModuleOp module) {
  for (EntryOp entry : module.getOps<EntryOp>()) {
    FileLineColLoc place = bareOf(entry);
    if (!place)
      continue;
    auto known = dyn_cast<DILocAttr>(LocationAttr(entry.getLoc()));
    DILocalScopeAttr scope = known ? known.getScope() : makeScope(entry, place);
    if (!known)
      entry->setLoc(DILocAttr::get(entry.getContext(), place, scope));
    entry.getBody().walk([&](Operation *op) { op->setLoc(putInto(scope, op->getLoc())); });
  }
}

} // namespace tilewright
