// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: texts that together have all of the format, and where each operation, field and type occurs in them.
#ifndef TILEWRIGHT_CUDA_TILE_BYTECODE_COVERAGE_H
#define TILEWRIGHT_CUDA_TILE_BYTECODE_COVERAGE_H

#include "cuda_tile/bytecode/Payload.h"
#include "cuda_tile/bytecode/TypeTable.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/Path.h"
#include <map>

namespace tilewright::cuda_tile {

/// The folder test/Inputs beside this file.
inline std::string getInputs() {
  llvm::SmallString<128> path(llvm::sys::path::parent_path(__FILE__));
  llvm::sys::path::append(path, "test", "Inputs");
  return path.str().str();
}

/// A module of Tile IR from a text.
struct SourceModule {
  SourceModule(const std::string &path, mlir::MLIRContext &context)
      : parsed(mlir::parseSourceFile<mlir::ModuleOp>(path, mlir::ParserConfig(&context))) {}
  ModuleOp get() { return *parsed->getOps<ModuleOp>().begin(); }
  std::vector<mlir::Operation *> operations() {
    std::vector<mlir::Operation *> ops;
    get()->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) { ops.push_back(op); });
    return ops;
  }

  mlir::OwningOpRef<mlir::ModuleOp> parsed;
};

struct Coverage {
  using Operations = std::vector<mlir::Operation *>;
  /// By mnemonic and by "MNEMONIC.FIELD": those that have the field, and those that could.
  std::map<std::string, Operations> present, absent;
  /// By name.
  std::map<std::string, std::vector<mlir::Type>> types;

  void add(mlir::Operation *op) {
    const Payload &payload = *Payload::lookup(op->getName().stripDialect());
    std::string name = payload.getRecord().mnemonic.str();
    present[name].push_back(op);
    unsigned segment = 0;
    for (const PayloadField &field : payload.getFields()) {
      bool isPresent = true;
      if (field.isAttribute()) {
        isPresent = isGiven(op, field, payload.getRecord());
      } else if (payload.hasOperandSegments()) {
        auto sizes = llvm::cast<mlir::DenseI32ArrayAttr>(*op->getInherentAttr("operandSegmentSizes"));
        isPresent = sizes[segment++] > 0;
      } else if (field.kind != FieldKind::Operand) {
        isPresent = op->getNumOperands() > llvm::count_if(payload.getFields(), [](const PayloadField &other) {
                      return other.kind == FieldKind::Operand;
                    });
      }
      (isPresent ? present : absent)[name + "." + field.name.str()].push_back(op);
    }
    for (mlir::Type type : op->getResultTypes()) {
      addType(type);
    }
    for (mlir::Region &region : op->getRegions()) {
      for (mlir::Type type : region.getArgumentTypes()) {
        addType(type);
      }
    }
  }

private:
  /// Whether the file has it. Of an attribute that came after its operation a default does not count.
  static bool isGiven(mlir::Operation *op, const PayloadField &field, const OpRecord &record) {
    mlir::Attribute value = op->getInherentAttr(field.name).value_or(mlir::Attribute());
    if (auto bools = llvm::dyn_cast_or_null<mlir::DenseBoolArrayAttr>(value)) {
      return !bools.empty();
    }
    if (field.kind != FieldKind::Attribute || field.since == record.since) {
      return bool(value);
    }
    mlir::Operation *fresh = mlir::Operation::create(op->getLoc(), op->getName(), mlir::TypeRange(), mlir::ValueRange(),
                                                     mlir::NamedAttrList(), mlir::OpaqueProperties(nullptr));
    bool isDefault = fresh->getInherentAttr(field.name) == value;
    fresh->destroy();
    return !isDefault;
  }
  void addType(mlir::Type type) {
    type.walk([&](mlir::Type part) {
      if (const TypeRecord *record = lookupType(part)) {
        types[record->name.str()].push_back(part);
      }
    });
  }
};

} // namespace tilewright::cuda_tile

#endif
