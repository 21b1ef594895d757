// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/Remarks.h"

#include "mlir/IR/Remarks.h"
#include "support/Diagnostics.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Remarks/RemarkSerializer.h"

using namespace llvm;

namespace tilewright {
namespace {

using Kind = OptimizationRemark::Kind;

struct KindInfo {
  Kind kind;
  StringLiteral name;
  remarks::Type type;
};
constexpr KindInfo kinds[] = {{Kind::Passed, "passed", remarks::Type::Passed},
                              {Kind::Missed, "missed", remarks::Type::Missed},
                              {Kind::Failed, "failed", remarks::Type::Failure},
                              {Kind::Analysis, "analysis", remarks::Type::Analysis}};

const KindInfo &infoOf(Kind kind) {
  return kinds[static_cast<size_t>(kind)];
}

class Collector : public mlir::remark::detail::MLIRRemarkStreamerBase {
public:
  explicit Collector(std::vector<OptimizationRemark> &remarks) : remarks(remarks) {}

  void streamOptimizationRemark(const mlir::remark::detail::Remark &remark) override {
    OptimizationRemark &made = remarks.emplace_back();
    for (const KindInfo &info : kinds)
      if (info.type == remark.getRemarkType())
        made.kind = info.kind;
    made.category = remark.getCombinedCategoryName();
    made.name = remark.getRemarkName();
    made.function = remark.getFunction();
    if (mlir::FileLineColLoc place = sourceOf(remark.getLocation())) {
      made.file = place.getFilename().str();
      made.line = place.getLine();
      made.column = place.getColumn();
    }
    for (const auto &argument : remark.getArgs())
      made.arguments.emplace_back(argument.key, argument.val);
  }

private:
  std::vector<OptimizationRemark> &remarks;
};

} // namespace

std::string OptimizationRemark::message() const {
  std::string text;
  for (const auto &[key, value] : arguments)
    if (key == "Remark")
      text += (text.empty() ? "" : " ") + value;
  return text.empty() ? name : text;
}

void collectRemarks(mlir::MLIRContext &context, std::vector<OptimizationRemark> &remarks) {
  mlir::remark::RemarkCategories all;
  all.all = all.passed = all.missed = all.failed = all.analysis = ".*";
  // Fails only for a streamer that cannot be set up, and this one has nothing to set up.
  (void)mlir::remark::enableOptimizationRemarks(context, std::make_unique<Collector>(remarks),
                                                std::make_unique<mlir::remark::RemarkEmittingPolicyAll>(), all);
}

bool RemarkFilter::takesAny() const {
  return llvm::any_of(choices, [](Choice choice) { return choice != Choice::None; });
}

bool RemarkFilter::takes(const OptimizationRemark &remark) const {
  switch (choices[static_cast<size_t>(remark.kind)]) {
  case Choice::None:
    return false;
  case Choice::All:
    return true;
  case Choice::Memory:
    return remark.category == "Memory";
  case Choice::TensorCore:
    return remark.category == "TensorCore";
  }
  llvm_unreachable("all choices are above");
}

void printRemarks(ArrayRef<OptimizationRemark> remarks, raw_ostream &os) {
  MapVector<StringRef, MapVector<StringRef, std::vector<const OptimizationRemark *>>> blocks;
  for (const OptimizationRemark &remark : remarks)
    blocks[remark.function][remark.category].push_back(&remark);
  for (auto &[function, categories] : blocks) {
    os << "in function: " << function << ":\n\n";
    for (auto &[category, list] : categories) {
      os << "  category: " << category << '\n';
      for (const OptimizationRemark *remark : list) {
        os << "    remark[" << infoOf(remark->kind).name << "]: " << remark->message() << '\n';
        if (!remark->file.empty())
          os << "      --> \"" << remark->file << "\":" << remark->line << ':' << remark->column << '\n';
        os << "       |\n       = name: " << remark->name << '\n';
        for (const auto &[key, value] : remark->arguments)
          if (key == "Reason" || key == "Suggestion")
            os << "       = " << StringRef(key).lower() << ": " << value << '\n';
          else if (key != "Remark")
            os << "       = note: " << key << " = " << value << '\n';
        os << '\n';
      }
    }
  }
}

Error writeRemarksAsYaml(ArrayRef<OptimizationRemark> remarks, raw_ostream &os) {
  auto serializer = remarks::createRemarkSerializer(remarks::Format::YAML, os);
  if (!serializer)
    return serializer.takeError();
  for (const OptimizationRemark &remark : remarks) {
    remarks::Remark written;
    written.RemarkType = infoOf(remark.kind).type;
    written.PassName = remark.category;
    written.RemarkName = remark.name;
    written.FunctionName = remark.function;
    if (!remark.file.empty())
      written.Loc = remarks::RemarkLocation{remark.file, remark.line, remark.column};
    for (const auto &[key, value] : remark.arguments) {
      remarks::Argument &argument = written.Args.emplace_back();
      argument.Key = key;
      argument.Val = value;
    }
    (*serializer)->emit(written);
  }
  return Error::success();
}

} // namespace tilewright
