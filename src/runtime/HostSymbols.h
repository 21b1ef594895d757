// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_RUNTIME_HOSTSYMBOLS_H
#define TILEWRIGHT_RUNTIME_HOSTSYMBOLS_H

#include "llvm/ADT/ArrayRef.h"

namespace tilewright {

struct HostSymbol {
  const char *name;
  void *address;
};

// Everything that generated code may call: the runtime's callbacks and the helpers that LLVM's code generators
// expect.
llvm::ArrayRef<HostSymbol> hostSymbols();

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_HOSTSYMBOLS_H
