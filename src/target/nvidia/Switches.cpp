// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/Switches.h"

#include "options/Environment.h"

namespace tilewright::nvidia {
namespace {

struct SwitchInfo {
  bool Switches::*member;
  const char *variable, *name;
};
constexpr SwitchInfo table[] = {
    {&Switches::alwaysSwizzle, "TILEIR_ALWAYS_SWIZZLE", "alwaysSwizzle"},
    {&Switches::preferTma, "TILEIR_PREFER_TMA_FOR_LOAD_STORE", "preferTma"},
    {&Switches::delayTmaStoreWait, "TILEIR_DELAY_TMA_STORE_WAIT", "delayTmaStoreWait"},
};

} // namespace

Switches Switches::fromEnvironment() {
  Switches switches;
  for (const SwitchInfo &info : table)
    switches.*info.member = environmentFlag(info.variable);
  return switches;
}

std::string Switches::text() const {
  std::string text;
  for (const SwitchInfo &info : table)
    if (this->*info.member)
      text += (text.empty() ? "" : " ") + std::string(info.name);
  return text;
}

} // namespace tilewright::nvidia
