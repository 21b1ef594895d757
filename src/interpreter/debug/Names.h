// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// User-visible names of the values of an entry: the names of Python variables where the front end left them, and those
// of the text, "%x", where the module was text.
#ifndef TILEWRIGHT_INTERPRETER_DEBUG_NAMES_H
#define TILEWRIGHT_INTERPRETER_DEBUG_NAMES_H

#include "cuda_tile/ir/CudaTile.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewright::interpreter {

class Names {
public:
  // Returns a line of a source file: where that is Tile IR as text, SSA values have the names they have there,
  // otherwise those with which the module prints.
  using ReadLine = llvm::function_ref<std::string(llvm::StringRef file, unsigned line)>;
  Names(cuda_tile::EntryOp entry, ReadLine readLine);

  llvm::ArrayRef<std::string> of(mlir::Value value) const {
    auto found = names.find(value);
    return found == names.end() ? llvm::ArrayRef<std::string>() : llvm::ArrayRef<std::string>(found->second);
  }

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::string, 1>> names;
};

// Names of variables are in locations: NameLoc("x") around that of an operation with one result; several results are
// separated by ';' and several names of one by ','.
constexpr char resultSeparator = ';', nameSeparator = ',';

} // namespace tilewright::interpreter

#endif // TILEWRIGHT_INTERPRETER_DEBUG_NAMES_H
