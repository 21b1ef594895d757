// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_tile/ir/AsmFormat.h"
#include "cuda_tile/ir/Types.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

#include "cuda_tile/ir/CudaTileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "cuda_tile/ir/CudaTileAttrs.cpp.inc"

void CudaTileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "cuda_tile/ir/CudaTileAttrs.cpp.inc"
      >();
}

bool DILocalScopeAttr::classof(Attribute attr) {
  return isa<DISubprogramAttr, DILexicalBlockAttr>(attr);
}

//===- div_by ---------------------------------------------------------------------------===//

Attribute DivByAttr::parse(AsmParser &parser, Type) {
  uint64_t divisor;
  std::optional<int64_t> every, along;
  if (parser.parseLess() || parser.parseInteger(divisor)) {
    return {};
  }
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("every") || parser.parseInteger(every.emplace()) || parser.parseKeyword("along") ||
        parser.parseInteger(along.emplace())) {
      return {};
    }
  }
  if (parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<DivByAttr>(parser.getContext(), divisor, every, along);
}

void DivByAttr::print(AsmPrinter &printer) const {
  printer << '<' << getDivisor();
  if (getEvery()) {
    printer << ", every " << *getEvery() << " along " << *getAlong();
  }
  printer << '>';
}

LogicalResult DivByAttr::verify(function_ref<InFlightDiagnostic()> emitError, uint64_t divisor,
                                std::optional<int64_t> every, std::optional<int64_t> along) {
  // 2^63 is not a number of the signed arithmetic that uses it.
  if (!llvm::isPowerOf2_64(divisor) || divisor > uint64_t(1) << 62) {
    return emitError() << "expected the divisor to be a power of two of at most 2^62, got " << divisor;
  }
  if (every.has_value() != along.has_value()) {
    return emitError() << "expected 'every' and 'along' together, got " << (every ? "'every'" : "'along'") << " alone";
  }
  if (every && (*every < 0 || *along < 0)) {
    return emitError() << "expected 'every' and 'along' to be 0 or more, got " << *every << " and " << *along;
  }
  return success();
}

//===- same_elements --------------------------------------------------------------------===//

LogicalResult SameElementsAttr::verify(function_ref<InFlightDiagnostic()> emitError, DenseI64ArrayAttr values) {
  for (int64_t value : values.asArrayRef()) {
    if (value < 0) {
      return emitError() << "expected group sizes of 0 or more, got " << value;
    }
  }
  return success();
}

//===- bounded --------------------------------------------------------------------------===//

static ParseResult parseBound(AsmParser &parser, std::optional<int64_t> &bound) {
  if (succeeded(parser.parseOptionalQuestion())) {
    return success();
  }
  return parser.parseInteger(bound.emplace());
}

Attribute BoundedAttr::parse(AsmParser &parser, Type) {
  std::optional<int64_t> lb, ub;
  if (parser.parseLess() || parseBound(parser, lb) || parser.parseComma() || parseBound(parser, ub) ||
      parser.parseGreater()) {
    return {};
  }
  return parser.getChecked<BoundedAttr>(parser.getContext(), lb, ub);
}

static void printBound(AsmPrinter &printer, std::optional<int64_t> bound) {
  if (bound) {
    printer << *bound;
  } else {
    printer << '?';
  }
}

void BoundedAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printBound(printer, getLb());
  printer << ", ";
  printBound(printer, getUb());
  printer << '>';
}

LogicalResult BoundedAttr::verify(function_ref<InFlightDiagnostic()> emitError, std::optional<int64_t> lb,
                                  std::optional<int64_t> ub) {
  if (lb && ub && *lb > *ub) {
    return emitError() << "expected lower bound <= upper bound, got " << *lb << " and " << *ub;
  }
  return success();
}

//===- optimization_hints ---------------------------------------------------------------===//

Attribute OptimizationHintsAttr::parse(AsmParser &parser, Type) {
  SmallVector<NamedAttribute> hints;
  auto parseOne = [&]() -> ParseResult {
    StringRef architecture;
    NamedAttrList values;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&architecture) || parser.parseEqual() || parser.parseOptionalAttrDict(values)) {
      return failure();
    }
    if (llvm::any_of(hints, [&](NamedAttribute hint) { return hint.getName() == architecture; })) {
      return parser.emitError(loc, "expected each architecture once, got '") << architecture << "' again";
    }
    // A bare integer reads as i64; hints are i32.
    for (NamedAttribute value : llvm::to_vector(values)) {
      if (auto number = dyn_cast<IntegerAttr>(value.getValue()); number && number.getType().isInteger(64)) {
        values.set(value.getName(), parser.getBuilder().getI32IntegerAttr(number.getInt()));
      }
    }
    hints.emplace_back(parser.getBuilder().getStringAttr(architecture), values.getDictionary(parser.getContext()));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseOne)) {
    return {};
  }
  return parser.getChecked<OptimizationHintsAttr>(parser.getContext(), DictionaryAttr::get(parser.getContext(), hints));
}

void OptimizationHintsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getValue(), printer, [&](NamedAttribute hint) {
    printer << hint.getName().getValue() << " = {";
    // Integers are i32 and print bare: the type says nothing a reader needs.
    llvm::interleaveComma(cast<DictionaryAttr>(hint.getValue()), printer, [&](NamedAttribute value) {
      printer << value.getName().getValue() << " = ";
      printer.printAttributeWithoutType(value.getValue());
    });
    printer << '}';
  });
  printer << '>';
}

LogicalResult OptimizationHintsAttr::verify(function_ref<InFlightDiagnostic()> emitError, DictionaryAttr value) {
  for (NamedAttribute hint : value) {
    if (!isa<DictionaryAttr>(hint.getValue())) {
      return emitError() << "expected a dictionary of hints for '" << hint.getName().getValue() << "', got "
                         << hint.getValue();
    }
  }
  return success();
}

Attribute OptimizationHintsAttr::lookup(StringRef architecture, StringRef name) const {
  for (StringRef key : {architecture, StringRef("default")}) {
    if (auto hints = getValue().getAs<DictionaryAttr>(key)) {
      if (Attribute hint = hints.get(name)) {
        return hint;
      }
    }
  }
  return {};
}
