// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests: a module run in checked mode over arrays of zeros.
#ifndef TILEWRIGHT_INTERPRETER_CHECK_TESTLAUNCH_H
#define TILEWRIGHT_INTERPRETER_CHECK_TESTLAUNCH_H

#include "interpreter/Interpreter.h"
#include "interpreter/check/Checker.h"
#include "mlir/IR/MLIRContext.h"
#include "support/ModuleText.h"
#include "gtest/gtest.h"

namespace tilewright::interpreter {

class CheckedLaunch {
public:
  // Each pointer among the parameters of the one entry gets an array of so many elements, named after its position: a,
  // b, c ... Integers get `scalar`.
  CheckedLaunch(llvm::StringRef text, llvm::StringRef name, std::array<int64_t, 3> grid, int64_t length = 64,
                int64_t scalar = 0)
      : source{name, text} {
    context.loadDialect<cuda_tile::CudaTileDialect>();
    module = parseModuleText(llvm::MemoryBufferRef(text, name), &context);
    if (!module) {
      ADD_FAILURE() << name.str() << " is no module";
      return;
    }
    auto tileModule = *module->getOps<cuda_tile::ModuleOp>().begin();
    auto entry = *tileModule.getOps<cuda_tile::EntryOp>().begin();
    std::deque<std::vector<uint64_t>> storage;
    std::deque<uint64_t> values;
    std::vector<void *> arguments;
    std::vector<CheckedArray> arrays;
    for (mlir::BlockArgument parameter : entry.getBody().getArguments()) {
      auto element = llvm::cast<cuda_tile::TileType>(parameter.getType()).getElementType();
      values.push_back(scalar);
      if (auto pointer = llvm::dyn_cast<cuda_tile::PtrType>(element)) {
        unsigned bytes = storageBytes(*elementOf(pointer.getPointee()));
        storage.emplace_back(length * bytes / 8 + 1);
        CheckedArray &array = arrays.emplace_back();
        array.name = std::string(1, static_cast<char>('a' + arguments.size()));
        array.address = values.back() = reinterpret_cast<uintptr_t>(storage.back().data());
        array.elementBytes = bytes;
        array.shape = {length};
        array.byteStrides = {bytes};
      }
      arguments.push_back(&values.back());
    }
    Checker checker(arrays);
    Options options;
    options.monitor = &checker;
    options.stepLimit = 100000;
    auto result = Interpreter(tileModule).launch("", grid, arguments, options);
    if (!result)
      ADD_FAILURE() << llvm::toString(result.takeError());
    report = checker.report(source);
    count = checker.findings().size();
  }

  std::string report;
  size_t count = 0;

private:
  SourceText source;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_CHECK_TESTLAUNCH_H
