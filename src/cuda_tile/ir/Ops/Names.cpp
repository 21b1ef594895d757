// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What values are called in the text.
#include "cuda_tile/ir/CudaTile.h"
#include "cuda_tile/ir/E5M3.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilewright::cuda_tile;

/// %true, %false, %cst_7_i32, %cst_1_f32, %cst_NaN_f32; a value without a short spelling is %cst_f32.
void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  Type element = getResult().getType().getElementType();
  SmallString<32> name("cst_");
  llvm::raw_svector_ostream os(name);
  if (getValue().isSplat()) {
    if (auto integer = dyn_cast<IntegerType>(element)) {
      APInt value = getValue().getSplatValue<APInt>();
      if (integer.getWidth() == 1) {
        return setName(getResult(), value.isZero() ? "false" : "true");
      }
      value.print(os, /*isSigned=*/true);
      os << '_';
    } else {
      APFloat value = getValue().getSplatValue<APFloat>();
      if (isa<F8E5M3FNUType>(element)) {
        value = decodeE5M3(value.bitcastToAPInt().getZExtValue());
      }
      APSInt whole(64, /*isUnsigned=*/true);
      bool isExact = false;
      if (value.isNaN()) {
        os << "NaN_";
      } else if (!value.isNegative() &&
                 value.convertToInteger(whole, APFloat::rmTowardZero, &isExact) == APFloat::opOK) {
        os << whole << '_';
      }
    }
  }
  if (auto ours = dyn_cast<F8E5M3FNUType>(element)) {
    os << ours.getMnemonic();
  } else {
    os << element;
  }
  setName(getResult(), name);
}

/// The name the operation that defines `value` gives it, if that operation gives names at all.
static std::optional<std::string> getName(Value value) {
  auto named = value.getDefiningOp<OpAsmOpInterface>();
  if (!named) {
    return std::nullopt;
  }
  std::string name;
  named.getAsmResultNames([&](Value result, StringRef given) {
    if (result == value) {
      name = given.str();
    }
  });
  return name;
}

void AssumeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  std::optional<std::string> base = getName(getValue());
  setName(getResult(), base ? "assume_" + *base : "assume");
}

void BroadcastOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "bcast");
}
void ReshapeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "reshape");
}
void MakeTensorViewOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "tview");
}
void MakePartitionViewOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "pview");
}
void MakeStridedViewOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "sview");
}
void MakeGatherScatterViewOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "gsview");
}

void GetTileBlockIdOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getBlockIdX(), "blockId_x");
  setName(getBlockIdY(), "blockId_y");
  setName(getBlockIdZ(), "blockId_z");
}
void GetNumTileBlocksOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getGridSizeX(), "gridSize_x");
  setName(getGridSizeY(), "gridSize_y");
  setName(getGridSizeZ(), "gridSize_z");
}

void LoadViewTkoOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getTile(), "tile");
  setName(getResultToken(), "result_token");
}
void LoadPtrTkoOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "result");
  setName(getResultToken(), "result_token");
}
void AtomicCASTkoOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "result");
  setName(getResultToken(), "result_token");
}
void AtomicRMWTkoOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "result");
  setName(getResultToken(), "result_token");
}
void MultimemLoadReduceViewTkoOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getReducedValues(), "reduced_values");
  setName(getResultToken(), "result_token");
}

void ForOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults()) {
    setName(getResult(0), "for");
  }
}
void ForOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (auto [number, argument] : llvm::enumerate(region.getArguments())) {
    setName(argument, number ? "iterArg" + std::to_string(number - 1) : "loopIdx");
  }
}
void LoopOp::getAsmResultNames(OpAsmSetValueNameFn) {}
void LoopOp::getAsmBlockArgumentNames(Region &, OpAsmSetValueNameFn) {}
void IfOp::getAsmResultNames(OpAsmSetValueNameFn) {}
void IfOp::getAsmBlockArgumentNames(Region &, OpAsmSetValueNameFn) {}
void ScanOp::getAsmResultNames(OpAsmSetValueNameFn) {}
void ScanOp::getAsmBlockArgumentNames(Region &, OpAsmSetValueNameFn) {}

void ReduceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults()) {
    setName(getResult(0), "reduce");
  }
}
void ReduceOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  bool isSingle = region.getNumArguments() == 2;
  for (auto [number, argument] : llvm::enumerate(region.getArguments())) {
    std::string name = number % 2 ? "reduce_rhs" : "reduce_lhs";
    setName(argument, isSingle ? name : name + std::to_string(number / 2));
  }
}

StringRef ForOp::getDefaultDialect() {
  return "cuda_tile";
}
StringRef LoopOp::getDefaultDialect() {
  return "cuda_tile";
}
StringRef IfOp::getDefaultDialect() {
  return "cuda_tile";
}
StringRef ReduceOp::getDefaultDialect() {
  return "cuda_tile";
}
StringRef ScanOp::getDefaultDialect() {
  return "cuda_tile";
}
