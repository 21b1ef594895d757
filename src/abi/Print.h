// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_ABI_PRINT_H
#define TILEWRIGHT_ABI_PRINT_H

#include "abi/Abi.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace tilewright {

// Appends what the kernel's print shows: each conversion applied to every element of its tile, tiles in nested
// brackets.
void formatPrint(std::string &out, llvm::StringRef format, llvm::ArrayRef<tilewright_print_arg> args);

// Which conversions of a format read their argument as unsigned, in order.
llvm::SmallVector<bool> unsignedConversions(llvm::StringRef format);

} // namespace tilewright

#endif // TILEWRIGHT_ABI_PRINT_H
