// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tileas/async/LaunchValue.h"
#include "tileas/async/Passes.h"
#include "tileas/ir/Tileas.h"

#include "mlir/IR/Builders.h"

namespace tilewright {
#define GEN_PASS_DEF_TILEASATTACHTMADESCARGS
#include "tileas/async/Passes.h.inc"
} // namespace tilewright

using namespace mlir;
using namespace tilewright;

namespace {

class AttachTmaDescArgs : public tilewright::impl::TileasAttachTmaDescArgsBase<AttachTmaDescArgs> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<tileas::MakeTmaDescOp> makes;
    function.walk([&](tileas::MakeTmaDescOp make) { makes.push_back(make); });
    SmallVector<Attribute> known;
    SmallVector<unsigned> arguments;
    for (tileas::MakeTmaDescOp make : makes) {
      tileas::TmaDescAttr description = describe(make);
      auto found = llvm::find(known, description);
      if (found == known.end()) {
        unsigned number = function.getNumArguments();
        if (failed(function.insertArgument(number, make.getType(), DictionaryAttr(), make.getLoc())))
          return signalPassFailure();
        known.push_back(description);
        arguments.push_back(number);
        found = std::prev(known.end());
      }
      make.replaceAllUsesWith(function.getArgument(arguments[found - known.begin()]));
      make.erase();
    }
    if (!known.empty())
      function->setAttr(tileas::tmaDescsAttr, ArrayAttr::get(&getContext(), known));
  }

  tileas::TmaDescAttr describe(tileas::MakeTmaDescOp make) {
    auto view = make.getView().getDefiningOp<tileaa::MakeViewOp>();
    tileaa::ViewType type = view.getResult().getType();
    auto list = [](ArrayRef<int64_t> known, ValueRange dynamic) {
      SmallVector<tileas::LaunchValue> numbers;
      for (int64_t number : known)
        if (ShapedType::isDynamic(number)) {
          numbers.push_back(*tileas::launchValueOf(dynamic.front()));
          dynamic = dynamic.drop_front();
        } else {
          numbers.push_back({std::nullopt, number});
        }
      return numbers;
    };
    return tileas::TmaDescAttr::get(&getContext(), *tileas::launchValueOf(view.getBase()),
                                    list(type.getShape(), view.getDynamicShape()),
                                    list(type.getStrides(), view.getDynamicStrides()), make.getBox(),
                                    make.getFormat().value_or(type.getElementType()), make.getSwizzle());
  }
};

} // namespace
