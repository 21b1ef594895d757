// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILEWRIGHT_SESSION_C_API_ENTRY_H
#define TILEWRIGHT_SESSION_C_API_ENTRY_H

#include "session/Execute.h"
#include "session/c_api/Error.h"

struct tilewright_entry {
  tilewright::session::LoadedEntry code;
  tilewright::session::ExecuteOptions execution;
  std::string remarks;
};

#endif
