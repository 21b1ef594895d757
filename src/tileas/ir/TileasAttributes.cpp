// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of attributes. Their storage is defined here, and known here alone.
#include "tileas/ir/Decisions.h"
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

static ParseResult parseScheduleText(AsmParser &parser, SmallVector<ScheduleItem> &items) {
  std::string text;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseString(&text))
    return failure();
  auto parsed = parseSchedule(text);
  if (!parsed)
    return parser.emitError(start) << llvm::toString(parsed.takeError());
  items = std::move(*parsed);
  return success();
}
static void printScheduleText(AsmPrinter &printer, ArrayRef<ScheduleItem> items) {
  printer << '"' << scheduleText(items) << '"';
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

//===-- DecisionAttr ------------------------------------------------------===//

static ParseResult parseValue(AsmParser &parser, DecisionKind kind, std::optional<int64_t> &value) {
  SMLoc start = parser.getCurrentLocation();
  std::string text;
  if (infoOf(kind).words.empty())
    return parser.parseInteger(value.emplace());
  if (parser.parseKeywordOrString(&text))
    return failure();
  value = tileas::parseValue(kind, text);
  return value ? success()
               : ParseResult(parser.emitError(start) << "found '" << text << "', expected " << infoOf(kind).expected);
}

// An optional word and the text behind it.
static ParseResult parseText(AsmParser &parser, StringRef word, std::string &text) {
  return succeeded(parser.parseOptionalKeyword(word)) ? parser.parseString(&text) : success();
}

Attribute DecisionAttr::parse(AsmParser &parser, Type) {
  int64_t number;
  std::optional<int64_t> value, asked;
  std::string askedBy, place, reason;
  if (parser.parseLess())
    return {};
  auto part = FieldParser<Part>::parse(parser);
  if (failed(part) || parser.parseInteger(number))
    return {};
  auto kind = FieldParser<DecisionKind>::parse(parser);
  if (failed(kind))
    return {};
  if (succeeded(parser.parseOptionalEqual()) && ::parseValue(parser, *kind, value))
    return {};
  if (succeeded(parser.parseOptionalKeyword("asked")) &&
      (::parseValue(parser, *kind, asked) || parseText(parser, "by", askedBy)))
    return {};
  if (parseText(parser, "at", place) || parseText(parser, "because", reason) || parser.parseGreater())
    return {};
  auto where = [&] { return parser.emitError(parser.getNameLoc()); };
  return getChecked(where, parser.getContext(), *part, number, *kind, value, asked, askedBy, place, reason);
}

void DecisionAttr::print(AsmPrinter &printer) const {
  auto printText = [&](StringRef word, StringRef text) {
    if (text.empty())
      return;
    printer << ' ' << word << ' ';
    printer.printString(text);
  };
  printer << '<' << getPart() << ' ' << getNumber() << ' ' << getKind();
  if (getValue())
    printer << " = " << valueText(getKind(), *getValue());
  if (getAsked()) {
    printer << " asked " << valueText(getKind(), *getAsked());
    printText("by", getAskedBy());
  }
  printText("at", getPlace());
  printText("because", getReason());
  printer << '>';
}

const layout::LinearLayout &tileas::layoutOf(RankedTensorType tile) {
  // The storage of an attribute lives as long as its context.
  return cast<LayoutAttr>(tile.getEncoding()).getImpl()->layout;
}
