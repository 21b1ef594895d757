// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Diagnostics.h"
#include "cuda_tile/ir/CudaTile.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::cuda_tile;

namespace {

struct Diagnostics : testing::Test {
  Diagnostics() { context.loadDialect<CudaTileDialect>(); }

  StringAttr text(StringRef value) { return StringAttr::get(&context, value); }
  DISubprogramAttr function(StringRef name) {
    auto file = DIFileAttr::get(&context, text("nowhere.py"), text("/src"));
    return DISubprogramAttr::get(&context, file, 1, text(name), text(name), DICompileUnitAttr::get(&context, file), 1);
  }
  Location at(unsigned line, Attribute scope) {
    return DILocAttr::get(&context, FileLineColLoc::get(&context, "nowhere.py", line, 5),
                          cast<DILocalScopeAttr>(scope));
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
};

} // namespace

TEST_F(Diagnostics, nameTheFunctionsOfDebugInformation) {
  auto helper = function("helper");
  auto block = DILexicalBlockAttr::get(&context, cast<DILocalScopeAttr>(Attribute(helper)), helper.getFile(), 20, 3);
  EXPECT_EQ(render(at(22, block), "error", "no"), "nowhere.py:22:5: error: no (in function 'helper')\n");
  EXPECT_EQ(render(CallSiteLoc::get(at(22, block), at(8, function("kernel"))), "error", "no"),
            "nowhere.py:22:5: error: no (in function 'helper')\n"
            "nowhere.py:8:5: note: called from here (in function 'kernel')\n");
}

TEST_F(Diagnostics, withoutAPlaceTheFileIsNamed) {
  EXPECT_EQ(render(UnknownLoc::get(&context), "error", "no", {"k.tilebc", ""}), "k.tilebc: error: no\n");
  EXPECT_EQ(render(UnknownLoc::get(&context), "error", "no"), "error: no\n");
}
