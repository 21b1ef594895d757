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
      DictionaryAttr description = describe(make);
      auto found = llvm::find(known, description);
      if (found == known.end()) {
        unsigned number = function.getNumArguments();
        auto attributes = DictionaryAttr::get(&getContext(), NamedAttribute(tileas::boxAttr, make.getBoxAttr()));
        if (failed(function.insertArgument(number, make.getType(), attributes, make.getLoc())))
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

  // A parameter's number, or a constant in an array of its own.
  Attribute describe(Value value) {
    Builder builder(&getContext());
    tileas::LaunchValue launch = *tileas::launchValueOf(value);
    if (launch.parameter)
      return builder.getI64IntegerAttr(*launch.parameter);
    return builder.getI64ArrayAttr({launch.constant});
  }

  DictionaryAttr describe(tileas::MakeTmaDescOp make) {
    Builder builder(&getContext());
    auto view = make.getView().getDefiningOp<tileaa::MakeViewOp>();
    tileaa::ViewType type = view.getResult().getType();
    auto list = [&](ArrayRef<int64_t> known, ValueRange dynamic) {
      SmallVector<Attribute> numbers;
      for (int64_t number : known)
        if (ShapedType::isDynamic(number)) {
          numbers.push_back(describe(dynamic.front()));
          dynamic = dynamic.drop_front();
        } else {
          numbers.push_back(builder.getI64ArrayAttr({number}));
        }
      return builder.getArrayAttr(numbers);
    };
    return builder.getDictionaryAttr({
        builder.getNamedAttr("base", describe(view.getBase())),
        builder.getNamedAttr("box", make.getBoxAttr()),
        builder.getNamedAttr("element", TypeAttr::get(make.getFormat().value_or(type.getElementType()))),
        builder.getNamedAttr("shape", list(type.getShape(), view.getDynamicShape())),
        builder.getNamedAttr("strides", list(type.getStrides(), view.getDynamicStrides())),
        builder.getNamedAttr("swizzle", make.getSwizzleAttr()),
    });
  }
};

} // namespace
