// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of attributes. Their storage is defined here, and known here alone.
#include "tileas/ir/Tileas.h"

#include "layout/LayoutText.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tileas;

// Of an assert: at "k.py" 12.
static ParseResult parseSitePlace(AsmParser &parser, std::string &file, int64_t &line) {
  if (failed(parser.parseOptionalKeyword("at")))
    return success();
  return failure(parser.parseString(&file) || parser.parseInteger(line));
}
static void printSitePlace(AsmPrinter &printer, StringRef file, int64_t line) {
  if (file.empty())
    return;
  printer << " at ";
  printer.printString(file);
  printer << ' ' << line;
}

static ParseResult parseScheduleText(AsmParser &parser, SmallVector<ScheduleEntry> &entries) {
  std::string text;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  auto parsed = parseSchedule(text);
  if (!parsed)
    return parser.emitError(start) << llvm::toString(parsed.takeError());
  entries = std::move(*parsed);
  return success();
}
static void printScheduleText(AsmPrinter &printer, ArrayRef<ScheduleEntry> entries) {
  printer << '"' << scheduleText(entries) << '"';
}

// `arg 1` is a parameter, any other number a constant.
template <> struct mlir::FieldParser<LaunchValue> {
  static FailureOr<LaunchValue> parse(AsmParser &parser) {
    LaunchValue value;
    if (succeeded(parser.parseOptionalKeyword("arg"))) {
      if (parser.parseInteger(value.parameter.emplace()))
        return failure();
      return value;
    }
    if (parser.parseInteger(value.constant))
      return failure();
    return value;
  }
};

#include "tileas/ir/TileasEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "tileas/ir/TileasAttrs.cpp.inc"

void TileasDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tileas/ir/TileasAttrs.cpp.inc"
      >();
}

//===-- LayoutAttr --------------------------------------------------------===//

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::string text;
  SMLoc start;
  if (parser.parseLess() || (start = parser.getCurrentLocation(), parser.parseString(&text)) || parser.parseGreater())
    return {};
  auto layout = layout::parseLayout(text);
  if (!layout) {
    parser.emitError(start) << toString(layout.takeError());
    return {};
  }
  return get(parser.getContext(), *layout);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getLayout().str() << "\">";
}

const layout::LinearLayout &tileas::layoutOf(RankedTensorType tile) {
  // The storage of an attribute lives as long as its context.
  return cast<LayoutAttr>(tile.getEncoding()).getImpl()->layout;
}
